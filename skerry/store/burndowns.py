"""Burndowns, read from the versions of a milestone's tickets."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Table,
    bindparam,
    case,
    func,
    literal_column,
    select,
    union,
    union_all,
)

from skerry.database.statements import Statement, in_project
from skerry.database.transactions import DAY, Transaction
from skerry.store.tables import tickets, versions
from skerry.wire.values import MAX_INTEGER


@dataclass(frozen=True)
class Step:
    """The changes of one day, counted from 1970 in UTC, in the numbers of tickets and of open ones."""

    day: int
    tickets: int
    open_tickets: int


def _those_in_it(table: Table) -> Select[tuple[int]]:
    return select(table.c.number).where(in_project(table), table.c.milestone_id == bindparam("milestone_id"))


_touched = union(_those_in_it(versions), _those_in_it(tickets))


def _stood(table: Table, place: ColumnElement[int], timestamp: str) -> Select[Any]:
    """Select the state, at each version, of all tickets that were ever in the milestone, ordered by place."""
    return select(
        table.c.number,
        place.label("place"),
        table.c[timestamp].label("timestamp"),
        table.c.milestone_id,
        table.c.closed,
    ).where(in_project(table), table.c.number.in_(_touched))


# The text of a version may have been deleted; its changes stay, and are in the ticket itself.
_stands = union_all(
    _stood(versions, versions.c.version, "created_at"),
    _stood(tickets, literal_column(str(MAX_INTEGER), BigInteger), "updated_at"),
).subquery("stands")

_its = _stands.c.milestone_id == bindparam("milestone_id")
_in_it = case((_its, 1), else_=0)
_open_in_it = case((_its & (_stands.c.closed == 0), 1), else_=0)


def _step(present: ColumnElement[int]) -> ColumnElement[int]:
    """Return the difference of a version's sums from its predecessor's."""
    before = func.lag(present).over(partition_by=_stands.c.number, order_by=_stands.c.place)
    return present - func.coalesce(before, 0)


_moves = select(
    (_stands.c.timestamp // DAY).label("day"),
    _step(_in_it).label("tickets"),
    _step(_open_in_it).label("open_tickets"),
).subquery("moves")

_STEPS = Statement(
    select(_moves.c.day, func.sum(_moves.c.tickets), func.sum(_moves.c.open_tickets))
    .where((_moves.c.tickets != 0) | (_moves.c.open_tickets != 0))
    .group_by(_moves.c.day)
    .order_by(_moves.c.day)
)


def steps(transaction: Transaction, project_id: int, milestone_id: int) -> list[Step]:
    """Return the days on which tickets of a milestone were added, removed, closed or reopened, in order."""
    rows = transaction.all(_STEPS, project_id=project_id, milestone_id=milestone_id)
    return [Step(int(day), int(total), int(still_open)) for day, total, still_open in rows]
