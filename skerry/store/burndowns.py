"""How the tickets of a milestone came, went and were closed, read off their versions."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, bindparam, case, func, select

from skerry.store.statements import Statement
from skerry.store.tables import versions
from skerry.store.transactions import DAY, Transaction


@dataclass(frozen=True)
class Step:
    """What changed on one day, counted from 1970 in UTC: tickets more or fewer, and open ones."""

    day: int
    tickets: int
    open_tickets: int


_HERE = (
    versions.c.account_id == bindparam("account_id"),
    versions.c.project_id == bindparam("project_id"),
)
_its = versions.c.milestone_id == bindparam("milestone_id")
_touched = select(versions.c.number).where(*_HERE, _its).distinct()

_in_it = case((_its, 1), else_=0)
_open_in_it = case((_its & (versions.c.closed == 0), 1), else_=0)


def _step(present: ColumnElement[int]) -> ColumnElement[int]:
    """Give how much a version is against the one before it; before a ticket's first was nothing."""
    before = func.lag(present).over(partition_by=versions.c.number, order_by=versions.c.version)
    return present - func.coalesce(before, 0)


_moves = (
    select(
        (versions.c.created_at // DAY).label("day"),
        _step(_in_it).label("tickets"),
        _step(_open_in_it).label("open_tickets"),
    )
    .where(*_HERE, versions.c.number.in_(_touched))
    .subquery("moves")
)

_STEPS = Statement(
    select(_moves.c.day, func.sum(_moves.c.tickets), func.sum(_moves.c.open_tickets))
    .where((_moves.c.tickets != 0) | (_moves.c.open_tickets != 0))
    .group_by(_moves.c.day)
    .order_by(_moves.c.day)
)


def steps(transaction: Transaction, project_id: int, milestone_id: int) -> list[Step]:
    """Give the days on which tickets of a milestone came, went, were closed or opened again, in order."""

    def find() -> list[Step]:
        rows = transaction.all(_STEPS, project_id=project_id, milestone_id=milestone_id)
        return [Step(int(day), int(total), int(still_open)) for day, total, still_open in rows]

    return transaction.recall(("steps", milestone_id), find)
