"""The stored counts of tickets by state."""

from sqlalchemy import select

from skerry.store.counts.stored_counts import StoredCounts
from skerry.store.engine.statements import Statement, in_project
from skerry.store.engine.tables import state_counts, tickets
from skerry.store.engine.transactions import Transaction

COUNTS = StoredCounts(state_counts, tickets)
"""The counts by the name of a state, and by 1 if it counts as closed, else 0."""

_COUNTS = Statement(
    select(state_counts.c.state, state_counts.c.closed, state_counts.c.tickets_count).where(
        in_project(state_counts), state_counts.c.tickets_count > 0
    )
)


def counts(transaction: Transaction, project_id: int) -> list[tuple[str, bool, int]]:
    """Return each state of a project's tickets, whether it is closed, and the number of tickets."""
    rows = transaction.all(_COUNTS, project_id=project_id)
    return [(name, bool(closed), count) for name, closed, count in rows]
