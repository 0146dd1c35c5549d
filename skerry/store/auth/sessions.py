"""Sessions: browsers in which a user is signed in, stored by the hash of their secret."""

from dataclasses import dataclass

from sqlalchemy import and_, bindparam, delete, insert, not_, select, update

from skerry.store.auth.credentials import by_hash
from skerry.store.counts import counters
from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import sessions
from skerry.store.engine.transactions import Transaction


@dataclass(frozen=True)
class Session:
    """A session; times are in microseconds."""

    id: int
    user_id: int
    agent: str
    address: str
    created_at: int
    used_at: int


_COLUMNS = tuple(sessions.c[name] for name in ("id", "user_id", "agent", "address", "created_at", "used_at"))

_IN_ACCOUNT = sessions.c.account_id == bindparam("account_id")
_OF_USER = sessions.c.user_id == bindparam("user")

_ALIVE = sessions.c.used_at > bindparam("since")

_BY_HASH = by_hash(sessions, _COLUMNS)

_ALL = Statement(
    select(*_COLUMNS)
    .where(_IN_ACCOUNT, _OF_USER, _ALIVE)
    .order_by(sessions.c.used_at.desc(), sessions.c.id.desc())
)

_INSERT = Statement(
    insert(sessions).values(
        account_id=bindparam("account_id"),
        id=bindparam("id"),
        user_id=bindparam("user"),
        hash=bindparam("hash"),
        agent=bindparam("agent"),
        address=bindparam("address"),
        created_at=bindparam("now"),
        used_at=bindparam("now"),
    )
)

_USED = Statement(
    update(sessions)
    .where(_IN_ACCOUNT, sessions.c.id == bindparam("session"), sessions.c.used_at < bindparam("timestamp"))
    .values(used_at=bindparam("timestamp"))
)

_END = Statement(delete(sessions).where(_IN_ACCOUNT, _OF_USER, sessions.c.id == bindparam("session")))

_END_OTHERS = Statement(
    delete(sessions).where(_OF_USER, not_(and_(_IN_ACCOUNT, sessions.c.id == bindparam("session"))))
)

_END_HERE = Statement(delete(sessions).where(_IN_ACCOUNT, _OF_USER))

_END_EVERYWHERE = Statement(delete(sessions).where(_OF_USER), across_accounts=True)

_END_OLD = Statement(delete(sessions).where(sessions.c.used_at <= bindparam("since")), across_accounts=True)


def with_hash(transaction: Transaction, hashed: str, lifetime: int) -> tuple[Session, str, str | None] | None:
    """Return the session with a hash, and its owner's name and role in the account.

    It has expired if it was not used for a lifetime, in microseconds.
    """
    found = _stored(transaction, hashed)
    return None if found and transaction.is_over(found[0].used_at + lifetime) else found


def _stored(transaction: Transaction, hashed: str) -> tuple[Session, str, str | None] | None:
    row = transaction.one(_BY_HASH, hash=hashed)
    return (Session(*row[:-2]), row[-2], row[-1]) if row else None


def of_user(transaction: Transaction, user_id: int, since: int) -> list[Session]:
    """Return a person's sessions in the account used since a time, the last used first."""
    return [Session(*row) for row in transaction.all(_ALL, user=user_id, since=since)]


def add(transaction: Transaction, user_id: int, hashed: str, *, agent: str, address: str) -> int:
    """Add a session and return its id."""
    session_id = counters.next_id(transaction, "sessions")
    transaction.run(
        _INSERT,
        id=session_id,
        user=user_id,
        hash=hashed,
        agent=agent,
        address=address,
        now=transaction.now,
    )
    return session_id


def used(transaction: Transaction, session_id: int, timestamp: int) -> None:
    """Store the time at which a session was used."""
    transaction.run(_USED, session=session_id, timestamp=timestamp)


def end(transaction: Transaction, user_id: int, session_id: int) -> bool:
    """End one of a person's sessions; return whether there was such a session."""
    return bool(transaction.changed(_END, user=user_id, session=session_id))


def end_others(transaction: Transaction, user_id: int, session_id: int) -> None:
    """End all sessions of a person in every account, except one of this account."""
    transaction.run(_END_OTHERS, user=user_id, session=session_id)


def end_here(transaction: Transaction, user_id: int) -> None:
    """End all sessions of a user in the account."""
    transaction.run(_END_HERE, user=user_id)


def end_everywhere(transaction: Transaction, user_id: int) -> None:
    """End all sessions of a user in every account."""
    transaction.run(_END_EVERYWHERE, user=user_id)


def end_expired(transaction: Transaction, since: int) -> int:
    """Remove the sessions of every account that were not used since a time; return their number."""
    return transaction.changed(_END_OLD, since=since)
