"""The tickets before and after one in its project's list, the last changed first."""

from sqlalchemy import bindparam, literal_column, select, tuple_

from skerry.store.engine.statements import Statement, in_project
from skerry.store.engine.tables import tickets
from skerry.store.engine.transactions import Transaction

_ones = tickets.alias("ones")
_IN_PROJECT = in_project(tickets)
_CHANGED = (
    select(_ones.c.updated_at)
    .where(in_project(_ones), _ones.c.number == bindparam("number"))
    .scalar_subquery()
)
_PLACE = tuple_(tickets.c.updated_at, tickets.c.number)
_ONES_PLACE = tuple_(_CHANGED, bindparam("number"))

_NEWER = Statement(
    select(tickets.c.number)
    .where(_IN_PROJECT, _PLACE > _ONES_PLACE)
    .order_by(tickets.c.updated_at, tickets.c.number)
    .limit(literal_column("1"))
)

_OLDER = Statement(
    select(tickets.c.number)
    .where(_IN_PROJECT, _PLACE < _ONES_PLACE)
    .order_by(tickets.c.updated_at.desc(), tickets.c.number.desc())
    .limit(literal_column("1"))
)


def neighbours(transaction: Transaction, project_id: int, number: int) -> tuple[int | None, int | None]:
    """Return the numbers before and after a ticket; None at the beginning or the end."""
    key = {"project_id": project_id, "number": number}
    return transaction.value(_NEWER, **key), transaction.value(_OLDER, **key)
