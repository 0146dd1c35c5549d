"""The names in tickets and versions, joined at each read, so that renaming shows everywhere."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Join,
    Table,
    bindparam,
    literal_column,
    null,
    select,
    union_all,
)

from skerry.resources.tickets import Ticket, Version
from skerry.store.engine.statements import OneOf, Row, Statement
from skerry.store.engine.tables import milestones, tickets, users
from skerry.store.engine.transactions import Transaction

_creators = users.alias("creators")
_authors = users.alias("authors")
_assignees = users.alias("assignees")

Goal = tuple[str | None, int | None]
"""The title of a milestone, and its due date as stored."""

Names = tuple[dict[int | None, str | None], dict[int | None, Goal]]
"""The names of people and milestones by id, None for a missing id."""

NO_GOAL: Goal = None, None

COLUMNS = {
    "user_name": _authors.c.name,
    "creator_name": _creators.c.name,
    "assigned_user_name": _assignees.c.name,
    "milestone_title": milestones.c.title,
}
"""The columns with the joined names."""

DUE_ON = {"milestone_due_on": milestones.c.due_on}
"""A column of tickets only."""


def joined(rows: FromClause, own: Table) -> Join:
    """Join the names to the rows of tickets; ``own`` is the table with the ids."""
    return (
        rows.join(_creators, _creators.c.id == tickets.c.creator_id)
        .join(_authors, _authors.c.id == own.c.user_id)
        .outerjoin(_assignees, _assignees.c.id == own.c.assigned_user_id)
        .outerjoin(
            milestones,
            (milestones.c.account_id == own.c.account_id) & (milestones.c.id == own.c.milestone_id),
        )
    )


def name_in(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the name of the person in a column of a row, None for nobody."""
    person = users.alias()
    return select(person.c.name).where(person.c.id == column).scalar_subquery()


_NAMES = "user_name", "creator_name", "assigned_user_name", "milestone_title", "milestone_due_on"

_MILESTONE, _PERSON = 0, 1

# A column has its type from the first of them.
NAMED = (
    select(literal_column(str(_MILESTONE)), milestones.c.id, milestones.c.title, milestones.c.due_on).where(
        milestones.c.account_id == bindparam("account_id"), OneOf(milestones.c.id, "milestones")
    ),
    select(literal_column(str(_PERSON)), users.c.id, users.c.name, null()).where(OneOf(users.c.id, "people")),
)
"""The query for the names of milestones and people: kind, id, name, and due date."""

_ALL = Statement(union_all(*NAMED), across_projects=True)


def of_all(transaction: Transaction, named: Iterable[Sequence[Any]]) -> Names:
    """Return the names of each ticket's author, creator, assignee and milestone by these ids."""
    authors, creators, assignees, goals = zip(*named, strict=True)
    wanted = frozenset((*authors, *creators, *assignees)), frozenset(goals)
    return called(wanted, transaction.all(_ALL, **values(*wanted)))


def values(people: frozenset[int | None], milestones: frozenset[int | None]) -> dict[str, list[int]]:
    """Return the values of ``NAMED``."""
    return {
        "people": [each for each in people if each is not None],
        "milestones": [each for each in milestones if each is not None],
    }


def called(wanted: tuple[frozenset[int | None], frozenset[int | None]], rows: Iterable[Row]) -> Names:
    """Return the names of the wanted people and milestones by id; rows of other kinds are skipped."""
    people: dict[int | None, str | None] = dict.fromkeys(wanted[0])
    goals: dict[int | None, Goal] = dict.fromkeys(wanted[1], NO_GOAL)
    for kind, round_trip_fields, name, due_on in rows:
        if kind == _MILESTONE:
            goals[round_trip_fields] = name, due_on
        elif kind == _PERSON:
            people[round_trip_fields] = name
    return people, goals


Shown = tuple[dict[int | None, str | None], dict[int | None, str | None], int | None]
"""The names of people and milestones, and the due date of a ticket's milestone."""


def shown_of(names: Names, milestone_id: int | None) -> Shown:
    """Return the names in a whole ticket of a milestone."""
    people, goals = names
    return people, {each: title for each, (title, _) in goals.items()}, goals[milestone_id][1]


def shown_in(records: Iterable[Ticket | Version], due_on: int | None) -> Shown:
    """Return the names in a ticket and its versions, with the due date of its milestone."""
    people: dict[int | None, str | None] = {}
    titles: dict[int | None, str | None] = {}
    for each in records:
        people[each.user_id] = each.user_name
        people[each.creator_id] = each.creator_name
        people[each.assigned_user_id] = each.assigned_user_name
        titles[each.milestone_id] = each.milestone_title
    return people, titles, due_on


def in_row(names: Names, named: Sequence[Any]) -> tuple[str | int | None, ...]:
    """Return the names of a ticket in the order of its row, without its URL.

    Raises KeyError for an id that was not looked up.
    """
    author, creator, assignee, *goal = _in_order(names, named)
    return author, creator, assignee, None, *goal


def of(transaction: Transaction, stored: Mapping[str, Any]) -> dict[str, str | int | None]:
    """Return the names in a ticket whose row is known, and the due date of its milestone."""
    named = [stored[column] for column in ("user_id", "creator_id", "assigned_user_id", "milestone_id")]
    return dict(zip(_NAMES, _in_order(of_all(transaction, [named]), named), strict=True))


def _in_order(names: Names, named: Sequence[Any]) -> tuple[str | int | None, ...]:
    (people, goals), (author, creator, assignee, milestone) = names, named
    return people[author], people[creator], people[assignee], *goals[milestone]
