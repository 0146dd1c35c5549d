"""Secret URLs of lists for feed readers and calendars, stored by the hash of their secret."""

from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, insert, select

from skerry.resources.sending.feeds import Feed
from skerry.store.auth.credentials import by_hash
from skerry.store.counts import counters
from skerry.store.engine.rows import Shape
from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import feeds
from skerry.store.engine.transactions import Transaction

_SHAPE = Shape(Feed, {column.name: column for column in feeds.c if column.name not in ("account_id", "hash")})

_IN_ACCOUNT = feeds.c.account_id == bindparam("account_id")
_OWN = (_IN_ACCOUNT, feeds.c.user_id == bindparam("user"))
_OWNERS = feeds.c.user_id == bindparam("user")

_BY_HASH = by_hash(feeds, _SHAPE.columns)
_ALL = Statement(select(*_SHAPE.columns).where(*_OWN).order_by(feeds.c.id.desc()))
_ONE = Statement(select(*_SHAPE.columns).where(*_OWN, feeds.c.id == bindparam("feed")))
_COUNT = Statement(select(func.count()).select_from(feeds).where(*_OWN))

_INSERT = Statement(
    insert(feeds).values(
        account_id=bindparam("account_id"),
        id=bindparam("id"),
        user_id=bindparam("user_id"),
        project_id=bindparam("project_id"),
        kind=bindparam("kind"),
        query=bindparam("query"),
        note=bindparam("note"),
        hash=bindparam("hash"),
        created_at=bindparam("now"),
    )
)

_REMOVE = Statement(delete(feeds).where(*_OWN, feeds.c.id == bindparam("feed")))
_REMOVE_ALL = Statement(delete(feeds).where(*_OWN))
_REMOVE_EVERYWHERE = Statement(delete(feeds).where(_OWNERS), across_accounts=True)


class Opened(NamedTuple):
    """A feed, its owner's name, and the owner's role in the account."""

    feed: Feed
    name: str
    role: str | None


def with_hash(transaction: Transaction, hashed: str) -> Opened | None:
    """Return the feed whose secret has a hash; None if there is none, or its owner cannot sign in."""
    row = transaction.one(_BY_HASH, hash=hashed)
    return Opened(_SHAPE.record(row[:-2], transaction), row[-2], row[-1]) if row else None


def of_user(transaction: Transaction, user_id: int) -> list[Feed]:
    """Return the feeds of a user, newest first."""
    return _SHAPE.records(transaction.all(_ALL, user=user_id), transaction)


def one(transaction: Transaction, user_id: int, feed_id: int) -> Feed | None:
    """Return a feed of a user, None if it does not exist."""
    row = transaction.one(_ONE, user=user_id, feed=feed_id)
    return _SHAPE.record(row, transaction) if row else None


def count(transaction: Transaction, user_id: int) -> int:
    """Return the number of a user's feeds in the account."""
    return int(transaction.value(_COUNT, user=user_id))


def add(transaction: Transaction, user_id: int, hashed: str, feed: Feed) -> int:
    """Add a feed and return its id."""
    feed_id = counters.next_id(transaction, "feeds")
    transaction.run(
        _INSERT,
        id=feed_id,
        user_id=user_id,
        project_id=feed.project_id,
        kind=feed.kind,
        query=feed.query,
        note=feed.note,
        hash=hashed,
        now=transaction.now,
    )
    return feed_id


def remove(transaction: Transaction, user_id: int, feed_id: int) -> bool:
    """Delete a feed of a user; return whether it existed."""
    return bool(transaction.changed(_REMOVE, user=user_id, feed=feed_id))


def remove_all(transaction: Transaction, user_id: int) -> None:
    """Delete all feeds of a user in the account."""
    transaction.run(_REMOVE_ALL, user=user_id)


def remove_everywhere(transaction: Transaction, user_id: int) -> None:
    """Delete all feeds of a user in every account."""
    transaction.run(_REMOVE_EVERYWHERE, user=user_id)
