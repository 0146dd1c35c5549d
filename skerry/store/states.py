"""How many tickets are in which state, kept by project."""

from collections.abc import Mapping

from sqlalchemy import and_, bindparam, delete, func, insert, select, text

from skerry.store.statements import Statement
from skerry.store.tables import state_counts, tickets
from skerry.store.transactions import Transaction

_HERE = and_(
    state_counts.c.account_id == bindparam("account_id"), state_counts.c.project_id == bindparam("project_id")
)

_COUNTS = Statement(
    select(state_counts.c.state, state_counts.c.closed, state_counts.c.tickets_count).where(
        _HERE, state_counts.c.tickets_count > 0
    )
)

_COUNT = Statement(
    text("""
        INSERT INTO state_counts (account_id, project_id, state, closed, tickets_count)
        VALUES (:account_id, :project_id, :state, :closed, :step)
        ON CONFLICT (account_id, project_id, state, closed)
        DO UPDATE SET tickets_count = state_counts.tickets_count + excluded.tickets_count
    """)
)

_FORGET = Statement(delete(state_counts).where(_HERE))

_KEY = (tickets.c.account_id, tickets.c.project_id, tickets.c.state, tickets.c.closed)
_RECOUNT = Statement(
    insert(state_counts).from_select(
        [column.name for column in state_counts.c],
        select(*_KEY, func.count())
        .where(
            tickets.c.account_id == bindparam("account_id"), tickets.c.project_id == bindparam("project_id")
        )
        .group_by(*_KEY),
    )
)


def counts(transaction: Transaction, project_id: int) -> list[tuple[str, bool, int]]:
    """Give each state that tickets of a project have, whether it counts as closed, and how many have it."""

    def find() -> list[tuple[str, bool, int]]:
        rows = transaction.all(_COUNTS, project_id=project_id)
        return [(name, bool(closed), count) for name, closed, count in rows]

    return transaction.recall(("states", project_id), find)


def count(transaction: Transaction, steps: Mapping[tuple[int, str, bool], int]) -> None:
    """Let so many more tickets of a project have a state, by its name and whether it counts as closed."""
    transaction.run_many(
        _COUNT,
        [
            {"project_id": project_id, "state": state, "closed": int(closed), "step": step}
            for (project_id, state, closed), step in steps.items()
        ],
    )


def recount(transaction: Transaction, project_id: int) -> None:
    """Count the tickets of a project, in which nobody else may write meanwhile, by their states."""
    transaction.run(_FORGET, project_id=project_id)
    transaction.run(_RECOUNT, project_id=project_id)
