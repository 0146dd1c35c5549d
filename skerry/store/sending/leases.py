"""Leases: which process does the background work of an account; times are by the clock of the database.

A lease belongs to its owner until it expires; then the first process that asks gets it. Thus one process at a
time works for an account, even if several servers share a database and their clocks differ.
"""

from typing import Any, NamedTuple, Protocol

from sqlalchemy import BigInteger, ColumnElement, bindparam, literal, or_, select, text, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import SECOND, Transaction
from skerry.store.tables import accounts, leases


class _Clock(ColumnElement[int]):
    """The time of the database in microseconds since 1970."""

    inherit_cache = True
    type = BigInteger()


@compiles(_Clock)
def _by_julian_day(_clock: _Clock, _compiler: SQLCompiler, **_how: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000000 AS BIGINT)"


@compiles(_Clock, "postgresql")
def _by_epoch(_clock: _Clock, _compiler: SQLCompiler, **_how: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"


class Held(Protocol):
    """The accounts whose background work this process does."""

    @property
    def leased(self) -> frozenset[int]:
        """Return the accounts."""

    def confirm(self, transaction: Transaction) -> None:
        """Check that this process still holds the account; raises SerializationFailure."""


class Lease(NamedTuple):
    """An account that a process works for; since ``paused_at``, sending is paused."""

    account_id: int
    paused_at: int | None


_IN_ACCOUNT = in_account(leases)
_MINE = leases.c.owner == bindparam("me")
_FREE = leases.c.expires_at < bindparam("now", type_=BigInteger)

# A change of distributed tables must not call the clock itself.
_NOW = Statement(select(_Clock()), across_accounts=True)
_MISSING = Statement(
    select(accounts.c.id)
    .outerjoin(leases, leases.c.account_id == accounts.c.id)
    .where(leases.c.account_id.is_(None)),
    across_accounts=True,
)
_BEGIN = Statement(
    text(
        "INSERT INTO leases (account_id, owner, expires_at) VALUES (:account_id, '', 0) "
        "ON CONFLICT DO NOTHING"
    )
)
_ANY = Statement(select(literal(1)).where(or_(_MINE, _FREE)).limit(1), across_accounts=True)
_HOLD = Statement(
    update(leases)
    .where(or_(_MINE, _FREE))
    .values(owner=bindparam("me"), expires_at=bindparam("until", type_=BigInteger))
    .returning(leases.c.account_id, leases.c.paused_at),
    across_accounts=True,
)
_RELEASE = Statement(update(leases).where(_MINE).values(owner="", expires_at=0), across_accounts=True)
_HOLDER = Statement(select(leases.c.owner).where(_IN_ACCOUNT).with_for_update(read=True))
_PAUSED = Statement(select(leases.c.paused_at).where(_IN_ACCOUNT))
_PAUSE = Statement(update(leases).where(_IN_ACCOUNT).values(paused_at=bindparam("since", type_=BigInteger)))


def missing(transaction: Transaction) -> list[int]:
    """Return the accounts that have no lease yet."""
    return [account_id for (account_id,) in transaction.all(_MISSING)]


def begin(transaction: Transaction) -> None:
    """Create a lease without an owner for the account, unless there is one."""
    transaction.run(_BEGIN)


def any_to_hold(transaction: Transaction, me: str) -> bool:
    """Return whether an owner has a lease to renew, or could get one."""
    return transaction.value(_ANY, me=me, now=transaction.value(_NOW)) is not None


def hold(transaction: Transaction, me: str, seconds: float) -> list[Lease]:
    """Renew the leases of an owner and take expired ones; return all leases that the owner now holds."""
    now = transaction.value(_NOW)
    rows = transaction.all(_HOLD, me=me, now=now, until=now + int(seconds * SECOND))
    return [Lease(*row) for row in rows]


def release(transaction: Transaction, me: str) -> None:
    """Release the leases of an owner, so that others need not wait until they expire."""
    transaction.run(_RELEASE, me=me)


def is_held(transaction: Transaction, me: str) -> bool:
    """Return whether an owner has the lease of the account; nobody else can take it before the commit."""
    return bool(transaction.value(_HOLDER) == me)


def paused_at(transaction: Transaction) -> int | None:
    """Return since when the work of the account is paused, None if it is not."""
    timestamp: int | None = transaction.value(_PAUSED)
    return timestamp


def pause(transaction: Transaction, *, paused: bool) -> None:
    """Pause the work of the account, or resume it."""
    begin(transaction)
    transaction.run(_PAUSE, since=transaction.now if paused else None)
