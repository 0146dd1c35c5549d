"""What is in a mail, before it is written in a language and a format."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from skerry.store import accounts
from skerry.store.engine.transactions import Transaction
from skerry.store.mail.mails import Mail
from skerry.store.people import people, preferences


@dataclass(frozen=True)
class Reader:
    """Whoever gets a mail. ``user_id`` is 0 for somebody who has no login yet."""

    email: str
    name: str = ""
    user_id: int = 0
    language: str = ""
    time_zone: str = ""


@dataclass(frozen=True)
class Letter:
    """A mail without its form: the template that writes it, and the values in that.

    ``base`` stands in front of the addresses of links, ``account`` is the account's name. ``headers`` are
    those that only this mail has, without ``From``, ``To``, ``Subject`` and ``Date``.
    """

    template: str
    reader: Reader
    account: str
    base: str
    values: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


def reader(transaction: Transaction, user_id: int, *, verified: bool = True) -> Reader | None:
    """Return somebody as the reader of a mail.

    None for a login that is disabled or gone, and for an address that is not verified, unless that is
    allowed.
    """
    person = people.person(transaction, user_id)
    found = preferences.of_user(transaction, user_id)
    if person is None or found is None or person.disabled or (verified and not found.email_verified):
        return None
    return Reader(found.email, person.name, user_id, found.language, found.time_zone)


def message_id(transaction: Transaction, mail: Mail) -> str:
    """Return what stands before the host in the id of a mail, whenever it is sent.

    It does not hold the number of the mail: gaps between two would tell outsiders how many are sent.
    """
    mac = hmac.digest(accounts.key_of(transaction), f"mail {mail.id}".encode(), "sha256")
    return f"{mail.kind}.{transaction.account_id}.{int.from_bytes(mac[:8])}"
