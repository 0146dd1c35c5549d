"""Rows of projects."""

from dataclasses import dataclass
from typing import Any, NamedTuple, NewType

from sqlalchemy import bindparam, case, func, insert, or_, select, update
from sqlalchemy.sql import ColumnElement

from skerry.database.rows import Shape
from skerry.database.statements import Statement, in_account, in_project, insert_into, matching
from skerry.database.transactions import Transaction
from skerry.resources.projects import Project
from skerry.store import private_tickets
from skerry.store.counts import counters
from skerry.store.long_texts import LongTexts
from skerry.store.tables import project_counters, project_members, projects
from skerry.text.project_words import NamedProject


@dataclass(frozen=True)
class VisibleProject:
    """A project, whether the caller is a member of it, and how many tickets it has.

    ``hides_any`` says whether there may be private tickets, here or elsewhere, that the caller must not see.
    """

    project: Project
    member: bool
    tickets_count: int
    hides_any: bool


class Visibility(NamedTuple):
    """The caller, 0 if anonymous; whether they see ``everything``; the ``only`` project, 0 for any.

    With NULL for anonymous callers, the planner would drop the join with the members, and with it the
    account.
    """

    user_id: int = 0
    everything: int = 0
    only: int = 0


SeenIds = NewType("SeenIds", tuple[int, ...])
"""The ids of projects that a caller sees, as ``tracker/access.py`` finds them."""

_NOW = bindparam("now", type_=projects.c.updated_at.type)
LATER = case((projects.c.updated_at < _NOW, _NOW), else_=projects.c.updated_at + 1)
"""The time of a change of a project, later each time regardless of the clock.

Cached tickets are identified by it.
"""

IN_ACCOUNT = in_account(projects)
WITH_COUNTS = projects.join(project_counters, matching(project_counters, projects, project_id="id"))
_WITH_MEMBER = WITH_COUNTS.outerjoin(
    project_members,
    matching(project_members, projects, project_id="id")
    & (project_members.c.user_id == bindparam("user_id")),
)

# Settings that are not part of a project as clients see it.
_ASIDE = ("account_id", "mail_from_anyone")
_STORED = {column.name: column for column in projects.c if column.name not in _ASIDE}
_SHAPE = Shape(Project, {**_STORED, "open_tickets_count": project_counters.c.open_tickets_count})
_TEXTS = LongTexts(Project, projects, "id", where=IN_ACCOUNT, keys="project_ids")
_BEGINNINGS = _TEXTS.in_place_of(_SHAPE.columns)


def _visible(as_member: ColumnElement[bool]) -> tuple[ColumnElement[bool], ...]:
    """Return the condition on projects visible to a user: all, or public ones and their own."""
    return (
        or_(bindparam("everything") == 1, projects.c.public == 1, as_member),
        or_(bindparam("only") == 0, projects.c.id == bindparam("only")),
    )


_ONE = Statement(
    select(*_SHAPE.columns)
    .select_from(WITH_COUNTS)
    .where(IN_ACCOUNT, projects.c.id == bindparam("project_id"))
)

_SEEN_ONE = Statement(
    select(
        *_BEGINNINGS,
        private_tickets.HIDES_ANY,
        project_counters.c.tickets_count,
        project_members.c.user_id.label("member"),
    )
    .select_from(_WITH_MEMBER)
    .where(
        IN_ACCOUNT,
        projects.c.id == bindparam("project_id"),
        *_visible(project_members.c.user_id.is_not(None)),
    )
)

# PostgreSQL would plan a join for few projects, and scan all of a person's projects for each.
_own = select(project_members.c.project_id).where(
    in_account(project_members), project_members.c.user_id == bindparam("user_id")
)
VISIBLE = (IN_ACCOUNT, *_visible(projects.c.id.in_(_own)))

_SEEN = Statement(select(*_BEGINNINGS).select_from(WITH_COUNTS).where(*VISIBLE))

_SEEN_NAMES = Statement(select(projects.c.id, projects.c.name, projects.c.permalink).where(*VISIBLE))

_FIRST_NAMES = Statement(
    select(projects.c.id, projects.c.name, projects.c.permalink)
    .select_from(WITH_COUNTS)
    .where(*VISIBLE, projects.c.archived == 0)
    .order_by(func.lower(projects.c.name), projects.c.id)
    .limit(bindparam("at_most"))
)

_ALL = Statement(select(*_SHAPE.columns).select_from(WITH_COUNTS).where(IN_ACCOUNT), across_projects="upkeep")

VISIBLE_IDS = select(projects.c.id).select_from(WITH_COUNTS).where(*VISIBLE)

_SEEN_IDS = Statement(VISIBLE_IDS)


_TICKETS_COUNT = Statement(
    select(func.coalesce(func.sum(project_counters.c.tickets_count), 0)).where(
        in_account(project_counters),
        project_counters.c.project_id.in_(bindparam("project_ids", expanding=True)),
    )
)

_TICKETS_COUNTS = Statement(
    select(project_counters.c.project_id, project_counters.c.tickets_count).where(
        in_account(project_counters),
        project_counters.c.project_id.in_(bindparam("project_ids", expanding=True)),
    )
)

_SET_LATER = ("mail_from_anyone", "default_assigned_user_id", "default_milestone_id")
_INSERT = Statement(insert_into(projects, without=_SET_LATER))

_START_COUNTING = Statement(insert(project_counters))

_UPDATE = Statement(
    update(projects)
    .where(IN_ACCOUNT, projects.c.id == bindparam("project_id"))
    .values(
        name=bindparam("new_name"),
        archived=bindparam("new_archived"),
        public=bindparam("new_public"),
        updated_at=LATER,
    )
)

