"""Rows of hooks."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, SmallInteger, and_, bindparam, case, func, or_, select, update

from skerry.database.statements import OneOf, Statement, in_account, matching
from skerry.database.transactions import Transaction
from skerry.errors import SecretUnreadable
from skerry.resources.sending import Hook
from skerry.sealing.key_ring import KeyRing
from skerry.store import sealed_columns
from skerry.store.sealed_columns import HOOKS
from skerry.store.table_rows import Rows
from skerry.store.tables import counters as counter_table
from skerry.store.tables import deliveries, hooks

_HIDDEN = (
    *("secret", "old_secret", "old_secret_until"),
    *("cursor", "tries", "refusals", "outage_since", "delivery_id"),
)
NEVER_SENT = ("feed", "forge", "hook", "password", "sending", "token")
"""The kinds of subjects whose events no hook receives: credentials, hooks and private resources."""


class Target(NamedTuple):
    """A hook as the sender sees it: its sealed URL, its events, its cursor, and its failures."""

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
    refusals: int
    outage_since: int | None
    delivery_id: int | None
    next_try_at: int | None
    failing_since: int | None
    problem: str
    versions: str


_IN_ACCOUNT = in_account(hooks)

_STATE = ("next_try_at", "failing_since", "problem")
# With an update, a pending retry becomes due at once, because the change may have fixed the problem.
_RETRIED = {
    "next_try_at": None,
    "failing_since": None,
    "outage_since": None,
    "refusals": 0,
    "tries": 0,
    "problem": "",
}
_FRESH = {**_RETRIED, "old_secret": None, "old_secret_until": None, "delivery_id": None}


def _open_url(values: list[Any], place: Mapping[str, int], transaction: Transaction) -> None:
    """Decrypt the URL, which is empty if it cannot be read."""
    values[place["url"]] = url_of(transaction, values[place["id"]], values[place["url"]])


def url_of(transaction: Transaction, hook_id: int, stored: str) -> str:
    """Return the URL of a hook, which may be a credential; empty if it cannot be read."""
    return sealed_columns.readable(transaction, stored, HOOKS.place("url", transaction.account_id, hook_id))


ROWS = Rows(
    Hook,
    hooks,
    hidden=_HIDDEN,
    changes=("url", "events", "query", "format", "active", "note", "versions"),
    resets=_RETRIED,
    sealed=("url", "secret"),
    finish=_open_url,
)

_REPLACE_URL = Statement(
    update(hooks).where(_IN_ACCOUNT, hooks.c.id == bindparam("hook_id")).values(url=bindparam("new_url"))
)

_REPLACE_SECRET = Statement(
    update(hooks)
    .where(ROWS.by_key)
    .values(
        secret=bindparam("new_secret"),
        old_secret=bindparam("previous"),
        old_secret_until=bindparam("until", type_=BigInteger),
        updated_at=bindparam("now", type_=BigInteger),
    )
)
_SECRET = Statement(select(hooks.c.secret).where(ROWS.by_key))
_LAST_EVENT = Statement(
    select(counter_table.c.value).where(in_account(counter_table), counter_table.c.name == "events")
)

_now = bindparam("now", type_=BigInteger)
_IS_DUE = func.coalesce(hooks.c.next_try_at, 0) <= _now
# The next event shows whether a receiver that refused the only one refuses everything.
_IS_DOUBTFUL = and_(hooks.c.refusals >= bindparam("refusals"), hooks.c.outage_since.is_(None))
_WAITING = Statement(
    select(hooks.c.account_id, hooks.c.id, counter_table.c.value, case((_IS_DUE, 0), else_=1))
    .join(counter_table, counter_table.c.account_id == hooks.c.account_id)
    .where(
        OneOf(hooks.c.account_id, "account_ids"),
        hooks.c.active == 1,
        _IS_DUE | _IS_DOUBTFUL,
        counter_table.c.name == "events",
        counter_table.c.value > hooks.c.cursor,
    ),
    across_accounts=True,
)
SCHEDULED = 2
"""The value of ``asked`` for a delivery that is retried by its own schedule."""

IS_REQUESTED = or_(
    deliveries.c.asked == 1,
    and_(
        deliveries.c.asked == SCHEDULED,
        hooks.c.active == 1,
        func.coalesce(deliveries.c.next_try_at, 0) <= _now,
    ),
)
"""Whether a delivery is to be sent now because somebody asked, or by its own schedule."""

_WITH_REQUESTS = Statement(
    select(deliveries.c.account_id, deliveries.c.hook_id)
    .join(hooks, matching(hooks, deliveries, id="hook_id"))
    .where(OneOf(deliveries.c.account_id, "account_ids"), IS_REQUESTED)
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
_SENT = ("cursor", "tries", "refusals", "outage_since", "delivery_id", *_STATE)
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


def add(transaction: Transaction, project_id: int | None, **values: Any) -> int:
    """Add a hook that begins with the next event, and return its id."""
    fresh = {**_FRESH, "versions": "all", "cursor": transaction.value(_LAST_EVENT) or 0}
    return ROWS.insert(transaction, project_id, **{**fresh, **values})


def replace_secret(
    transaction: Transaction, project_id: int | None, hook_id: int, secret: str, until: int
) -> None:
    """Replace the secret of a hook; the previous one is used beside it until a time, if it can be read."""
    row, stored = (transaction.account_id, hook_id), None
    with suppress(SecretUnreadable):
        kept = transaction.value(_SECRET, project_id=project_id, row_id=hook_id)
        stored = sealed_columns.unseal(transaction, kept, HOOKS.place("secret", *row))
    old_place = HOOKS.place("old_secret", *row)
    transaction.run(
        _REPLACE_SECRET,
        project_id=project_id,
        row_id=hook_id,
        new_secret=sealed_columns.seal(transaction, secret, HOOKS.place("secret", *row)),
        previous=stored and sealed_columns.seal(transaction, stored, old_place),
        until=until,
        now=transaction.now,
    )


def give_up_url(transaction: Transaction, hook_id: int) -> None:
    """Replace the URL of a hook that cannot be read by an empty one."""
    place = HOOKS.place("url", transaction.account_id, hook_id)
    transaction.run(_REPLACE_URL, hook_id=hook_id, new_url=sealed_columns.seal(transaction, "", place))


def address(keys: KeyRing, account_id: int, target: Target) -> str:
    """Return the URL of a hook; raises SecretUnreadable."""
    return keys.unseal(target.url, HOOKS.place("url", account_id, target.id))


def signing_secrets(keys: KeyRing, account_id: int, target: Target, now: int) -> list[str]:
    """Return the secrets that sign deliveries of a hook at a time; raises SecretUnreadable."""
    secrets = [keys.unseal(target.secret, HOOKS.place("secret", account_id, target.id))]
    if target.old_secret and now < (target.old_secret_until or 0):
        secrets.append(keys.unseal(target.old_secret, HOOKS.place("old_secret", account_id, target.id)))
    return secrets


class Due(NamedTuple):
    """A hook with unsent events up to the ``last``; a doubtful one waits for another event."""

    account_id: int
    hook_id: int
    last: int
    is_doubtful: int


def due(transaction: Transaction, account_ids: frozenset[int], refusals: int) -> list[Due]:
    """Return the hooks of some accounts that have events to examine and are not in backoff.

    Those whose only event was refused ``refusals`` times are among them.
    """
    rows = transaction.all(_WAITING, account_ids=sorted(account_ids), now=transaction.now, refusals=refusals)
    return [Due(*row) for row in rows]


def with_requests(transaction: Transaction, account_ids: frozenset[int]) -> list[tuple[int, int]]:
    """Return the account and id of hooks that have requested deliveries."""
    rows = transaction.all(_WITH_REQUESTS, account_ids=sorted(account_ids), now=transaction.now)
    return [(row[0], row[1]) for row in rows]


def targets(transaction: Transaction, hook_ids: list[int]) -> list[Target]:
    """Return hooks of the account, regardless of their project, as the sender sees them."""
    return [Target(*row) for row in transaction.all(_TARGETS, hook_ids=hook_ids)]


def locked_ids(transaction: Transaction, hook_ids: list[int]) -> set[int]:
    """Lock some hooks until the end of the transaction; return the ids of those that exist."""
    return {row[0] for row in transaction.all(_LOCK_SOME, hook_ids=hook_ids)}


def note(transaction: Transaction, after: list[Target]) -> None:
    """Store the cursors and failures of hooks; a hook that is turned off stays off."""
    names = ("active", *_SENT)
    rows = [{"hook_id": each.id, **{f"new_{name}": getattr(each, name) for name in names}} for each in after]
    transaction.run_many(_NOTE, rows)
