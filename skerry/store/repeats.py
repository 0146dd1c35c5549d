"""The first answers to requests that may come again, kept for a day."""

from dataclasses import dataclass

from sqlalchemy import bindparam, delete, insert, select

from skerry.store.statements import Statement
from skerry.store.tables import repeats
from skerry.store.transactions import Transaction

DAY = 24 * 60 * 60 * 1_000_000


@dataclass(frozen=True)
class Kept:
    """The answer to a request; ``fingerprint`` tells the request from others with the same key."""

    fingerprint: str
    status: str
    content_type: str
    location: str | None
    body: str


_COLUMNS = ("fingerprint", "status", "content_type", "location", "body")
_HERE = repeats.c.account_id == bindparam("account_id")

_FIND = Statement(
    select(*(repeats.c[name] for name in _COLUMNS)).where(
        _HERE,
        repeats.c.user_id == bindparam("user_id"),
        repeats.c.key == bindparam("key"),
        repeats.c.created_at > bindparam("since"),
    )
)

_FORGET = Statement(delete(repeats).where(_HERE, repeats.c.created_at <= bindparam("since")))

_KEEP = Statement(
    insert(repeats).values(
        {name: bindparam(name) for name in ("account_id", "user_id", "key", "created_at", *_COLUMNS)}
    )
)


def find(transaction: Transaction, user_id: int, key: str) -> Kept | None:
    """Give the answer to somebody's request with a key, if it was made within a day."""
    row = transaction.one(_FIND, user_id=user_id, key=key, since=transaction.now - DAY)
    return Kept(*row) if row else None


def keep(transaction: Transaction, user_id: int, key: str, kept: Kept) -> None:
    """Keep an answer for a day, and forget older ones.

    Raises Collision if another request with the key is kept at the same time.
    """
    transaction.run(_FORGET, since=transaction.now - DAY)
    transaction.run(_KEEP, user_id=user_id, key=key, created_at=transaction.now, **kept.__dict__)
