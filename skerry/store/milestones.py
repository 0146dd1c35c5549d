"""Rows of milestones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, select, update

from skerry.database.statements import Statement, in_account, in_project, not_by_index
from skerry.database.transactions import DAY, Transaction
from skerry.resources.milestones import Milestone
from skerry.store import projects
from skerry.store.long_texts import LongTexts
from skerry.store.table_rows import Rows
from skerry.store.tables import milestones, tickets, users, versions
from skerry.store.tables import projects as project_table


@dataclass(frozen=True)
class MilestoneName:
    """The name of a milestone; ``due_on`` is in microseconds, None without a due date."""

    id: int
    title: str
    due_on: int | None
    closed: bool
    project_id: int


def _address(values: list[Any], place: Mapping[str, int], transaction: Transaction) -> None:
    project_id, milestone_id = values[place["project_id"]], values[place["id"]]
    values[place["url"]] = f"{transaction.base}/projects/{project_id}/milestones/{milestone_id}"


_IN_ACCOUNT = in_account(milestones)

# Names are joined, so that a renamed person is renamed everywhere.
_WITH_USERS = milestones.join(users, users.c.id == milestones.c.user_id)

ROWS = Rows(
    Milestone,
    milestones,
    hidden=("user_id",),
    columns={"user_name": users.c.name},
    source=_WITH_USERS,
    changes=("title", "goals", "goals_html", "due_on", "start_on"),
    finish=_address,
)

_TEXTS = LongTexts(Milestone, milestones, "id")

_KEYS = Statement(
    select(
        milestones.c.id,
        milestones.c.due_on,
        milestones.c.title,
        milestones.c.completed_at,
        milestones.c.project_id,
    ).where(_IN_ACCOUNT, milestones.c.project_id.in_(bindparam("project_ids", expanding=True)))
)

_WITH_BEGINNINGS = select(*_TEXTS.in_place_of(ROWS.shape.columns)).select_from(_WITH_USERS)
_SOME = Statement(
    _WITH_BEGINNINGS.where(
        _IN_ACCOUNT,
        not_by_index(milestones.c.project_id).in_(bindparam("project_ids", expanding=True)),
        milestones.c.id.in_(bindparam("milestone_ids", expanding=True)),
    )
)

# Others may use and count the milestone at the same time, but not remove it.
_EXISTS = Statement(select(milestones.c.id).where(ROWS.by_key).with_for_update(read=True, key_share=True))

_COMPLETE = Statement(
    update(milestones)
    .where(ROWS.by_key, milestones.c.completed_at.is_(None))
    .values(completed_at=bindparam("now"), updated_at=bindparam("now"))
)

_REOPEN = Statement(
    update(milestones)
    .where(ROWS.by_key, milestones.c.completed_at.is_not(None))
    .values(completed_at=None, updated_at=bindparam("now"))
)

_COUNT = Statement(
    update(milestones)
    .where(ROWS.by_key)
    .values(
        tickets_count=milestones.c.tickets_count + bindparam("tickets"),
        open_tickets_count=milestones.c.open_tickets_count + bindparam("open_tickets"),
        # Others would learn from the time that there are private tickets.
        updated_at=case((bindparam("silent") == 1, milestones.c.updated_at), else_=bindparam("now")),
    )
)


def _of_milestone(table: Any) -> ColumnElement[bool]:
    return and_(in_project(table), table.c.milestone_id == bindparam("old_milestone_id"))


def _emptied(table: Any) -> Statement:
    return Statement(update(table).where(_of_milestone(table)).values(milestone_id=None))


_LOCK_TICKETS = Statement(
    select(tickets.c.number).where(_of_milestone(tickets)).order_by(tickets.c.number).with_for_update()
)
_EMPTY_TICKETS = _emptied(tickets)
_EMPTY_VERSIONS = _emptied(versions)

_EMPTY_DEFAULT = Statement(
    update(project_table)
    .where(
        in_account(project_table),
        project_table.c.id == bindparam("project_id"),
        project_table.c.default_milestone_id == bindparam("old_milestone_id"),
    )
    .values(default_milestone_id=None)
)


def page(
    transaction: Transaction,
    project_ids: projects.SeenIds,
    *,
    limit: int,
    offset: int,
    closed: bool | None,
) -> tuple[list[Milestone], int]:
    """Return a page of the milestones of some projects, and their total number.

    They are sorted by due date and title, those without a date last. If only closed ones are requested, the
    last completed comes first. Long texts are shortened to the size of a response.
    """
    keys = [
        key
        for key in transaction.all(_KEYS, project_ids=project_ids)
        if closed is None or closed == (key[3] is not None)
    ]
    keys.sort(key=(lambda key: (-key[3], -key[0])) if closed else lambda key: order(*key[:3]))
    wanted = [key[0] for key in keys[offset : offset + limit]]
    rows = transaction.all(_SOME, project_ids=project_ids, milestone_ids=wanted)
    milestones_of_page = ROWS.shape.records(rows, transaction)
    by_id = {milestone.id: milestone for milestone in _TEXTS.fitted(transaction, milestones_of_page)}
    return [by_id[milestone_id] for milestone_id in wanted], len(keys)


def whole(transaction: Transaction, project_id: int) -> list[Milestone]:
    """Return all milestones of a project with all of their texts, in the order of ``page``."""
    keys = {row[0]: row for row in transaction.all(_KEYS, project_ids=[project_id])}
    return sorted(ROWS.all(transaction, project_id), key=lambda each: order(*keys[each.id][:3]))


def named(transaction: Transaction, project_id: int) -> list[MilestoneName]:
    """Return the names of the milestones of a project, in the order of ``page``."""
    return named_in(transaction, projects.SeenIds((project_id,)))


def named_in(transaction: Transaction, project_ids: projects.SeenIds) -> list[MilestoneName]:
    """Return the names of the milestones of some projects, in the order of ``page``."""
    keys = transaction.all(_KEYS, project_ids=project_ids)
    keys.sort(key=lambda row: order(*row[:3]))
    return [
        MilestoneName(row[0], row[2], row[1], closed=row[3] is not None, project_id=row[4]) for row in keys
    ]


def order(milestone_id: int, due_on: int | None, title: str) -> tuple[Any, ...]:
    """Return the sort key of milestones, which also decides which one is next."""
    # Sorted here, because the databases differ in the collation of texts, and PostgreSQL installations among
    # themselves; even long lists of milestones are short.
    return due_on is None, due_on or 0, title.casefold(), title, milestone_id


def is_ahead(due_on: int | None, now: int) -> bool:
    """Return whether a milestone is due on the day of a time in UTC, or later."""
    return due_on is not None and due_on >= now - now % DAY


def exists(transaction: Transaction, project_id: int, milestone_id: int) -> bool:
    """Return whether a project has a milestone, and lock it until the transaction ends."""
    return transaction.one(_EXISTS, project_id=project_id, row_id=milestone_id) is not None


def lock_with_tickets(transaction: Transaction, project_id: int, milestone_id: int) -> None:
    """Lock a milestone, its tickets and the project's own row until the transaction ends."""
    # In the order in which they are always locked, to prevent deadlocks.
    projects.lock(transaction, project_id)
    transaction.run(_LOCK_TICKETS, project_id=project_id, old_milestone_id=milestone_id)
    ROWS.lock(transaction, project_id, milestone_id)


