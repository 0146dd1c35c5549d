"""Secret URLs of lists for feed readers and calendars, stored by the hash of their secret."""

from typing import NamedTuple

from sqlalchemy import bindparam, delete

from skerry.database.statements import Statement
from skerry.database.transactions import Transaction
from skerry.resources.sending import Feed
from skerry.store.auth.credentials import by_hash
from skerry.store.table_rows import Rows
from skerry.store.tables import feeds

ROWS = Rows(Feed, feeds, scope="user_id", hidden=("hash",), order_by=[feeds.c.id.desc()])

_BY_HASH = by_hash(feeds, ROWS.shape.columns)
_REMOVE_ALL = Statement(delete(feeds).where(ROWS.in_scope))
_REMOVE_EVERYWHERE = Statement(
    delete(feeds).where(feeds.c.user_id == bindparam("user_id")), across_accounts=True
)


class Opened(NamedTuple):
    """A feed, its owner's name, and the owner's role in the account."""

    feed: Feed
    name: str
    role: str | None


def with_hash(transaction: Transaction, hashed: str) -> Opened | None:
    """Return the feed whose secret has a hash; None if there is none, or its owner cannot sign in."""
    row = transaction.one(_BY_HASH, hash=hashed)
    return Opened(ROWS.shape.record(row[:-2], transaction), row[-2], row[-1]) if row else None


def remove_all(transaction: Transaction, user_id: int) -> None:
    """Delete all feeds of a user in the account."""
    transaction.run(_REMOVE_ALL, user_id=user_id)


def remove_everywhere(transaction: Transaction, user_id: int) -> None:
    """Delete all feeds of a user in every account."""
    transaction.run(_REMOVE_EVERYWHERE, user_id=user_id)
