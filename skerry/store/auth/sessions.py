"""Sessions: browsers in which a user is signed in, stored by the hash of their secret."""

from contextlib import suppress
from dataclasses import dataclass, fields
from typing import NamedTuple

from sqlalchemy import and_, bindparam, case, delete, insert, not_, or_, select, update

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.errors import SecretUnreadable
from skerry.store import sealed_columns
from skerry.store.auth.credentials import by_hash
from skerry.store.counts import counters
from skerry.store.sealed_columns import SESSIONS
from skerry.store.tables import account_logins, accounts, sessions


@dataclass(frozen=True)
class StoredSession:
    """A session; times are in microseconds."""

    id: int
    user_id: int
    agent: str
    address: str
    created_at: int
    used_at: int
    proved_at: int | None

    @property
    def signed_in_at(self) -> int:
        """Return when the person proved who they are."""
        return self.created_at if self.proved_at is None else self.proved_at


class Owner(NamedTuple):
    """The owner of a session; ``lacks_factor`` says that it began with a password alone.

    ``factors_from`` is then the day from which the account demands more.
    """

    name: str
    role: str | None
    lacks_factor: int
    factors_from: str | None


_COLUMNS = tuple(sessions.c[field.name] for field in fields(StoredSession))

_IN_ACCOUNT = in_account(sessions)
_OF_USER = sessions.c.user_id == bindparam("user")

_OVER = or_(sessions.c.used_at <= bindparam("used"), sessions.c.created_at <= bindparam("created"))

# Whoever signs in with a provider gives the factors that it demands.
_LACKS_FACTOR = and_(account_logins.c.factor_at.is_(None), sessions.c.provider.is_(None))

_FACTORS_FROM = select(accounts.c.factors_from).where(accounts.c.id == bindparam("account_id"))

_BY_HASH = by_hash(
    sessions,
    _COLUMNS,
    more=(case((_LACKS_FACTOR, 1), else_=0), case((_LACKS_FACTOR, _FACTORS_FROM.scalar_subquery()))),
)

_ALL = Statement(
    select(*_COLUMNS)
    .where(_IN_ACCOUNT, _OF_USER, not_(_OVER))
    .order_by(sessions.c.used_at.desc(), sessions.c.id.desc())
)

_INSERT = Statement(insert(sessions))

_PROVIDER = Statement(
    select(sessions.c.provider, sessions.c.id_token).where(
        _IN_ACCOUNT, _OF_USER, sessions.c.id == bindparam("session")
    )
)

_FORGET_ID_TOKEN = Statement(
    update(sessions).where(_IN_ACCOUNT, sessions.c.id == bindparam("session")).values(id_token=None)
)

_USED = Statement(
    update(sessions)
    .where(_IN_ACCOUNT, sessions.c.id == bindparam("session"), sessions.c.used_at < bindparam("timestamp"))
    .values(used_at=bindparam("timestamp"), address=bindparam("address"))
)

_END = Statement(delete(sessions).where(_IN_ACCOUNT, _OF_USER, sessions.c.id == bindparam("session")))

_END_OTHERS = Statement(
    delete(sessions).where(_OF_USER, not_(and_(_IN_ACCOUNT, sessions.c.id == bindparam("session"))))
)

_END_OTHERS_HERE = Statement(
    delete(sessions).where(_IN_ACCOUNT, _OF_USER, sessions.c.id != bindparam("session"))
)

_END_HERE = Statement(delete(sessions).where(_IN_ACCOUNT, _OF_USER))

_END_EVERYWHERE = Statement(delete(sessions).where(_OF_USER), across_accounts=True)

_END_OLD = Statement(delete(sessions).where(_OVER), across_accounts=True)


