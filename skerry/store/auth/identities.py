"""Identities: who somebody is at an OpenID Connect provider, by the provider's own name for them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, select, update

from skerry.database.statements import Statement, in_account, insert_into
from skerry.database.transactions import Transaction
from skerry.store.counts import counters
from skerry.store.tables import identities


@dataclass(frozen=True)
class StoredIdentity:
    """An identity; ``email`` is the verified address when it was linked, empty if there was none.

    ``subject`` is a name of the ``issuer``, whichever the ``provider`` in the settings is now.
    """

    id: int
    user_id: int
    provider: str
    subject: str
    email: str
    created_at: int
    used_at: int
    issuer: str


class Linked(NamedTuple):
    """How many identities of all accounts belong to a provider in the settings and an issuer."""

    provider: str
    issuer: str
    number: int


UNKNOWN = "unknown"
"""The issuer of identities whose provider was not in the settings when they were bound; nobody has it."""

_COLUMNS = tuple(identities.c[field.name] for field in fields(StoredIdentity))
_IN_ACCOUNT = in_account(identities)
_OF_USER = identities.c.user_id == bindparam("user")
_ONE = (_IN_ACCOUNT, identities.c.id == bindparam("identity"))

_FIND = Statement(
    select(*_COLUMNS).where(
        _IN_ACCOUNT,
        identities.c.provider == bindparam("provider"),
        identities.c.issuer == bindparam("issuer"),
        identities.c.subject == bindparam("subject"),
    )
)

_OF = Statement(select(*_COLUMNS).where(_IN_ACCOUNT, _OF_USER).order_by(identities.c.id))

_COUNTS = Statement(
    select(identities.c.user_id, func.count()).where(_IN_ACCOUNT).group_by(identities.c.user_id)
)

_INSERT = Statement(insert_into(identities))

_USED = Statement(update(identities).where(*_ONE).values(used_at=bindparam("now")))

_REMOVE = Statement(delete(identities).where(*_ONE, _OF_USER))

_REMOVE_ALL = Statement(delete(identities).where(_IN_ACCOUNT, _OF_USER))

_LINKED = Statement(
    select(identities.c.provider, identities.c.issuer, func.count())
    .group_by(identities.c.provider, identities.c.issuer)
    .order_by(identities.c.provider, identities.c.issuer),
    across_accounts=True,
)

_BIND = Statement(
    update(identities)
    .where(identities.c.issuer == "", identities.c.provider == bindparam("of_provider"))
    .values(issuer=bindparam("is_of")),
    across_accounts=True,
)


def find(transaction: Transaction, provider: str, issuer: str, subject: str) -> StoredIdentity | None:
    """Return the identity with a name that an issuer gave somebody."""
    row = transaction.one(_FIND, provider=provider, issuer=issuer, subject=subject)
    return StoredIdentity(*row) if row else None


def of_user(transaction: Transaction, user_id: int) -> list[StoredIdentity]:
    """Return a person's identities, the oldest first."""
    return [StoredIdentity(*row) for row in transaction.all(_OF, user=user_id)]


def counts(transaction: Transaction) -> dict[int, int]:
    """Return how many identities people have, by their ids; people without any are not in it."""
    return dict(transaction.all(_COUNTS))


def add(
    transaction: Transaction, user_id: int, *, provider: str, issuer: str, subject: str, email: str
) -> int:
    """Link an identity to a person, and return its id."""
    identity_id = counters.next_id(transaction, "identities")
    times = {"created_at": transaction.now, "used_at": transaction.now}
    values = {"user_id": user_id, "provider": provider, "issuer": issuer, "subject": subject, "email": email}
    transaction.run(_INSERT, id=identity_id, **values, **times)
    return identity_id


def used(transaction: Transaction, identity_id: int) -> None:
    """Record that an identity was used now."""
    transaction.run(_USED, identity=identity_id, now=transaction.now)


def remove(transaction: Transaction, user_id: int, identity_id: int) -> bool:
    """Remove one of a person's identities; return whether there was such an identity."""
    return bool(transaction.changed(_REMOVE, user=user_id, identity=identity_id))


def remove_all(transaction: Transaction, user_id: int) -> None:
    """Remove all identities of a person in the account."""
    transaction.run(_REMOVE_ALL, user=user_id)


def linked(transaction: Transaction) -> list[Linked]:
    """Return which providers and issuers the identities of all accounts belong to."""
    return [Linked(*row) for row in transaction.all(_LINKED)]


def bind(transaction: Transaction, issuers: Mapping[str, str]) -> None:
    """Bind identities of all accounts that have no issuer yet to those of the providers, by name."""
    for each in linked(transaction):
        if not each.issuer:
            is_of = issuers.get(each.provider, UNKNOWN)
            transaction.run(_BIND, of_provider=each.provider, is_of=is_of)
