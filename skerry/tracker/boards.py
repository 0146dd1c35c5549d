"""Boards: the tickets that match a query, in columns.

Each column is the query with one more condition, so it is searched, counted and limited as a list is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from skerry.database.rows import timestamp_or_none
from skerry.database.statements import Row
from skerry.errors import Invalid
from skerry.resources.projects import Project
from skerry.resources.tickets import Ticket
from skerry.store import search as store
from skerry.store.ticket_rows import ticket_lists
from skerry.store.ticket_rows.ticket_pages import Key
from skerry.text.queries.query_print import print_query
from skerry.text.queries.query_tree import And, Condition, Everything, Query
from skerry.text.queries.query_values import as_written
from skerry.tracker import access, board_columns, layouts, search
from skerry.tracker.board_columns import Column
from skerry.tracker.context import Context
from skerry.tracker.layouts import Layout
from skerry.tracker.query_names import QueryNames

FIELDS = {
    "state": "state",
    "responsible": "assigned_user_id",
    "milestone": "milestone_id",
    "importance": "importance",
}
"""The groups that a board can have, each with the field of tickets that moving a card changes."""

_AT_ONCE = 500

CARDS = 50
"""How many tickets a column shows; its list shows all."""


@dataclass(frozen=True)
class FilledColumn:
    """A column with its first tickets, how many it has, whether that is exact, and the query of its list."""

    column: Column
    tickets: list[Ticket]
    total: int
    exact: bool
    query: str

    @property
    def is_cut(self) -> bool:
        """Return whether the column has more tickets than it shows."""
        return self.total > len(self.tickets)


@dataclass(frozen=True)
class Board:
    """A board; a slow search only covered the tickets changed since ``searched_since``."""

    group: str
    columns: Sequence[FilledColumn]
    searched_since: datetime | None = None

    @property
    def field(self) -> str:
        """Return the field of tickets that moving a card changes."""
        return FIELDS[self.group]

    @property
    def tickets(self) -> list[Ticket]:
        """Return the tickets that are shown."""
        return [ticket for each in self.columns for ticket in each.tickets]

    @property
    def total(self) -> int:
        """Return how many tickets there are, as far as they were counted."""
        return sum(each.total for each in self.columns)

    @property
    def exact(self) -> bool:
        """Return whether all tickets were counted."""
        return all(each.exact for each in self.columns)


def group_of(asked: str | None, layout: Layout) -> str:
    """Return what a board is grouped by: what was asked for, else the layout's group, else the state.

    Raises Invalid for another word.
    """
    if asked:
        group = layouts.own_name(asked)
        if group not in FIELDS:
            raise Invalid(f"Group cannot be {as_written(asked)}; a board takes {', '.join(FIELDS)}")
        return group
    return layout.group if layout.group in FIELDS else next(iter(FIELDS))


def of_query(
    context: Context, query: Query, group: str, layout: Layout, projects: Sequence[Project]
) -> Board:
    """Return the board of a query in some projects, in the order of the layout if the query has none.

    Raises Invalid if the query names something that is not there.
    """
    project_ids = access.ids_of(projects)
    scope = search.scope_of(context, project_ids)
    search.check_names(context, query, scope)
    columns = board_columns.of_group(context, group, projects)
    sorts = query.sorts or layouts.sorts_of(layout)
    queries = [_narrowed(replace(query, sorts=sorts), column.condition) for column in columns]
    pages = store.first_pages(context.transaction, queries, scope, limit=CARDS)
    names = QueryNames(context, project_ids)
    tickets = _tickets(context, [mark for marks, _, _ in pages for mark in marks])
    filled = [
        FilledColumn(
            column,
            [tickets[mark[:2]] for mark in marks if mark[:2] in tickets],
            total,
            exact,
            print_query(names.shown(_narrowed(query, column.condition))),
        )
        for column, (marks, total, exact) in zip(columns, pages, strict=True)
        if marks or not column.is_rest
    ]
    return Board(group, filled, timestamp_or_none(context.transaction.searched_since))


def _narrowed(query: Query, condition: Condition) -> Query:
    """Return a query with one more condition."""
    if isinstance(query.condition, Everything):
        return replace(query, condition=condition, text="")
    parts = [
        part
        for each in (query.condition, condition)
        for part in (each.parts if isinstance(each, And) else [each])
    ]
    return replace(query, condition=And(tuple(parts)), text="")


def _tickets(context: Context, marks: Sequence[Row]) -> dict[Key, Ticket]:
    """Return the tickets with these markers by key; reading all at once would take time with their square."""
    parts = (marks[start : start + _AT_ONCE] for start in range(0, len(marks), _AT_ONCE))
    return {
        (ticket.project_id or 0, ticket.number or 0): ticket
        for part in parts
        for ticket in ticket_lists.marked(context.transaction, part)
    }
