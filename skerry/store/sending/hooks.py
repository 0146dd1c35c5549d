"""Rows of hooks."""

from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    SmallInteger,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from skerry.resources.sending.hooks import Hook
from skerry.store.counts import counters
from skerry.store.engine.rows import Shape
from skerry.store.engine.statements import OneOf, Statement
from skerry.store.engine.tables import counters as counter_table
from skerry.store.engine.tables import deliveries, hooks
from skerry.store.engine.transactions import Transaction

_HIDDEN = ("account_id", "secret", "old_secret", "old_secret_until", "cursor", "tries", "tried_since")
_SHAPE = Shape(
    Hook, {column.key: column for column in hooks.c if column.key not in (*_HIDDEN, "delivery_id")}
)


class Target(NamedTuple):
    """A hook as the sender sees it: its URL and events, its cursor, and its failures."""

    id: int
    project_id: int | None
    user_id: int
    url: str
    events: str
    query: str
    format: str
    active: int
    secret: str
    old_secret: str | None
    old_secret_until: int | None
    cursor: int
    tries: int
    tried_since: int | None
    delivery_id: int | None
    next_try_at: int | None
    failing_since: int | None
    problem: str


_IN_ACCOUNT = hooks.c.account_id == bindparam("account_id")


def _of(column: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition that a hook belongs to a project, or to the account if there is none."""
    return column.is_not_distinct_from(bindparam("project_id", type_=BigInteger))


_OWN = and_(_IN_ACCOUNT, _of(hooks.c.project_id))
_BY_KEY = and_(_OWN, hooks.c.id == bindparam("hook_id"))

_ALL = Statement(select(*_SHAPE.columns).where(_OWN).order_by(hooks.c.id))
_ONE = Statement(select(*_SHAPE.columns).where(_BY_KEY))
_LOCK = Statement(select(hooks.c.id).where(_BY_KEY).with_for_update())
_COUNT = Statement(select(func.count()).where(_OWN))
_INSERT = Statement(insert(hooks))
_FRESH = {
    "old_secret": None,
    "old_secret_until": None,
    "tries": 0,
    "tried_since": None,
    "delivery_id": None,
    "next_try_at": None,
    "failing_since": None,
    "problem": "",
}
_CHANGEABLE = ("url", "events", "query", "format", "active", "note", "updated_at")
_STATE = ("next_try_at", "failing_since", "problem")
# A pending retry becomes due at once, because the change may have fixed the problem.
_UPDATE = Statement(
    update(hooks)
    .where(_BY_KEY)
    .values(
        {
            **{name: bindparam(f"new_{name}", type_=hooks.c[name].type) for name in _CHANGEABLE},
            "next_try_at": None,
            "failing_since": None,
            "tried_since": None,
            "tries": 0,
            "problem": "",
        }
    )
)
_DELETE = Statement(delete(hooks).where(_BY_KEY))
_SECRET = Statement(select(hooks.c.secret).where(_BY_KEY))
_REPLACE_SECRET = Statement(
    update(hooks)
    .where(_BY_KEY)
    .values(
        secret=bindparam("new_secret"),
        old_secret=hooks.c.secret,
        old_secret_until=bindparam("until", type_=BigInteger),
        updated_at=bindparam("now", type_=BigInteger),
    )
)
_LAST_EVENT = Statement(
    select(counter_table.c.value).where(
        counter_table.c.account_id == bindparam("account_id"), counter_table.c.name == "events"
    )
)

_WAITING = Statement(
    select(hooks.c.account_id, hooks.c.id, hooks.c.cursor, counter_table.c.value)
    .join(counter_table, counter_table.c.account_id == hooks.c.account_id)
    .where(
        OneOf(hooks.c.account_id, "account_ids"),
        hooks.c.active == 1,
        func.coalesce(hooks.c.next_try_at, 0) <= bindparam("now", type_=BigInteger),
        counter_table.c.name == "events",
        counter_table.c.value > hooks.c.cursor,
    ),
    across_accounts=True,
)
_WITH_REQUESTS = Statement(
    select(deliveries.c.account_id, deliveries.c.hook_id)
    .where(OneOf(deliveries.c.account_id, "account_ids"), deliveries.c.asked == 1)
    .distinct(),
    across_accounts=True,
)
_TARGETS = Statement(
    select(*(hooks.c[name] for name in Target._fields)).where(_IN_ACCOUNT, OneOf(hooks.c.id, "hook_ids"))
)
_LOCK_SOME = Statement(
    select(hooks.c.id)
    .where(_IN_ACCOUNT, OneOf(hooks.c.id, "hook_ids"))
    .order_by(hooks.c.id)
    .with_for_update()
)
_SENT = ("cursor", "tries", "tried_since", "delivery_id", *_STATE)
# A hook that was turned off meanwhile stays off.
_NOTE = Statement(
    update(hooks)
    .where(_IN_ACCOUNT, hooks.c.id == bindparam("hook_id"))
    .values(
        {
            "active": case((bindparam("new_active", type_=SmallInteger) == 0, 0), else_=hooks.c.active),
            **{name: bindparam(f"new_{name}", type_=hooks.c[name].type) for name in _SENT},
        }
    )
)


def of_project(transaction: Transaction, project_id: int | None) -> list[Hook]:
    """Return the hooks of a project, or of the account itself, oldest first."""
    return _SHAPE.records(transaction.all(_ALL, project_id=project_id), transaction)


def one(transaction: Transaction, project_id: int | None, hook_id: int) -> Hook | None:
    """Return a hook of a project, or of the account itself."""
    row = transaction.one(_ONE, project_id=project_id, hook_id=hook_id)
    return _SHAPE.record(row, transaction) if row else None


def lock(transaction: Transaction, project_id: int | None, hook_id: int) -> None:
    """Lock a hook until the end of the transaction."""
    transaction.run(_LOCK, project_id=project_id, hook_id=hook_id)


def count(transaction: Transaction, project_id: int | None) -> int:
    """Return how many hooks a project has, or the account itself."""
    return int(transaction.value(_COUNT, project_id=project_id))


def add(transaction: Transaction, project_id: int | None, **values: Any) -> int:
    """Add a hook that begins with the next event, and return its id."""
    hook_id = counters.next_id(transaction, "hooks")
    transaction.run(
        _INSERT,
        id=hook_id,
        project_id=project_id,
        cursor=transaction.value(_LAST_EVENT) or 0,
        created_at=transaction.now,
        updated_at=transaction.now,
        **_FRESH,
        **values,
    )
    return hook_id


def change(transaction: Transaction, project_id: int | None, hook_id: int, **values: Any) -> None:
    """Set the values of a hook; its cursor stays."""
    new = {f"new_{name}": value for name, value in values.items()}
    transaction.run(_UPDATE, project_id=project_id, hook_id=hook_id, new_updated_at=transaction.now, **new)


def remove(transaction: Transaction, project_id: int | None, hook_id: int) -> bool:
    """Remove a hook with its deliveries; return whether it existed."""
    return bool(transaction.changed(_DELETE, project_id=project_id, hook_id=hook_id))


def replace_secret(
    transaction: Transaction, project_id: int | None, hook_id: int, secret: str, until: int
) -> None:
    """Replace the secret of a hook; the previous one is used beside it until a time."""
    transaction.run(
        _REPLACE_SECRET,
        project_id=project_id,
        hook_id=hook_id,
        new_secret=secret,
        until=until,
        now=transaction.now,
    )


class Due(NamedTuple):
    """A hook with unsent events: those after the ``cursor``, up to the ``last``."""

    account_id: int
    hook_id: int
    cursor: int
    last: int


def due(transaction: Transaction, account_ids: frozenset[int]) -> list[Due]:
    """Return the hooks of some accounts that have events to examine and are not in backoff."""
    rows = transaction.all(_WAITING, account_ids=sorted(account_ids), now=transaction.now)
    return [Due(*row) for row in rows]


def with_requests(transaction: Transaction, account_ids: frozenset[int]) -> list[tuple[int, int]]:
    """Return the account and id of hooks that have requested deliveries."""
    return [(row[0], row[1]) for row in transaction.all(_WITH_REQUESTS, account_ids=sorted(account_ids))]


def targets(transaction: Transaction, hook_ids: list[int]) -> list[Target]:
    """Return hooks of the account, regardless of their project, as the sender sees them."""
    return [Target(*row) for row in transaction.all(_TARGETS, hook_ids=hook_ids)]


def locked_ids(transaction: Transaction, hook_ids: list[int]) -> set[int]:
    """Lock some hooks until the end of the transaction; return the ids of those that exist."""
    return {row[0] for row in transaction.all(_LOCK_SOME, hook_ids=hook_ids)}


def note(transaction: Transaction, after: list[Target]) -> None:
    """Store the cursors and failures of hooks; this turns none of them on."""
    names = ("active", *_SENT)
    rows = [{"hook_id": each.id, **{f"new_{name}": getattr(each, name) for name in names}} for each in after]
    transaction.run_many(_NOTE, rows)
