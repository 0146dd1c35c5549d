"""Backlogs of readers, hooks and mail, for one account and in total."""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import ColumnElement, ScalarSelect, and_, case, func, literal, or_, select

from skerry.database.statements import Statement, in_account, inline_literal
from skerry.database.transactions import Transaction
from skerry.store.events.events import READ_BY, SET_ASIDE_BY
from skerry.store.sending.hooks import NEVER_SENT, url_of
from skerry.store.tables import counters, events, hooks, leases, mail_outages, mails

_OF_READERS = counters.c.name.startswith(READ_BY, autoescape=True)


def _unread(condition: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return how many events of an account a reader has not read.

    They are counted, because the numbers of events have gaps: a restored account goes on far above.
    """
    return select(func.count()).where(condition, events.c.number > counters.c.value).scalar_subquery()


def _spaced(column: ColumnElement[str]) -> ColumnElement[str]:
    return literal(" ").concat(column).concat(" ")


_FOR_HOOK = and_(
    events.c.account_id == hooks.c.account_id,
    events.c.number > hooks.c.cursor,
    or_(hooks.c.project_id.is_(None), events.c.project_id == hooks.c.project_id),
    or_(
        and_(hooks.c.events == "*", and_(*(events.c.subject_kind != kind for kind in NEVER_SENT))),
        _spaced(hooks.c.events).contains(_spaced(events.c.type)),
        and_(
            or_(*(hooks.c.events.contains(name) for name in ("assigned", "closed", "commented"))),
            events.c.type == "ticket.updated",
        ),
    ),
)
_WAITING = hooks.outerjoin(events, and_(hooks.c.active == 1, _FOR_HOOK))
_WAITS = func.count(events.c.number)

_READERS = Statement(
    select(counters.c.name, _unread(in_account(events)))
    .where(in_account(counters), _OF_READERS)
    .order_by(counters.c.name),
    across_projects="administration",
)

_SET_ASIDE = Statement(
    select(counters.c.name, counters.c.value)
    .where(in_account(counters), counters.c.name.startswith(SET_ASIDE_BY, autoescape=True))
    .order_by(counters.c.name)
)


class HookBacklog(NamedTuple):
    """A hook that is behind, failing or turned off; times are in microseconds."""

    id: int
    project_id: int | None
    note: str
    url: str
    active: int
    problem: str
    failing_since: int | None
    next_try_at: int | None
    waiting: int


_STATE = tuple(hooks.c[name] for name in HookBacklog._fields[:-1])
_HOOKS = Statement(
    select(*_STATE, _WAITS)
    .select_from(_WAITING)
    .where(in_account(hooks))
    .group_by(*_STATE)
    .having((hooks.c.active == 0) | hooks.c.failing_since.is_not(None) | (_WAITS > 0))
    .order_by(hooks.c.active, hooks.c.failing_since, hooks.c.id)
    .limit(inline_literal("some")),
    across_projects="administration",
)

_READERS_EVERYWHERE = Statement(
    select(counters.c.name, func.sum(_unread(events.c.account_id == counters.c.account_id)))
    .where(_OF_READERS)
    .group_by(counters.c.name),
    across_accounts=True,
)
_IS_FAILING = hooks.c.failing_since.is_not(None) & (hooks.c.active == 1)
_HOOKS_EVERYWHERE = Statement(
    select(
        func.coalesce(func.sum(hooks.c.active), 0),
        func.coalesce(func.sum(case((_IS_FAILING, 1), else_=0)), 0),
        func.coalesce(func.sum(1 - hooks.c.active), 0),
    ),
    across_accounts=True,
)
_WAITING_EVERYWHERE = Statement(select(_WAITS).select_from(_WAITING), across_accounts=True)
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


def waiting_hooks(transaction: Transaction, some: int) -> list[HookBacklog]:
    """Return hooks of the account that are off, failing or behind, in this order."""
    rows = (HookBacklog(*row) for row in transaction.all(_HOOKS, some=some))
    return [row._replace(url=url_of(transaction, row.id, row.url)) for row in rows]


def total(transaction: Transaction) -> Total:
    """Return the backlogs of all accounts in total."""
    (active, failing, off), *_ = transaction.all(_HOOKS_EVERYWHERE)
    (waiting, refused), *_ = transaction.all(_MAILS_EVERYWHERE)
    return Total(
        {name.removeprefix(READ_BY): int(count) for name, count in transaction.all(_READERS_EVERYWHERE)},
        {"active": int(active) - int(failing), "failing": int(failing), "off": int(off)},
        int(transaction.value(_WAITING_EVERYWHERE)),
        {"waiting": int(waiting), "refused": int(refused)},
        int(transaction.value(_OUTAGES)),
        int(transaction.value(_PAUSED)),
    )
