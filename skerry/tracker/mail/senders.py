"""Identification of the sender of a mail, and limits on their mail."""

import re
from hashlib import sha256
from typing import NamedTuple

from skerry.database.transactions import DAY, HOUR, Transaction
from skerry.errors import Forbidden
from skerry.store.auth import account_logins
from skerry.store.mail import incoming_mails
from skerry.store.people import people, users
from skerry.store.people.person import StoredPerson
from skerry.text import addresses
from skerry.text.characters import printable
from skerry.tracker.context import Principal
from skerry.tracker.mail.incoming_mails import IncomingMail
from skerry.tracker.mail.reply_addresses import AddressTarget

MAX_PER_HOUR = 20
MAX_PER_DAY_AND_TICKET = 20
MAX_ANSWERS_PER_DAY = 5

# Addresses that nobody reads.
_ROBOTS = re.compile(
    r"(?:mailer-daemon|postmaster|(?:no|do-?not)-?_?reply|bounces?)(?:[+-].{1,200})?@", re.IGNORECASE
)
_MAX_NAME_LENGTH = 200

DISABLED = "Your login is disabled"
"""What is said to a sender whose login is disabled."""

# A hash that no password matches, so that nobody can sign in as the user created for a stranger.
_NO_PASSWORD = "!"  # noqa: S105 - deliberately no valid hash


class MailAuthor(NamedTuple):
    """The sender of a mail; ``person`` is None for a stranger, ``key`` identifies the sender."""

    mail: IncomingMail
    person: StoredPerson | None
    key: str


def find(transaction: Transaction, mail: IncomingMail, target: AddressTarget) -> MailAuthor:
    """Return the sender of a mail.

    A reply address proves the sender, because only its owner received it, unless the trusted mail server
    contradicts. Elsewhere the mail server must prove the sender, whose address must be verified, and who must
    belong to the account: an administrator can forge the header of the mail server, and others could be told
    apart by whether they have a login.
    """
    person = _replying(transaction, mail, target) if target.user_id else _proven(transaction, mail)
    if person:
        return MailAuthor(mail, person, _hashed(f"person {person.id}"))
    return MailAuthor(mail, None, _hashed(f"{mail.proof or 'unknown'} {mail.sender}"))


def _replying(transaction: Transaction, mail: IncomingMail, target: AddressTarget) -> StoredPerson | None:
    person = people.person(transaction, target.user_id)
    is_theirs = person and person.email in addresses.forms(mail.sender) and mail.proof != "fail"
    return person if is_theirs else None


def _proven(transaction: Transaction, mail: IncomingMail) -> StoredPerson | None:
    if mail.proof != "pass":
        return None
    person = people.with_email(transaction, mail.sender, verified=True)
    return person if person and _is_known_here(transaction, person.id) else None


def _is_known_here(transaction: Transaction, user_id: int) -> bool:
    """Return whether a person belongs to the account, or has a login that is disabled in it."""
    if users.of_account(transaction, user_id):
        return True
    return transaction.account_id in account_logins.disabled_in(transaction, user_id)


def refuse_unproven(transaction: Transaction, mail: IncomingMail) -> None:
    """Raise Forbidden, with a remedy, if nothing proves the sender of a mail.

    The sentence does not depend on whether the address is that of a member.
    """
    if mail.proof == "pass":
        person = people.with_email(transaction, mail.sender)
        # The reply must not reveal whether others have a login.
        if person and users.of_account(transaction, person.id) and not _proven(transaction, mail):
            raise Forbidden("Verify your address on your profile first, then send the mail again")
        return
    if not mail.trusted_server:
        raise Forbidden(
            "This project accepts mail only from members, and this server does not check who sent a mail. "
            "Open the ticket on the site, and ask the operator to set SKERRY_MAIL_AUTHSERV"
        )
    raise Forbidden(
        "This project accepts mail only from members, and the mail server could not verify the sender. "
        "Open the ticket on the site, and ask whoever runs the mail of your domain to set up DMARC"
    )


def _hashed(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def principal(person: StoredPerson | None) -> Principal | None:
    """Return the principal of a person; raises Forbidden if their login is disabled."""
    if person is None:
        return None
    if person.disabled:
        raise Forbidden(DISABLED)
    return Principal(person.id, person.name, person.role)


def stranger(transaction: Transaction, mail: IncomingMail) -> Principal:
    """Return the principal of a user who stands for a stranger; it is created for their first mail.

    Its login is an address that nobody has; with the stranger's own, a forger could act as its owner. Raises
    Forbidden if it is disabled, as that of a spammer is.
    """
    email = f"mail-{_hashed(mail.sender)[:20]}@account-{transaction.account_id}.invalid"
    person = people.with_email(transaction, email)
    said = printable(mail.sender_name or mail.sender.partition("@")[0]).strip()[:_MAX_NAME_LENGTH]
    name = f"{said or 'Somebody'} (by mail)"
    if person and person.disabled:
        raise Forbidden(DISABLED)
    if person:
        return Principal(person.id, person.name, None)
    return Principal(people.add(transaction, email, name, _NO_PASSWORD), name, None)


def too_many(transaction: Transaction, sender: MailAuthor, target: AddressTarget) -> str:
    """Return why further mail of a sender is ignored for now; empty if it is not.

    Two programs that answer each other's mail about a ticket may be too slow for the hourly limit, but no
    person answers one ticket so often in a day.
    """
    if incoming_mails.count(transaction, sender.key, HOUR)[0] >= MAX_PER_HOUR:
        return f"More than {MAX_PER_HOUR} mails arrived within an hour"
    answers = incoming_mails.count(transaction, _at(sender, target), DAY)[0] if target.number else 0
    most = MAX_PER_DAY_AND_TICKET
    return f"More than {most} replies to the ticket arrived within a day" if answers >= most else ""


def note_answer(transaction: Transaction, sender: MailAuthor, target: AddressTarget) -> None:
    """Count a reply to a ticket by a sender."""
    key = _at(sender, target)
    incoming_mails.claim(transaction, _hashed(f"{key} {sender.mail.message_id}"), key)


def _at(sender: MailAuthor, target: AddressTarget) -> str:
    return _hashed(f"{sender.key} {target.project_id} {target.number}")


def may_be_answered(transaction: Transaction, sender: MailAuthor) -> bool:
    """Return whether a refused mail may be answered to its sender.

    Forged senders and programs get no answer, and the number of answers to a sender is limited.
    """
    mail = sender.mail
    answerable = mail.sender.isascii() and "@" in mail.sender and not _ROBOTS.match(mail.sender)
    if not answerable or mail.bulk or mail.proof == "fail":
        return False
    return incoming_mails.count(transaction, sender.key, HOUR)[1] < MAX_ANSWERS_PER_DAY