def add(transaction: Transaction, project_id: int, **values: Any) -> int:
    """Add an open milestone without tickets and return its id."""
    counts = {"tickets_count": 0, "open_tickets_count": 0}
    return ROWS.insert(transaction, project_id, completed_at=None, **counts, **values)


def complete(transaction: Transaction, project_id: int, milestone_id: int) -> None:
    """Close a milestone; if it is closed already, its time stays."""
    transaction.run(_COMPLETE, project_id=project_id, row_id=milestone_id, now=transaction.now)


def reopen(transaction: Transaction, project_id: int, milestone_id: int) -> None:
    """Reopen a milestone, if it is closed."""
    transaction.run(_REOPEN, project_id=project_id, row_id=milestone_id, now=transaction.now)


def count(
    transaction: Transaction,
    project_id: int,
    milestone_id: int,
    *,
    tickets: int,
    open_tickets: int,
    silent: bool = False,
) -> None:
    """Add to a milestone's counters; a ``silent`` change does not change its time."""
    transaction.run(
        _COUNT,
        silent=int(silent),
        project_id=project_id,
        row_id=milestone_id,
        tickets=tickets,
        open_tickets=open_tickets,
        now=transaction.now,
    )


def remove(transaction: Transaction, project_id: int, milestone_id: int) -> bool:
    """Remove a milestone from its project, tickets and versions; return whether it still existed.

    The old values in versions stay.
    """
    old = {"project_id": project_id, "old_milestone_id": milestone_id}
    lock_with_tickets(transaction, project_id, milestone_id)
    for statement in (_EMPTY_TICKETS, _EMPTY_VERSIONS, _EMPTY_DEFAULT):
        transaction.run(statement, **old)
    return ROWS.delete(transaction, project_id, milestone_id)
