"""Rows of deliveries to hooks."""

import json
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from skerry.database.database import Database
from skerry.database.rows import Shape, timestamp
from skerry.database.statements import OneOf, Statement, in_account, inline_literal, matching
from skerry.database.transactions import DAY, Transaction
from skerry.resources.sending import Attempt, Delivery
from skerry.store import accounts
from skerry.store.counts import counters
from skerry.store.sending.hooks import IS_REQUESTED, SCHEDULED
from skerry.store.tables import deliveries, hooks

KEPT_DAYS = 30
"""How long deliveries are kept."""

MAX_ATTEMPTS = 50
"""The maximum number of attempts that are kept for a delivery."""

# The stored form of no attempts.
_NONE = "[]"

_SOME = 1000

_SHAPE = Shape(
    Delivery,
    {
        column.name: column
        for column in deliveries.c
        if column.name not in ("account_id", "asked", "tried_at", "attempts")
    },
)


class Requested(NamedTuple):
    """A delivery that a user requested, or that has a schedule of its own; without an event it is a test."""

    id: int
    hook_id: int
    event: int | None
    message_id: str
    tries: int
    asked: int

    @property
    def is_scheduled(self) -> bool:
        """Return whether the delivery is retried by its own schedule, because it was refused alone."""
        return self.asked == SCHEDULED


_IN_ACCOUNT = in_account(deliveries)
_OF_HOOK = and_(_IN_ACCOUNT, deliveries.c.hook_id == bindparam("hook_id"))
_BY_KEY = and_(_OF_HOOK, deliveries.c.id == bindparam("delivery_id"))


class Filter(NamedTuple):
    """Which deliveries are listed: those with these values; None stands for any."""

    state: str | None
    event_type: str | None
    status: int | None
    ticket: int | None


def _like(name: str) -> ColumnElement[bool]:
    """Return the condition that a column has a wanted value, if any is wanted."""
    wanted = bindparam(f"wanted_{name}", type_=deliveries.c[name].type)
    return or_(wanted.is_(None), deliveries.c[name] == wanted)


_LISTED = and_(_OF_HOOK, *map(_like, Filter._fields))

_PAGE = Statement(
    select(*_SHAPE.columns)
    .where(_LISTED)
    .order_by(deliveries.c.id.desc())
    .limit(inline_literal("limit"))
    .offset(bindparam("offset"))
)
_COUNT = Statement(select(func.count()).where(_LISTED))
_ATTEMPTS = Statement(
    select(deliveries.c.id, deliveries.c.attempts).where(_OF_HOOK, OneOf(deliveries.c.id, "delivery_ids"))
)
_ONE = Statement(select(*_SHAPE.columns).where(_BY_KEY))
_INSERT = Statement(insert(deliveries))
_ASKED = case((deliveries.c.asked == SCHEDULED, SCHEDULED), else_=1)
_ASK = Statement(update(deliveries).where(_BY_KEY).values(asked=_ASKED, state="waiting", next_try_at=None))
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
    .join(hooks, matching(hooks, deliveries, id="hook_id"))
    .where(_IN_ACCOUNT, IS_REQUESTED, OneOf(deliveries.c.hook_id, "hook_ids"))
    .order_by(deliveries.c.hook_id, deliveries.c.id)
    .limit(inline_literal("limit"))
)
_DROP_REQUESTED = Statement(
    update(deliveries).where(_OF_HOOK, deliveries.c.asked == 1).values(asked=0, state="failed")
)
_TRIED = ("state", "asked", "status", "milliseconds", "request", "answer", "tried_at")
_NOTED = (*_TRIED, "delivered_at", "next_try_at")
_new_attempt = bindparam("attempt", type_=deliveries.c.attempts.type)
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
            "attempts": case(
                (deliveries.c.tries >= MAX_ATTEMPTS, deliveries.c.attempts),
                (deliveries.c.attempts == _NONE, _new_attempt),
                else_=deliveries.c.attempts.concat("\n").concat(_new_attempt),
            ),
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


