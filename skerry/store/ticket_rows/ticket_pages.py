"""Pages of tickets, the last changed first, as markers that are the keys of the cache."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Select, and_, bindparam, literal_column, select, tuple_

from skerry.database.statements import (
    OneOf,
    Row,
    Statement,
    in_account,
    in_project,
    in_ticket,
    inline_literal,
    unplanned_literal,
)
from skerry.database.transactions import Transaction
from skerry.store.tables import tickets

Key = tuple[int, int]
"""A project and a number."""


class TicketMarker(NamedTuple):
    """A ticket's key, its revision, and the ids in its row.

    ``updated_at`` distinguishes a revision from one with the same number that was lost in a crash.
    """

    project_id: int
    number: int
    revision: int
    updated_at: int
    user_id: int
    creator_id: int
    assigned_user_id: int | None
    milestone_id: int | None


WITH_MARKER = tuple(tickets.c[name] for name in TicketMarker._fields)
"""The columns of markers."""

_IN_ACCOUNT = in_account(tickets)
_PLACE = (tickets.c.updated_at, tickets.c.project_id, tickets.c.number)


def _page(chosen: Select[tuple[object, ...]]) -> Select[tuple[object, ...]]:
    newest_first = [column.desc() for column in _PLACE]
    return chosen.order_by(*newest_first).limit(inline_literal("limit")).offset(unplanned_literal("offset"))


# The list's own index covers all of these columns.
OF_PROJECT = Statement(
    _page(select(*WITH_MARKER).where(_IN_ACCOUNT, tickets.c.project_id == unplanned_literal("project_id")))
)


def _of_projects() -> Statement:
    """Return a statement that reads the keys from the index alone, then only these rows."""
    chosen = and_(_IN_ACCOUNT, tickets.c.project_id.in_(bindparam("project_ids", expanding=True)))
    keys = _page(select(*_PLACE).where(chosen)).subquery("page")
    joined = keys.join(
        tickets, (tickets.c.project_id == keys.c.project_id) & (tickets.c.number == keys.c.number)
    )
    # Ordered by the page's own columns: with those of the tickets, SQLite would scan all tickets of the
    # account in order rather than sort a page.
    newest_first = [keys.c[column.name].desc() for column in _PLACE]
    return Statement(select(*WITH_MARKER).select_from(joined).where(_IN_ACCOUNT).order_by(*newest_first))


OF_PROJECTS = _of_projects()

# One more column, which the list's index does not cover: otherwise SQLite would scan the whole covering index
# rather than look up the numbers.
THOSE = Statement(
    select(*WITH_MARKER, tickets.c.version).where(in_project(tickets), OneOf(tickets.c.number, "numbers"))
)


def markers_of(transaction: Transaction, keys: Sequence[Key]) -> list[Row]:
    """Return the markers of some tickets, in the same order; missing ones are left out."""
    wanted: dict[int, list[int]] = {}
    for project_id, number in keys:
        wanted.setdefault(project_id, []).append(number)
    markers = {
        row[:2]: row[:-1]
        for project_id, numbers in wanted.items()
        for row in transaction.all(THOSE, project_id=project_id, numbers=numbers)
    }
    return [markers[key] for key in keys if key in markers]


_ones = tickets.alias("ones")
_IN_PROJECT = in_project(tickets)
_CHANGED = select(_ones.c.updated_at).where(in_ticket(_ones)).scalar_subquery()
_LIST_PLACE = tuple_(tickets.c.updated_at, tickets.c.number)
_ONES_PLACE = tuple_(_CHANGED, bindparam("number"))

_NEWER = Statement(
    select(tickets.c.number)
    .where(_IN_PROJECT, _LIST_PLACE > _ONES_PLACE)
    .order_by(tickets.c.updated_at, tickets.c.number)
    .limit(literal_column("1"))
)

_OLDER = Statement(
    select(tickets.c.number)
    .where(_IN_PROJECT, _LIST_PLACE < _ONES_PLACE)
    .order_by(tickets.c.updated_at.desc(), tickets.c.number.desc())
    .limit(literal_column("1"))
)


def neighbours(transaction: Transaction, project_id: int, number: int) -> tuple[int | None, int | None]:
    """Return the numbers before and after a ticket; None at the beginning or the end."""
    key = {"project_id": project_id, "number": number}
    return transaction.value(_NEWER, **key), transaction.value(_OLDER, **key)
