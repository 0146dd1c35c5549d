"""Invitations: links with which a person chooses a password once, stored by the hash of their code."""

from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import bindparam, delete, or_, select, update

from skerry.database.statements import Statement, in_account, insert_into
from skerry.database.transactions import Transaction
from skerry.store.counts import counters
from skerry.store.tables import invitations


@dataclass(frozen=True)
class StoredInvitation:
    """An invitation for an address; ``user_id`` is set if an existing user gets a new password."""

    id: int
    email: str
    name: str
    role: str | None
    project_id: int | None
    user_id: int | None
    creator_id: int
    created_at: int
    expires_at: int
    by_mail: bool = False


_COLUMNS = tuple(invitations.c[field.name] for field in fields(StoredInvitation) if field.name != "by_mail")

_IN_ACCOUNT = in_account(invitations)
_OPEN = (_IN_ACCOUNT, invitations.c.used_at.is_(None), invitations.c.expires_at > bindparam("now"))

_BY_HASH = Statement(
    select(*_COLUMNS, invitations.c.hash != bindparam("hash")).where(
        *_OPEN, or_(invitations.c.hash == bindparam("hash"), invitations.c.mailed_hash == bindparam("hash"))
    )
)

_OPEN_ONE = (*_OPEN, invitations.c.id == bindparam("invitation"))

_BY_ID = Statement(select(*_COLUMNS).where(*_OPEN_ONE))

_NOTE_MAILED = Statement(update(invitations).where(*_OPEN_ONE).values(mailed_hash=bindparam("mailed")))

_ALL = Statement(select(*_COLUMNS).where(*_OPEN).order_by(invitations.c.id.desc()))

_INSERT = Statement(insert_into(invitations, without=("mailed_hash", "used_at")))

_USE = Statement(update(invitations).where(*_OPEN_ONE).values(used_at=bindparam("now")))

_REMOVE = Statement(delete(invitations).where(_IN_ACCOUNT, invitations.c.id == bindparam("invitation")))

_REMOVE_OVER = Statement(
    delete(invitations).where(
        or_(invitations.c.used_at.is_not(None), invitations.c.expires_at <= bindparam("now"))
    ),
    across_accounts=True,
)

_REMOVE_OF_EMAIL = Statement(delete(invitations).where(*_OPEN, invitations.c.email == bindparam("address")))


def with_hash(transaction: Transaction, hashed: str) -> StoredInvitation | None:
    """Return the invitation with a hash if it is unused and has not expired."""
    row = transaction.one(_BY_HASH, hash=hashed, now=transaction.now)
    return StoredInvitation(*row) if row else None


def with_id(transaction: Transaction, invitation_id: int) -> StoredInvitation | None:
    """Return an invitation if it is unused and has not expired."""
    row = transaction.one(_BY_ID, invitation=invitation_id, now=transaction.now)
    return StoredInvitation(*row) if row else None


def note_mailed(transaction: Transaction, invitation_id: int, hashed: str) -> None:
    """Store the hash of the mailed link, replacing an earlier one."""
    transaction.run(_NOTE_MAILED, invitation=invitation_id, mailed=hashed, now=transaction.now)


def waiting(transaction: Transaction) -> list[StoredInvitation]:
    """Return all valid invitations, newest first."""
    return [StoredInvitation(*row) for row in transaction.all(_ALL, now=transaction.now)]


def add(transaction: Transaction, hashed: str, *, email: str, **values: Any) -> int:
    """Add an invitation, replacing earlier ones for the same address, and return its id."""
    transaction.run(_REMOVE_OF_EMAIL, address=email, now=transaction.now)
    invitation_id = counters.next_id(transaction, "invitations")
    stored = {"id": invitation_id, "hash": hashed, "created_at": transaction.now}
    transaction.run(_INSERT, email=email, **stored, **values)
    return invitation_id


def use(transaction: Transaction, invitation_id: int) -> bool:
    """Use up an invitation; return whether it was still valid."""
    return bool(transaction.changed(_USE, invitation=invitation_id, now=transaction.now))


def remove(transaction: Transaction, invitation_id: int) -> bool:
    """Revoke an invitation; return whether there was one."""
    return bool(transaction.changed(_REMOVE, invitation=invitation_id))


def remove_expired(transaction: Transaction) -> int:
    """Remove the used and expired invitations of every account; return their number."""
    return transaction.changed(_REMOVE_OVER, now=transaction.now)
