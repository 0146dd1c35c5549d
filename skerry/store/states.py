"""How many tickets are in which state."""

from sqlalchemy import bindparam, func, select

from skerry.store.statements import Statement
from skerry.store.tables import tickets
from skerry.store.transactions import Transaction

_COUNTS = Statement(
    select(tickets.c.state, tickets.c.closed, func.count())
    .where(tickets.c.account_id == bindparam("account_id"), tickets.c.project_id == bindparam("project_id"))
    .group_by(tickets.c.state, tickets.c.closed)
)


def counts(transaction: Transaction, project_id: int) -> list[tuple[str, bool, int]]:
    """Give each state that tickets of a project have, whether it counts as closed, and how many have it."""
    rows = transaction.all(_COUNTS, project_id=project_id)
    return [(name, bool(closed), count) for name, closed, count in rows]
