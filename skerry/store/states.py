"""The stored counts of tickets by state."""

from sqlalchemy import select

from skerry.database.statements import OneOf, Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.counts.counters import StoredCounts
from skerry.store.projects import SeenIds
from skerry.store.tables import state_counts, tickets

COUNTS = StoredCounts(state_counts, tickets)
"""The counts by the name of a state, and by 1 if it counts as closed, else 0."""

_COUNTS = Statement(
    select(state_counts.c.state, state_counts.c.closed, state_counts.c.tickets_count).where(
        in_account(state_counts),
        OneOf(state_counts.c.project_id, "project_ids"),
        state_counts.c.tickets_count > 0,
    )
)


def counts(transaction: Transaction, project_ids: SeenIds) -> list[tuple[str, bool, int]]:
    """Return each state of the tickets of each project, whether it is closed, and the number of tickets."""
    rows = transaction.all(_COUNTS, project_ids=list(project_ids))
    return [(name, bool(closed), count) for name, closed, count in rows]