# This does not lock the key, so that new tickets can still refer to the project.
_LOCK = Statement(
    select(projects.c.id)
    .where(IN_ACCOUNT, projects.c.id == bindparam("project_id"))
    .with_for_update(key_share=True)
)


_counted = (
    update(project_counters)
    .where(in_project(project_counters))
    .values(
        tickets_count=project_counters.c.tickets_count + bindparam("tickets"),
        open_tickets_count=project_counters.c.open_tickets_count + bindparam("open_tickets"),
    )
)

_COUNT = Statement(_counted)

_NUMBER = Statement(
    _counted.values(last_number=project_counters.c.last_number + bindparam("numbers")).returning(
        project_counters.c.last_number
    )
)


_LAST_NUMBER = Statement(select(project_counters.c.last_number).where(in_project(project_counters)))


def one(transaction: Transaction, project_id: int) -> Project | None:
    """Return a project regardless of the caller."""
    return _SHAPE.one(transaction, _ONE, project_id=project_id)


def one_visible(transaction: Transaction, project_id: int, visibility: Visibility) -> VisibleProject | None:
    """Return a project if it is visible to a user, and whether they are a member.

    A hidden project is not even read, so that the look-up takes as long as for a missing one. A long
    description is shortened; see ``whole``.
    """
    row = transaction.one(_SEEN_ONE, project_id=project_id, **visibility._asdict())
    if row is None:
        return None
    *values, hides_any, count, member = row
    return VisibleProject(_SHAPE.record(values, transaction), member is not None, count, bool(hides_any))


def whole(transaction: Transaction, project: Project) -> Project:
    """Return a project with its complete description."""
    return _TEXTS.read(transaction, [project])[0]


def visible(transaction: Transaction, visibility: Visibility) -> list[Project]:
    """Return the projects visible to a user, by name.

    Long descriptions are shortened to the size of a response.
    """
    rows = transaction.all(_SEEN, **visibility._asdict())
    records = _SHAPE.records(rows, transaction)
    return _TEXTS.fitted(transaction, _by_name(records))


def everything(transaction: Transaction) -> list[Project]:
    """Return all projects of the account with complete descriptions, by name."""
    return _by_name(_SHAPE.all(transaction, _ALL))


def _by_name(records: list[Project]) -> list[Project]:
    return sorted(records, key=lambda project: (project.name.casefold(), project.id))


def visible_ids(transaction: Transaction, visibility: Visibility) -> list[int]:
    """Return the ids of the projects visible to a user."""
    rows = transaction.all(_SEEN_IDS, **visibility._asdict())
    return [row[0] for row in rows]


def visible_names(transaction: Transaction, visibility: Visibility) -> list[NamedProject]:
    """Return the names of the projects visible to a user."""
    return [NamedProject(*row) for row in transaction.all(_SEEN_NAMES, **visibility._asdict())]


def first_names(transaction: Transaction, visibility: Visibility, at_most: int) -> list[NamedProject]:
    """Return the names of the first projects visible to a user, by name, without archived ones."""
    rows = transaction.all(_FIRST_NAMES, at_most=at_most, **visibility._asdict())
    return [NamedProject(*row) for row in rows]


def last_number(transaction: Transaction, project_id: int) -> int:
    """Return the highest ticket number of a project."""
    return int(transaction.value(_LAST_NUMBER, project_id=project_id))


def tickets_count(transaction: Transaction, project_ids: SeenIds) -> int:
    """Return the total number of tickets of some projects."""
    return int(transaction.value(_TICKETS_COUNT, project_ids=project_ids))


def tickets_counts(transaction: Transaction, project_ids: SeenIds) -> dict[int, int]:
    """Return the number of tickets of each of some projects, by its id."""
    return {row[0]: row[1] for row in transaction.all(_TICKETS_COUNTS, project_ids=project_ids)}


def add(transaction: Transaction, **values: Any) -> int:
    """Add a project and return its id."""
    project_id = counters.next_id(transaction, "projects")
    now = transaction.now
    missing = dict.fromkeys(("description", "description_html", "importance_levels", "license"))
    values = {**missing, **values}
    transaction.run(_INSERT, id=project_id, created_at=now, updated_at=now, **values)
    none = dict.fromkeys(("last_number", "tickets_count", "open_tickets_count"), 0)
    transaction.run(_START_COUNTING, project_id=project_id, **none)
    return project_id


def lock(transaction: Transaction, project_id: int) -> None:
    """Lock a project until the transaction ends."""
    transaction.one(_LOCK, project_id=project_id)


def change(transaction: Transaction, project_id: int, *, name: str, archived: bool, public: bool) -> None:
    """Set the values of a project."""
    transaction.run(
        _UPDATE,
        project_id=project_id,
        new_name=name,
        new_archived=int(archived),
        new_public=int(public),
        now=transaction.now,
    )


def count(transaction: Transaction, project_id: int, *, tickets: int = 0, open_tickets: int = 0) -> None:
    """Add to a project's counters."""
    transaction.run(_COUNT, project_id=project_id, tickets=tickets, open_tickets=open_tickets)


def number(
    transaction: Transaction, project_id: int, *, numbers: int, tickets: int = 0, open_tickets: int = 0
) -> int:
    """Reserve ticket numbers of a project, count as ``count`` does, and return the last number."""
    moves = {"tickets": tickets, "open_tickets": open_tickets}
    return int(transaction.value(_NUMBER, project_id=project_id, numbers=numbers, **moves))
