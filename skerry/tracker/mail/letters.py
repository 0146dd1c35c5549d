"""The content of a mail, independent of language and format."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from skerry.store import accounts
from skerry.store.engine.transactions import Transaction
from skerry.store.mail.mails import Mail
from skerry.store.people import people, preferences


@dataclass(frozen=True)
class Reader:
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
    headers, without ``From``, ``To``, ``Subject`` and ``Date``.
    """

    template: str
    reader: Reader
    account: str
    base: str
    values: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


def reader(transaction: Transaction, user_id: int, *, verified: bool = True) -> Reader | None:
    """Return a user as the recipient of a mail.

    Returns None for a login that is disabled or removed, and for an unverified address unless that is
    allowed.
    """
    person = people.person(transaction, user_id)
    found = preferences.of_user(transaction, user_id)
    if person is None or found is None or person.disabled or (verified and not found.email_verified):
        return None
    return Reader(found.email, person.name, user_id, found.language, found.time_zone)


def message_id(transaction: Transaction, mail: Mail) -> str:
    """Return the local part of a mail's Message-ID, which is the same for each attempt.

    It does not contain the number of the mail: outsiders could count mail by comparing two.
    """
    mac = hmac.digest(accounts.key_of(transaction), f"mail {mail.id}".encode(), "sha256")
    return f"{mail.kind}.{transaction.account_id}.{int.from_bytes(mac[:8])}"
