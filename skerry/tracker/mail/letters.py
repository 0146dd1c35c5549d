"""The content of a mail, independent of language and format."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from skerry.database.transactions import Transaction
from skerry.store import accounts
from skerry.store.mail.mails import QueuedMail
from skerry.store.people import people, preferences

Headers = Mapping[str, str | tuple[str, str]]
"""Headers by their names; a pair is a name and an address."""


@dataclass(frozen=True)
class Recipient:
    """The recipient of a mail; ``user_id`` is 0 if there is no login yet."""

    email: str
    name: str = ""
    user_id: int = 0
    language: str = ""
    time_zone: str = ""


@dataclass(frozen=True)
class Letter:
    """A mail before rendering: the name of its template, and the values for it.

    ``base`` is the base URL of links, ``account`` the name of the account. ``headers`` are additional
    headers, without ``From``, ``To``, ``Subject`` and ``Date``. ``actor`` is who wrote all of it, empty
    for several people.
    """

    template: str
    reader: Recipient
    account: str
    base: str
    values: Mapping[str, object]
    headers: Headers = field(default_factory=dict)
    actor: str = ""


def reader(transaction: Transaction, user_id: int, *, verified: bool = True) -> Recipient | None:
    """Return a user as the recipient of a mail.

    Returns None for a login that is disabled or removed, and for an unverified address unless that is
    allowed.
    """
    person = people.person(transaction, user_id)
    settings = preferences.of_user(transaction, user_id)
    if person is None or settings is None or person.disabled or (verified and not settings.email_verified):
        return None
    return Recipient(settings.email, person.name, user_id, settings.language, settings.time_zone)


def message_id(transaction: Transaction, mail: QueuedMail) -> str:
    """Return the local part of a mail's Message-ID, which is the same for each attempt."""
    return f"{mail.kind}.{transaction.account_id}.{code_of(transaction, mail)}"


def code_of(transaction: Transaction, mail: QueuedMail) -> int:
    """Return a number that identifies a mail.

    It is not the id in the queue, because outsiders could count mails by comparing two ids.
    """
    mac = hmac.digest(accounts.key_of(transaction), f"mail {mail.id}".encode(), "sha256")
    return int.from_bytes(mac[:8])
