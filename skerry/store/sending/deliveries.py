"""Rows of deliveries to hooks."""

from typing import Any, NamedTuple

from sqlalchemy import BigInteger, and_, bindparam, delete, func, insert, select, update

from skerry.resources.sending.hooks import Delivery
from skerry.store import accounts
from skerry.store.counts import counters
from skerry.store.engine.database import Database
from skerry.store.engine.rows import Shape
from skerry.store.engine.statements import OneOf, Statement, inline_literal
from skerry.store.engine.tables import deliveries
from skerry.store.engine.transactions import DAY, Transaction

KEPT_DAYS = 30
"""How long deliveries are kept."""

_SOME = 1000

_SHAPE = Shape(
    Delivery,
    {
        column.name: column
        for column in deliveries.c
        if column.name not in ("account_id", "asked", "tried_at")
    },
)


class Requested(NamedTuple):
    """A delivery that a user requested; without an event it is a test."""

    id: int
    hook_id: int
    event: int | None
    message_id: str
    tries: int


_IN_ACCOUNT = deliveries.c.account_id == bindparam("account_id")
_OF_HOOK = and_(_IN_ACCOUNT, deliveries.c.hook_id == bindparam("hook_id"))
_BY_KEY = and_(_OF_HOOK, deliveries.c.id == bindparam("delivery_id"))

_PAGE = Statement(
    select(*_SHAPE.columns)
    .where(_OF_HOOK)
    .order_by(deliveries.c.id.desc())
    .limit(inline_literal("limit"))
    .offset(bindparam("offset"))
)
_COUNT = Statement(select(func.count()).where(_OF_HOOK))
_ONE = Statement(select(*_SHAPE.columns).where(_BY_KEY))
_INSERT = Statement(insert(deliveries))
_ASK = Statement(update(deliveries).where(_BY_KEY).values(asked=1, state="waiting"))
_ASK_SINCE = Statement(
    update(deliveries)
    .where(
        _OF_HOOK,
        deliveries.c.state == "failed",
        deliveries.c.tried_at >= bindparam("since", type_=BigInteger),
    )
    .values(asked=1, state="waiting")
)
_REQUESTED = Statement(
    select(*(deliveries.c[name] for name in Requested._fields))
    .where(_IN_ACCOUNT, deliveries.c.asked == 1, OneOf(deliveries.c.hook_id, "hook_ids"))
    .order_by(deliveries.c.hook_id, deliveries.c.id)
    .limit(inline_literal("limit"))
)
_DROP_REQUESTED = Statement(
    update(deliveries).where(_OF_HOOK, deliveries.c.asked == 1).values(asked=0, state="failed")
)
_TRIED = ("state", "asked", "status", "milliseconds", "request", "answer", "tried_at")
_NOTED = (*_TRIED, "delivered_at", "next_try_at")
_NOTE = Statement(
    update(deliveries)
    .where(
        _IN_ACCOUNT,
        deliveries.c.id == bindparam("delivery_id"),
        deliveries.c.message_id == bindparam("message_id"),
    )
    .values(
        {
            "tries": deliveries.c.tries + 1,
            **{name: bindparam(f"new_{name}", type_=deliveries.c[name].type) for name in _NOTED},
        }
    )
)
_GIVE_UP = Statement(
    update(deliveries)
    .where(
        _OF_HOOK,
        deliveries.c.state == "waiting",
        deliveries.c.asked == 0,
        deliveries.c.event <= bindparam("number"),
    )
    .values(state="failed", next_try_at=None)
)
_REMOVE_OLD = Statement(
    delete(deliveries).where(
        _IN_ACCOUNT,
        deliveries.c.created_at < bindparam("before"),
        deliveries.c.id.in_(
            select(deliveries.c.id).where(_IN_ACCOUNT).order_by(deliveries.c.id).limit(inline_literal("some"))
        ),
    )
)


