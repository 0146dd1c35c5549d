"""Identification of the sender of a mail, and limits on their mail."""

from hashlib import sha256
from typing import NamedTuple

from skerry.errors import Forbidden
from skerry.store.engine.transactions import DAY, Transaction
from skerry.store.mail import incoming_mails
from skerry.store.people import people, preferences
from skerry.store.people.person import Person
from skerry.text.characters import printable
from skerry.tracker.context import Principal
from skerry.tracker.mail.messages import IncomingMail
from skerry.tracker.mail.reply_addresses import Target

MAX_PER_HOUR = 20
MAX_PER_DAY_AND_TICKET = 20
MAX_ANSWERS_PER_DAY = 5

_HOUR = 3_600_000_000
_MAX_NAME_LENGTH = 200
# A hash that no password matches, so that nobody can sign in as the user created for a stranger.
_NO_PASSWORD = "!"  # noqa: S105 - deliberately no valid hash


class Sender(NamedTuple):
    """The sender of a mail; ``person`` is None for a stranger, ``key`` identifies the sender."""

    mail: IncomingMail
    person: Person | None
    key: str


def find(transaction: Transaction, mail: IncomingMail, target: Target) -> Sender:
    """Return the sender of a mail.

    A reply address proves the sender, because only its owner received it, unless the trusted mail server
    contradicts. Elsewhere the mail server must prove the sender, whose address must be verified.
    """
    found = people.with_email(transaction, mail.sender)
    if found and target.user_id == found.id and mail.proof != "fail":
        return Sender(mail, found, _hashed(f"person {found.id}"))
    if found and not target.user_id and mail.proof == "pass" and _is_verified(transaction, found):
        return Sender(mail, found, _hashed(f"person {found.id}"))
    return Sender(mail, None, _hashed(f"{mail.proof or 'unknown'} {mail.sender}"))


def _is_verified(transaction: Transaction, person: Person) -> bool:
    known = preferences.of_user(transaction, person.id)
    return known is not None and known.email_verified


def _hashed(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def principal(person: Person | None) -> Principal | None:
    """Return the principal of a person; raises Forbidden if their login is disabled."""
    if person is None:
        return None
    if person.disabled:
        raise Forbidden("Your login is disabled")
    return Principal(person.id, person.name, person.role)


def stranger(transaction: Transaction, mail: IncomingMail) -> Principal:
    """Return the principal of a user who stands for a stranger; it is created for their first mail.

    Its login is an address that nobody has: with the stranger's own, anybody could pass for its owner.
    """
    email = f"mail-{_hashed(mail.sender)[:20]}@account-{transaction.account_id}.invalid"
    found = people.with_email(transaction, email)
    said = printable(mail.sender_name or mail.sender.partition("@")[0]).strip()[:_MAX_NAME_LENGTH]
    name = f"{said or 'Somebody'} (by mail)"
    if found:
        return Principal(found.id, found.name, None)
    return Principal(people.add(transaction, email, name, _NO_PASSWORD), name, None)


def too_many(transaction: Transaction, sender: Sender, target: Target) -> str:
    """Return why further mail of a sender is ignored for now; empty if it is not.

    Two programs that answer each other's mail about a ticket may be too slow for the hourly limit, but no
    person answers one ticket so often in a day.
    """
    if incoming_mails.count(transaction, sender.key, _HOUR)[0] >= MAX_PER_HOUR:
        return f"More than {MAX_PER_HOUR} mails arrived within an hour"
    answers = incoming_mails.count(transaction, _at(sender, target), DAY)[0] if target.number else 0
    most = MAX_PER_DAY_AND_TICKET
    return f"More than {most} replies to the ticket arrived within a day" if answers >= most else ""


def note_answer(transaction: Transaction, sender: Sender, target: Target) -> None:
    """Count a reply to a ticket by a sender."""
    key = _at(sender, target)
    incoming_mails.claim(transaction, _hashed(f"{key} {sender.mail.message_id}"), key)


def _at(sender: Sender, target: Target) -> str:
    return _hashed(f"{sender.key} {target.project_id} {target.number}")


def may_be_answered(transaction: Transaction, sender: Sender) -> bool:
    """Return whether a refused mail may be answered to its sender.

    Forged senders get no answer, and the number of answers to a sender is limited.
    """
    answers = incoming_mails.count(transaction, sender.key, _HOUR)[1]
    address = sender.mail.sender
    return (
        bool(address) and address.isascii() and sender.mail.proof != "fail" and answers < MAX_ANSWERS_PER_DAY
    )
