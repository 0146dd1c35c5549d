"""Recent activity as people read it: with one line for each bulk edit."""

from dataclasses import dataclass

from sqlalchemy import bindparam, func, select

from skerry.database.rows import Shape
from skerry.database.statements import Row, Statement, in_account
from skerry.database.transactions import Transaction
from skerry.resources.activities import Activity
from skerry.store.activities import TICKETS, Filter, Pair, in_projects, latest_rows
from skerry.store.tables import bulk_edit_tickets, bulk_edits

# The versions of a bulk edit are those of its author at its moment.
_edited = (
    select(func.count())
    .where(in_account(bulk_edit_tickets), bulk_edit_tickets.c.bulk_edit_id == bulk_edits.c.id)
    .scalar_subquery()
)
_EDITS = Statement(
    select(
        bulk_edits.c.id, _edited, bulk_edits.c.project_id, bulk_edits.c.user_id, bulk_edits.c.created_at
    ).where(*in_projects(bulk_edits), bulk_edits.c.created_at >= bindparam("since"))
)


@dataclass(frozen=True)
class Line:
    """An activity, or a bulk edit with the number of its tickets, of which it is the first."""

    activity: Activity
    edit_id: int
    tickets_count: int


def latest(transaction: Transaction, wanted: Filter, most: int, at_most: int) -> list[Line]:
    """Return the latest activities as lines, one for each bulk edit, from at most as many activities."""
    reach = most
    while True:
        pairs = latest_rows(transaction, wanted, reach)
        lines = _in_lines(transaction, wanted, pairs)
        if len(lines) >= most or len(pairs) < reach or reach >= at_most:
            break
        reach = min(reach * 4, at_most)
    return [
        Line(shape.record(row, transaction), edit_id, count) for shape, row, edit_id, count in lines[:most]
    ]


def _in_lines(
    transaction: Transaction, wanted: Filter, pairs: list[Pair]
) -> list[tuple[Shape[Activity], Row, int, int]]:
    if not pairs:
        return []
    place = TICKETS.place
    since = pairs[-1][1][place["happened_at"]]
    rows = transaction.all(_EDITS, project_ids=wanted.project_ids, since=since)
    edits = {tuple(made): (edit_id, count) for edit_id, count, *made in rows if count > 1}
    seen: set[int] = set()
    lines = []
    for shape, row in pairs:
        key = tuple(row[place[name]] for name in ("project_id", "user_id", "happened_at"))
        edit_id, count = edits.get(key, (0, 1)) if shape is TICKETS else (0, 1)
        if edit_id not in seen:
            lines.append((shape, row, edit_id, count))
        if edit_id:
            seen.add(edit_id)
    return lines
