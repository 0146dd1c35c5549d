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

from skerry.database.statements import OneOf, Statement, in_account, matching
from skerry.database.transactions import Transaction
from skerry.store.tables import milestones, projects, tickets, users
from skerry.text.levels import read_levels

_creators = users.alias("creators")
_authors = users.alias("authors")
_assignees = users.alias("assignees")

Goal = tuple[str | None, int | None]
"""The title of a milestone, and its due date as stored."""

Names = tuple[dict[int | None, str | None], dict[int | None, Goal], dict[int, str | None]]
"""The names of people, of milestones, and the levels of importance of projects; None for a missing id."""

NO_GOAL: Goal = None, None

COLUMNS = {
    "user_name": _authors.c.name,
    "creator_name": _creators.c.name,
    "assigned_user_name": _assignees.c.name,
    "milestone_title": milestones.c.title,
}
"""The columns with the joined names."""


def levels_in(own: Table) -> dict[str, ColumnElement[Any]]:
    """Return the column with the levels of the project, of which ``finish`` makes a name."""
    levels = select(projects.c.importance_levels).where(
        in_account(projects), projects.c.id == own.c.project_id
    )
    return {"importance_name": levels.scalar_subquery()}


def finish(values: list[Any], place: Mapping[str, int], transaction: Transaction) -> None:
    """Set the URL of a ticket, and the name of its importance in place of the levels of the project."""
    project_id, number = values[place["project_id"]], values[place["number"]]
    values[place["url"]] = f"{transaction.base}/projects/{project_id}/tickets/{number}"
    name = place["importance_name"]
    values[name] = read_levels(values[name]).name_of(values[place["importance"]]) if values[name] else None


DUE_ON = {"milestone_due_on": milestones.c.due_on}
"""A column of tickets only."""


def joined(rows: FromClause, own: Table) -> Join:
    """Join the names to the rows of tickets; ``own`` is the table with the ids."""
    return (
        rows.join(_creators, _creators.c.id == tickets.c.creator_id)
        .join(_authors, _authors.c.id == own.c.user_id)
        .outerjoin(_assignees, _assignees.c.id == own.c.assigned_user_id)
        .outerjoin(milestones, matching(milestones, own, id="milestone_id"))
    )


def name_in(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the name of the person in a column of a row, None for nobody."""
    person = users.alias()
    return select(person.c.name).where(person.c.id == column).scalar_subquery()


_NAME = Statement(select(users.c.name).where(users.c.id == bindparam("user_id")), across_accounts=True)


def name_of(transaction: Transaction, user_id: int) -> str | None:
    """Return the name of a person."""
    name: str | None = transaction.value(_NAME, user_id=user_id)
    return name


_NAMES = (
    *("user_name", "creator_name", "assigned_user_name"),
    *("milestone_title", "milestone_due_on", "importance_name"),
)

_MILESTONE, _PERSON, _LEVELS = 0, 1, 2

# A column has its type from the first of them.
_ALL = Statement(
    union_all(
        select(
            literal_column(str(_MILESTONE)), milestones.c.id, milestones.c.title, milestones.c.due_on
        ).where(in_account(milestones), OneOf(milestones.c.id, "milestones")),
        select(literal_column(str(_PERSON)), users.c.id, users.c.name, null()).where(
            OneOf(users.c.id, "people")
        ),
        select(literal_column(str(_LEVELS)), projects.c.id, projects.c.importance_levels, null()).where(
            in_account(projects), OneOf(projects.c.id, "project_ids")
        ),
    )
)


def of_all(transaction: Transaction, named: Iterable[Sequence[Any]]) -> Names:
    """Return the names of each ticket's author, creator, assignee and milestone by these ids.

    The last id is that of the project, whose levels of importance are read too.
    """
    authors, creators, assignees, goals, places = zip(*named, strict=True)
    people: dict[int | None, str | None] = dict.fromkeys((*authors, *creators, *assignees))
    titles: dict[int | None, Goal] = dict.fromkeys(goals, NO_GOAL)
    levels: dict[int, str | None] = dict.fromkeys(places)
    rows = transaction.all(
        _ALL, people=_present(people), milestones=_present(titles), project_ids=_present(levels)
    )
    for kind, row_id, name, due_on in rows:
        if kind == _MILESTONE:
            titles[row_id] = name, due_on
        elif kind == _LEVELS:
            levels[row_id] = name
        else:
            people[row_id] = name
    return people, titles, levels


def _present(ids: Iterable[int | None]) -> list[int]:
    return [each for each in ids if each is not None]


def in_row(names: Names, named: Sequence[Any]) -> tuple[str | int | None, ...]:
    """Return the names of a ticket in the order of its row, without its URL.

    Raises KeyError for an id that was not looked up.
    """
    author, creator, assignee, *goal = _in_order(names, named)
    return author, creator, assignee, None, *goal


def of(transaction: Transaction, stored: Mapping[str, Any]) -> dict[str, str | int | None]:
    """Return the names that a ticket shows, and the due date of its milestone."""
    columns = "user_id", "creator_id", "assigned_user_id", "milestone_id", "project_id"
    named = [stored[column] for column in columns]
    return dict(zip(_NAMES, _in_order(of_all(transaction, [named]), named), strict=True))


def _in_order(names: Names, named: Sequence[Any]) -> tuple[str | int | None, ...]:
    (people, goals, levels), (author, creator, assignee, milestone, project) = names, named
    return people[author], people[creator], people[assignee], *goals[milestone], levels[project]