def with_hash(transaction: Transaction, hashed: str) -> tuple[StoredSession, Owner] | None:
    """Return the session with a hash that has not expired, and its owner."""
    row = transaction.one(_BY_HASH, hash=hashed)
    if row is None:
        return None
    owner = len(Owner._fields)
    session = StoredSession(*row[:-owner])
    limits = transaction.lifetimes
    end = min(session.used_at + limits.unused, session.created_at + limits.total)
    return None if transaction.is_over(end) else (session, Owner(*row[-owner:]))


def of_user(transaction: Transaction, user_id: int) -> list[StoredSession]:
    """Return a person's sessions in the account that have not expired, the last used first."""
    return [StoredSession(*row) for row in transaction.all(_ALL, user=user_id, **_limits(transaction))]


def _limits(transaction: Transaction) -> dict[str, int]:
    now, limits = transaction.now, transaction.lifetimes
    return {"used": now - limits.unused, "created": now - limits.total}


def add(
    transaction: Transaction,
    user_id: int,
    hashed: str,
    *,
    agent: str,
    address: str,
    **by_provider: str | int | None,
) -> int:
    """Add a session and return its id.

    ``by_provider`` has the ``provider`` with which it began, its ``id_token``, and when the person proved who
    they are there (``proved_at``).
    """
    session_id = counters.next_id(transaction, "sessions")
    if id_token := by_provider.get("id_token"):
        by_provider["id_token"] = _sealed(transaction, session_id, str(id_token))
    transaction.run(
        _INSERT,
        id=session_id,
        user_id=user_id,
        hash=hashed,
        agent=agent,
        address=address,
        created_at=transaction.now,
        used_at=transaction.now,
        **{"provider": None, "id_token": None, "proved_at": None, **by_provider},
    )
    return session_id


def _sealed(transaction: Transaction, session_id: int, id_token: str) -> str | None:
    """Return an ID token as it is stored; None without a key, because a session works without it."""
    place = SESSIONS.place("id_token", transaction.account_id, session_id)
    with suppress(SecretUnreadable):
        return sealed_columns.seal(transaction, id_token, place)
    return None


def provider_of(transaction: Transaction, user_id: int, session_id: int) -> tuple[str, str]:
    """Return the provider with which a session began, and its ID token; both are empty without one.

    So is an ID token whose key is lost.
    """
    provider, id_token = transaction.one(_PROVIDER, user=user_id, session=session_id) or ("", "")
    place = SESSIONS.place("id_token", transaction.account_id, session_id)
    return provider or "", sealed_columns.readable(transaction, id_token or "", place)


def forget_id_token(transaction: Transaction, session_id: int) -> None:
    """Remove the ID token of a session, at whose provider the person is then asked who signs out."""
    transaction.run(_FORGET_ID_TOKEN, session=session_id)


def used(transaction: Transaction, session_id: int, timestamp: int, address: str) -> None:
    """Store when and from where a session was used."""
    transaction.run(_USED, session=session_id, timestamp=timestamp, address=address)


def end(transaction: Transaction, user_id: int, session_id: int) -> bool:
    """End one of a person's sessions; return whether there was such a session."""
    return bool(transaction.changed(_END, user=user_id, session=session_id))


def end_others(transaction: Transaction, user_id: int, session_id: int) -> None:
    """End all sessions of a person in every account, except one of this account."""
    transaction.run(_END_OTHERS, user=user_id, session=session_id)


def end_others_here(transaction: Transaction, user_id: int, session_id: int) -> bool:
    """End all sessions of a person in the account, except one; return whether there were any."""
    return bool(transaction.changed(_END_OTHERS_HERE, user=user_id, session=session_id))


def end_here(transaction: Transaction, user_id: int) -> None:
    """End all sessions of a user in the account."""
    transaction.run(_END_HERE, user=user_id)


def end_everywhere(transaction: Transaction, user_id: int) -> None:
    """End all sessions of a user in every account."""
    transaction.run(_END_EVERYWHERE, user=user_id)


def end_expired(transaction: Transaction) -> int:
    """Remove the expired sessions of every account; return their number."""
    return transaction.changed(_END_OLD, **_limits(transaction))
