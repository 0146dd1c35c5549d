"""The first response for each idempotency key, stored for a day."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, insert, select

from skerry.database.database import Database
from skerry.database.statements import Statement, in_account, inline_literal
from skerry.database.transactions import DAY, Transaction
from skerry.store.tables import repeats

FEW, SOME = 10, 100
"""How many old responses a request deletes, and how many the clean-up deletes per transaction.

There may be many, and writers should not wait until all of them are gone.
"""


@dataclass(frozen=True)
class StoredResponse:
    """The response to a request; ``fingerprint`` distinguishes the request from others with the same key."""

    fingerprint: str
    status: str
    content_type: str
    location: str | None
    body: str


_COLUMNS = ("fingerprint", "status", "content_type", "location", "body")
_IN_ACCOUNT = in_account(repeats)

_FIND = Statement(
    select(*(repeats.c[name] for name in _COLUMNS)).where(
        _IN_ACCOUNT,
        repeats.c.user_id == bindparam("user_id"),
        repeats.c.key == bindparam("key"),
        repeats.c.created_at > bindparam("since"),
    )
)

_OLD = repeats.c.created_at <= bindparam("since")

_FORGET_KEY = Statement(
    delete(repeats).where(
        _IN_ACCOUNT, repeats.c.user_id == bindparam("user_id"), repeats.c.key == bindparam("key"), _OLD
    )
)

# Selected by time: if selected by key, SQLite would scan all rows of a user.
_FORGET_SOME = Statement(
    delete(repeats).where(
        _IN_ACCOUNT,
        repeats.c.created_at.in_(
            select(repeats.c.created_at)
            .where(_IN_ACCOUNT, _OLD)
            .order_by(repeats.c.created_at)
            .limit(inline_literal("some"))
        ),
    )
)

_WITH_OLD = Statement(select(repeats.c.account_id).where(_OLD).distinct(), across_accounts=True)

_KEEP = Statement(insert(repeats))


def find(transaction: Transaction, user_id: int, key: str) -> StoredResponse | None:
    """Return the stored response to a user's request with a key, if it is less than a day old."""
    row = transaction.one(_FIND, user_id=user_id, key=key, since=transaction.now - DAY)
    return StoredResponse(*row) if row else None


def keep(transaction: Transaction, user_id: int, key: str, kept: StoredResponse, timestamp: int) -> None:
    """Store the response to a request for a day, and remove some older ones.

    Raises SerializationFailure if another request with the key is stored at the same time.
    """
    transaction.run(_FORGET_KEY, user_id=user_id, key=key, since=timestamp - DAY)
    transaction.run(_FORGET_SOME, since=timestamp - DAY, some=FEW)
    transaction.run(_KEEP, user_id=user_id, key=key, created_at=timestamp, **kept.__dict__)


def remove_old(database: Database) -> int:
    """Remove the responses of every account that are older than a day; return their number.

    They are removed in batches, so that other writers get their turn.
    """
    with database.read() as transaction:
        since = transaction.now - DAY
        accounts = [account_id for (account_id,) in transaction.all(_WITH_OLD, since=since)]
    return sum(some for account_id in accounts for some in _forgotten(database, account_id, since))


def _forgotten(database: Database, account_id: int, since: int) -> Iterator[int]:
    some = SOME
    while some >= SOME:
        with database.write(account_id) as transaction:
            some = transaction.changed(_FORGET_SOME, since=since, some=SOME)
        yield some