def page(transaction: Transaction, hook_id: int, *, limit: int, offset: int) -> list[Delivery]:
    """Return a page of the deliveries to a hook, newest first."""
    return _SHAPE.records(transaction.all(_PAGE, hook_id=hook_id, limit=limit, offset=offset), transaction)


def count(transaction: Transaction, hook_id: int) -> int:
    """Return how many deliveries to a hook are kept."""
    return int(transaction.value(_COUNT, hook_id=hook_id))


def one(transaction: Transaction, hook_id: int, delivery_id: int) -> Delivery | None:
    """Return a delivery to a hook."""
    row = transaction.one(_ONE, hook_id=hook_id, delivery_id=delivery_id)
    return _SHAPE.record(row, transaction) if row else None


def add_test(transaction: Transaction, hook_id: int) -> int:
    """Request a test of a hook, and return the id of its delivery."""
    delivery_id = counters.next_id(transaction, "deliveries")
    transaction.run(
        _INSERT,
        **new(transaction, delivery_id, hook_id, event_type="ping", message_id=f"ping_{delivery_id}"),
    )
    return delivery_id


def new(transaction: Transaction, delivery_id: int, hook_id: int, **values: Any) -> dict[str, Any]:
    """Return the row of a new delivery that has not been tried."""
    return {
        "id": delivery_id,
        "hook_id": hook_id,
        "event": None,
        "state": "waiting",
        "asked": 1,
        "status": None,
        "tries": 0,
        "milliseconds": None,
        "request": "",
        "answer": "",
        "created_at": transaction.now,
        "tried_at": None,
        "delivered_at": None,
        "next_try_at": None,
        **values,
    }


def request_redelivery(transaction: Transaction, hook_id: int, delivery_id: int) -> None:
    """Request a redelivery."""
    transaction.run(_ASK, hook_id=hook_id, delivery_id=delivery_id)


def request_failed_since(transaction: Transaction, hook_id: int, since: int) -> int:
    """Request redelivery of everything that failed since a given time; return the number."""
    return transaction.changed(_ASK_SINCE, hook_id=hook_id, since=since)


def requested(transaction: Transaction, hook_ids: list[int], limit: int) -> list[Requested]:
    """Return the first requested deliveries of the given hooks."""
    return [Requested(*row) for row in transaction.all(_REQUESTED, hook_ids=hook_ids, limit=limit)]


def drop_requested(transaction: Transaction, hook_id: int) -> None:
    """Mark all requested deliveries as failed again."""
    transaction.run(_DROP_REQUESTED, hook_id=hook_id)


def add(transaction: Transaction, rows: list[dict[str, Any]]) -> range:
    """Add deliveries and return their ids."""
    ids = counters.next_ids(transaction, "deliveries", len(rows))
    transaction.run_many(
        _INSERT, [{**row, "id": delivery_id} for row, delivery_id in zip(rows, ids, strict=True)]
    )
    return ids


def note(transaction: Transaction, delivery_id: int, row: dict[str, Any]) -> bool:
    """Record another attempt of a delivery; return whether it exists and is for that message."""
    new = {f"new_{name}": row[name] for name in _NOTED}
    return bool(transaction.changed(_NOTE, delivery_id=delivery_id, message_id=row["message_id"], **new))


def give_up(transaction: Transaction, hook_id: int, number: int) -> None:
    """Mark deliveries as failed that wait for a retry although the hook has passed their events."""
    transaction.run(_GIVE_UP, hook_id=hook_id, number=number)


def remove_old(database: Database) -> int:
    """Remove old deliveries of every account; return their number."""
    with database.read() as transaction:
        before, found = transaction.now - KEPT_DAYS * DAY, accounts.list_all(transaction)
    return sum(_forgotten(database, account.id, before) for account in found)


def _forgotten(database: Database, account_id: int, before: int) -> int:
    removed, some = 0, _SOME
    while some == _SOME:
        with database.write(account_id) as transaction:
            some = transaction.changed(_REMOVE_OLD, before=before, some=_SOME)
        removed += some
    return removed