def page(
    transaction: Transaction, hook_id: int, wanted: Filter, *, limit: int, offset: int
) -> list[Delivery]:
    """Return a page of the wanted deliveries to a hook, newest first."""
    return _SHAPE.all(transaction, _PAGE, hook_id=hook_id, limit=limit, offset=offset, **_values(wanted))


def count(transaction: Transaction, hook_id: int, wanted: Filter) -> int:
    """Return how many of the wanted deliveries to a hook are kept."""
    return int(transaction.value(_COUNT, hook_id=hook_id, **_values(wanted)))


def _values(wanted: Filter) -> dict[str, Any]:
    return {f"wanted_{name}": value for name, value in wanted._asdict().items()}


def attempts(transaction: Transaction, hook_id: int, delivery_ids: list[int]) -> dict[int, list[Attempt]]:
    """Return the first attempts of deliveries to a hook."""
    rows = transaction.all(_ATTEMPTS, hook_id=hook_id, delivery_ids=delivery_ids)
    return {row[0]: [_attempt(line) for line in row[1].splitlines() if line != _NONE] for row in rows}


def attempt_line(at: int, status: int | None, milliseconds: int | None, problem: str) -> str:
    """Return an attempt in its stored form."""
    return json.dumps([at, status, milliseconds, problem])


def _attempt(line: str) -> Attempt:
    at, status, milliseconds, problem = json.loads(line)
    return Attempt(at=timestamp(at), status=status, milliseconds=milliseconds, problem=problem)


def one(transaction: Transaction, hook_id: int, delivery_id: int) -> Delivery | None:
    """Return a delivery to a hook."""
    return _SHAPE.one(transaction, _ONE, hook_id=hook_id, delivery_id=delivery_id)


def add_test(transaction: Transaction, hook_id: int, project_id: int | None = None) -> int:
    """Request a test of a hook, and return the id of its delivery."""
    delivery_id = counters.next_id(transaction, "deliveries")
    values = {"event_type": "ping", "message_id": f"ping_{delivery_id}", "project_id": project_id}
    transaction.run(_INSERT, **new(transaction, delivery_id, hook_id, **values))
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
        "attempts": _NONE,
        "project_id": None,
        "ticket": None,
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
    return [
        Requested(*row)
        for row in transaction.all(_REQUESTED, hook_ids=hook_ids, limit=limit, now=transaction.now)
    ]


def drop_requested(transaction: Transaction, hook_id: int) -> None:
    """Mark the deliveries that a user requested as failed again."""
    transaction.run(_DROP_REQUESTED, hook_id=hook_id)


def add(transaction: Transaction, rows: list[dict[str, Any]]) -> range:
    """Add deliveries and return their ids."""
    if not rows:
        return range(0)
    ids = counters.next_ids(transaction, "deliveries", len(rows))
    transaction.run_many(
        _INSERT, [{**row, "id": delivery_id} for row, delivery_id in zip(rows, ids, strict=True)]
    )
    return ids


def note(transaction: Transaction, delivery_id: int, row: dict[str, Any]) -> bool:
    """Record another attempt of a delivery; return whether it exists and is for that message."""
    new = {f"new_{name}": row[name] for name in _NOTED} | {"attempt": row["attempts"]}
    return bool(transaction.changed(_NOTE, delivery_id=delivery_id, message_id=row["message_id"], **new))


def give_up(transaction: Transaction, hook_id: int, number: int) -> None:
    """Mark deliveries as failed that wait for a retry although the hook has passed their events."""
    transaction.run(_GIVE_UP, hook_id=hook_id, number=number)


def remove_old(database: Database) -> int:
    """Remove old deliveries of every account; return their number."""
    with database.read() as transaction:
        before, all_accounts = transaction.now - KEPT_DAYS * DAY, accounts.list_all(transaction)
    return sum(_forgotten(database, account.id, before) for account in all_accounts)


def _forgotten(database: Database, account_id: int, before: int) -> int:
    removed, some = 0, _SOME
    while some == _SOME:
        with database.write(account_id) as transaction:
            some = transaction.changed(_REMOVE_OLD, before=before, some=_SOME)
        removed += some
    return removed
