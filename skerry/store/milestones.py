"""Milestones as rows."""

from sqlalchemy import bindparam, select, update

from skerry.store.database import Transaction
from skerry.store.statements import Statement
from skerry.store.tables import milestones

_THIS = (
    milestones.c.account_id == bindparam("account_id"),
    milestones.c.project_id == bindparam("project_id"),
    milestones.c.id == bindparam("milestone_id"),
)

_EXISTS = Statement(select(milestones.c.id).where(*_THIS))

_COUNT = Statement(
    update(milestones)
    .where(*_THIS)
    .values(
        tickets_count=milestones.c.tickets_count + bindparam("tickets"),
        open_tickets_count=milestones.c.open_tickets_count + bindparam("open_tickets"),
        updated_at=bindparam("now"),
    )
)


def exists(transaction: Transaction, project_id: int, milestone_id: int) -> bool:
    """Say whether a project has a milestone."""
    return transaction.one(_EXISTS, project_id=project_id, milestone_id=milestone_id) is not None


def count(
    transaction: Transaction, project_id: int, milestone_id: int, *, tickets: int, open_tickets: int
) -> None:
    """Move a milestone's counters by some amounts."""
    transaction.run(
        _COUNT,
        project_id=project_id,
        milestone_id=milestone_id,
        tickets=tickets,
        open_tickets=open_tickets,
        now=transaction.now,
    )
