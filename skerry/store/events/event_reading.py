"""Reading of events in the order of their numbers, and of the facts that decide who may see them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, Table, bindparam, or_, select

from skerry.database.statements import OneOf, Statement, in_account, inline_literal
from skerry.database.transactions import Transaction
from skerry.store import projects as project_store
from skerry.store.events.decoding import StoredEvent, decode
from skerry.store.events.events import FORGOTTEN
from skerry.store.projects import Visibility
from skerry.store.tables import (
    bins,
    bulk_edits,
    changesets,
    counters,
    events,
    messages,
    milestones,
    project_members,
    projects,
    ticket_templates,
    tickets,
    users,
)


class EventRange(NamedTuple):
    """The range of an account's event numbers: the last one, and the last one that has been deleted."""

    last: int
    forgotten: int


class EventWithActor(NamedTuple):
    """An event and the name of its actor."""

    event: StoredEvent
    user_name: str | None


_IN_ACCOUNT = in_account(events)
_COLUMNS = [events.c[name] for name in StoredEvent._fields]


def _following(*condition: ColumnElement[bool]) -> Select[Any]:
    return (
        select(*_COLUMNS, users.c.name)
        .select_from(events.outerjoin(users, users.c.id == events.c.user_id))
        .where(_IN_ACCOUNT, events.c.number > bindparam("after"), *condition)
        .order_by(events.c.number)
        .limit(inline_literal("some"))
    )


_OF_ACCOUNT = Statement(_following(), across_projects="checked")
_IS_VISIBLE = or_(events.c.project_id.is_(None), events.c.project_id.in_(project_store.VISIBLE_IDS))
_OF_VISIBLE = Statement(_following(_IS_VISIBLE))
_OF_PROJECT = Statement(_following(events.c.project_id == bindparam("project_id")))

_THOSE = Statement(
    select(*_COLUMNS, users.c.name)
    .select_from(events.outerjoin(users, users.c.id == events.c.user_id))
    .where(_IN_ACCOUNT, OneOf(events.c.number, "numbers")),
    across_projects="checked",
)

_REACH = Statement(
    select(counters.c.name, counters.c.value).where(
        in_account(counters), counters.c.name.in_(("events", FORGOTTEN))
    )
)

_LAST_OF_ACCOUNTS = Statement(
    select(counters.c.account_id, counters.c.value).where(
        OneOf(counters.c.account_id, "account_ids"), counters.c.name == "events"
    ),
    across_accounts=True,
)


def event_range(transaction: Transaction) -> EventRange:
    """Return the range of the account's events."""
    reached: dict[str, int] = dict(transaction.all(_REACH))
    return EventRange(reached.get("events", 0), reached.get(FORGOTTEN, 0))


def last_numbers(transaction: Transaction, account_ids: Sequence[int]) -> dict[int, int]:
    """Return the number of the last event of each of the accounts."""
    return dict(transaction.all(_LAST_OF_ACCOUNTS, account_ids=list(account_ids)))


def of_account(transaction: Transaction, after: int, some: int) -> list[EventWithActor]:
    """Return the next events of the account, regardless of who may see them."""
    return _named(transaction, transaction.all(_OF_ACCOUNT, after=after, some=some))


def of_visible(
    transaction: Transaction, visibility: Visibility, after: int, some: int
) -> list[EventWithActor]:
    """Return the next events in the projects visible to a user, and of the account itself."""
    return _named(transaction, transaction.all(_OF_VISIBLE, after=after, some=some, **visibility._asdict()))


def of_project(transaction: Transaction, project_id: int, after: int, some: int) -> list[EventWithActor]:
    """Return the next events of a project."""
    return _named(transaction, transaction.all(_OF_PROJECT, project_id=project_id, after=after, some=some))


def with_numbers(transaction: Transaction, numbers: Sequence[int]) -> list[EventWithActor]:
    """Return the events with the given numbers that still exist, regardless of who may see them."""
    return _named(transaction, transaction.all(_THOSE, numbers=list(numbers)))


def _named(transaction: Transaction, rows: Iterable[Sequence[Any]]) -> list[EventWithActor]:
    return [EventWithActor(decode(transaction, row[:-1]), row[-1]) for row in rows]


def _present(table: Table, key: str, *more: str) -> Statement:
    """Select the subjects that still exist: their project, key and more."""
    return Statement(
        select(*(table.c[name] for name in ("project_id", key, *more))).where(
            in_account(table), OneOf(table.c.project_id, "project_ids"), OneOf(table.c[key], "keys")
        )
    )


_PRESENT: Mapping[str, Statement] = {
    "ticket": _present(tickets, "number", "creator_id", "assigned_user_id"),
    "message": _present(messages, "id", "parent_id"),
    "milestone": _present(milestones, "id"),
    "changeset": _present(changesets, "revision"),
    "bin": _present(bins, "id", "shared", "user_id"),
    "template": _present(ticket_templates, "id"),
    "bulk_edit": _present(bulk_edits, "id", "moved_to"),
    "member": _present(project_members, "user_id"),
}

_BINS_OF_ACCOUNT = Statement(
    select(*(bins.c[name] for name in ("project_id", "id", "shared", "user_id"))).where(
        in_account(bins), bins.c.project_id.is_(None), OneOf(bins.c.id, "keys")
    )
)

_PROJECTS = Statement(
    select(projects.c.id, projects.c.public).where(in_account(projects), OneOf(projects.c.id, "project_ids"))
)


def present(
    transaction: Transaction, kind: str, project_ids: Iterable[int], keys: Iterable[int | str]
) -> dict[tuple[int, int | str], Sequence[Any]]:
    """Return the existing subjects of a kind, by project and key, with the other columns.

    The project of what belongs to the account itself is 0.
    """
    statement = _PRESENT.get(kind)
    if statement is None:
        return {}
    named = list(keys)
    rows = transaction.all(statement, project_ids=sorted(project_ids), keys=named)
    if kind == "bin":
        rows = [*rows, *transaction.all(_BINS_OF_ACCOUNT, keys=named)]
    return {(row[0] or 0, row[1]): row[2:] for row in rows}


def public(transaction: Transaction, project_ids: Iterable[int]) -> dict[int, bool]:
    """Return which of the projects exist, and whether they are public."""
    return {row[0]: bool(row[1]) for row in transaction.all(_PROJECTS, project_ids=sorted(project_ids))}


def members(
    transaction: Transaction, project_ids: Iterable[int], user_ids: Iterable[int]
) -> set[tuple[int, int]]:
    """Return the memberships among the given people and projects."""
    rows = transaction.all(_PRESENT["member"], project_ids=sorted(project_ids), keys=sorted(user_ids))
    return {(row[0], row[1]) for row in rows}
