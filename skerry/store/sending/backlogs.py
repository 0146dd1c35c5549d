"""Backlogs of readers, hooks and mail, for one account and in total."""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import bindparam, case, func, select

from skerry.store.engine.statements import Statement, inline_literal
from skerry.store.engine.tables import counters, hooks, leases, mail_outages, mails
from skerry.store.engine.transactions import Transaction
from skerry.store.events.events import READ_BY, SET_ASIDE_BY

_read = counters.alias()
_BOTH = counters.join(_read, _read.c.account_id == counters.c.account_id)
_OF_READERS = (counters.c.name == "events", _read.c.name.startswith(READ_BY, autoescape=True))
_BEHIND = counters.c.value - _read.c.value

_HOOKED = hooks.join(counters, counters.c.account_id == hooks.c.account_id)
_WAITS = case((hooks.c.active == 1, counters.c.value - hooks.c.cursor), else_=0)

_READERS = Statement(
    select(_read.c.name, _BEHIND)
    .select_from(_BOTH)
    .where(counters.c.account_id == bindparam("account_id"), *_OF_READERS)
    .order_by(_read.c.name)
)

_SET_ASIDE = Statement(
    select(counters.c.name, counters.c.value)
    .where(
        counters.c.account_id == bindparam("account_id"),
        counters.c.name.startswith(SET_ASIDE_BY, autoescape=True),
    )
    .order_by(counters.c.name)
)


class Hook(NamedTuple):
    """A hook that is behind, failing or off; times are in microseconds."""

    id: int
    project_id: int | None
    note: str
    url: str
    active: int
    problem: str
    failing_since: int | None
    next_try_at: int | None
    waiting: int


_HOOKS = Statement(
    select(*(hooks.c[name] for name in Hook._fields[:-1]), _WAITS)
    .select_from(_HOOKED)
    .where(
        hooks.c.account_id == bindparam("account_id"),
        counters.c.name == "events",
        (hooks.c.active == 0) | hooks.c.failing_since.is_not(None) | (counters.c.value > hooks.c.cursor),
    )
    .order_by(hooks.c.active, hooks.c.failing_since, hooks.c.id)
    .limit(inline_literal("some"))
)

_READERS_EVERYWHERE = Statement(
    select(_read.c.name, func.sum(_BEHIND)).select_from(_BOTH).where(*_OF_READERS).group_by(_read.c.name),
    across_accounts=True,
)
_IS_FAILING = hooks.c.failing_since.is_not(None) & (hooks.c.active == 1)
_HOOKS_EVERYWHERE = Statement(
    select(
        func.coalesce(func.sum(hooks.c.active), 0),
        func.coalesce(func.sum(case((_IS_FAILING, 1), else_=0)), 0),
        func.coalesce(func.sum(1 - hooks.c.active), 0),
        func.coalesce(func.sum(_WAITS), 0),
    )
    .select_from(_HOOKED)
    .where(counters.c.name == "events"),
    across_accounts=True,
)
_MAILS_EVERYWHERE = Statement(
    select(func.count() - func.count(mails.c.set_aside_at), func.count(mails.c.set_aside_at)).select_from(
        mails
    ),
    across_accounts=True,
)
_OUTAGES = Statement(select(func.count()).select_from(mail_outages), across_accounts=True)
_PAUSED = Statement(
    select(func.count()).select_from(leases).where(leases.c.paused_at.is_not(None)), across_accounts=True
)


class Total(NamedTuple):
    """The backlogs of all accounts in total.

    ``readers`` has the number of unread events of each reader; ``hooks`` is the number of hooks that work,
    that are failing and that are off; ``outages`` and ``paused`` are numbers of accounts.
    """

    readers: Mapping[str, int]
    hooks: Mapping[str, int]
    hook_events: int
    mails: Mapping[str, int]
    outages: int
    paused: int


def readers(transaction: Transaction) -> dict[str, int]:
    """Return the number of unread events of the account for each reader, by its name."""
    return {name.removeprefix(READ_BY): int(count) for name, count in transaction.all(_READERS)}


def set_aside(transaction: Transaction) -> dict[str, int]:
    """Return the number of events of the account that each reader set aside, by its name."""
    return {name.removeprefix(SET_ASIDE_BY): int(count) for name, count in transaction.all(_SET_ASIDE)}


def waiting_hooks(transaction: Transaction, some: int) -> list[Hook]:
    """Return hooks of the account that are off, failing or behind, in this order."""
    return [Hook(*row) for row in transaction.all(_HOOKS, some=some)]


def total(transaction: Transaction) -> Total:
    """Return the backlogs of all accounts in total."""
    (active, failing, off, events), *_ = transaction.all(_HOOKS_EVERYWHERE)
    (waiting, refused), *_ = transaction.all(_MAILS_EVERYWHERE)
    return Total(
        {name.removeprefix(READ_BY): int(count) for name, count in transaction.all(_READERS_EVERYWHERE)},
        {"active": int(active) - int(failing), "failing": int(failing), "off": int(off)},
        int(events),
        {"waiting": int(waiting), "refused": int(refused)},
        int(transaction.value(_OUTAGES)),
        int(transaction.value(_PAUSED)),
    )
