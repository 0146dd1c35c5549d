"""Invitations: links with which a person chooses a password once, stored by the hash of their code."""

from dataclasses import dataclass

from sqlalchemy import bindparam, delete, insert, or_, select, update

from skerry.store.counts import counters
from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import invitations
from skerry.store.engine.transactions import Transaction


@dataclass(frozen=True)
class Invitation:
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


_COLUMNS = tuple(
    invitations.c[name]
    for name in (
        "id",
        "email",
        "name",
        "role",
        "project_id",
        "user_id",
        "creator_id",
        "created_at",
        "expires_at",
    )
)

_IN_ACCOUNT = invitations.c.account_id == bindparam("account_id")
_OPEN = (_IN_ACCOUNT, invitations.c.used_at.is_(None), invitations.c.expires_at > bindparam("now"))

_BY_HASH = Statement(
    select(*_COLUMNS, invitations.c.hash != bindparam("hash")).where(
        *_OPEN, or_(invitations.c.hash == bindparam("hash"), invitations.c.mailed_hash == bindparam("hash"))
    )
)

_BY_ID = Statement(select(*_COLUMNS).where(*_OPEN, invitations.c.id == bindparam("invitation")))

_NOTE_MAILED = Statement(
    update(invitations)
    .where(*_OPEN, invitations.c.id == bindparam("invitation"))
    .values(mailed_hash=bindparam("mailed"))
)

_ALL = Statement(select(*_COLUMNS).where(*_OPEN).order_by(invitations.c.id.desc()))

_INSERT = Statement(
    insert(invitations).values(
        account_id=bindparam("account_id"),
        hash=bindparam("hash"),
        **{column.name: bindparam(column.name) for column in _COLUMNS},
    )
)

_USE = Statement(
    update(invitations)
    .where(*_OPEN, invitations.c.id == bindparam("invitation"))
    .values(used_at=bindparam("now"))
)

_REMOVE = Statement(delete(invitations).where(_IN_ACCOUNT, invitations.c.id == bindparam("invitation")))

_REMOVE_OVER = Statement(
    delete(invitations).where(
        or_(invitations.c.used_at.is_not(None), invitations.c.expires_at <= bindparam("now"))
    ),
    across_accounts=True,
)

_REMOVE_OF_EMAIL = Statement(delete(invitations).where(*_OPEN, invitations.c.email == bindparam("address")))


def with_hash(transaction: Transaction, hashed: str) -> Invitation | None:
    """Return the invitation with a hash if it is unused and has not expired."""
    row = transaction.one(_BY_HASH, hash=hashed, now=transaction.now)
    return Invitation(*row) if row else None


def with_id(transaction: Transaction, invitation_id: int) -> Invitation | None:
    """Return an invitation if it is unused and has not expired."""
    row = transaction.one(_BY_ID, invitation=invitation_id, now=transaction.now)
    return Invitation(*row) if row else None


def note_mailed(transaction: Transaction, invitation_id: int, hashed: str) -> None:
    """Store the hash of the mailed link, replacing an earlier one."""
    transaction.run(_NOTE_MAILED, invitation=invitation_id, mailed=hashed, now=transaction.now)


def waiting(transaction: Transaction) -> list[Invitation]:
    """Return all valid invitations, newest first."""
    return [Invitation(*row) for row in transaction.all(_ALL, now=transaction.now)]


def add(  # noqa: PLR0913 - the values of a row
    transaction: Transaction,
    hashed: str,
    *,
    email: str,
    name: str,
    role: str | None,
    project_id: int | None,
    user_id: int | None,
    creator_id: int,
    expires_at: int,
) -> int:
    """Add an invitation, replacing earlier ones for the same address, and return its id."""
    transaction.run(_REMOVE_OF_EMAIL, address=email, now=transaction.now)
    invitation_id = counters.next_id(transaction, "invitations")
    transaction.run(
        _INSERT,
        hash=hashed,
        id=invitation_id,
        email=email,
        name=name,
        role=role,
        project_id=project_id,
        user_id=user_id,
        creator_id=creator_id,
        created_at=transaction.now,
        expires_at=expires_at,
    )
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
