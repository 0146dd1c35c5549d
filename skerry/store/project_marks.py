"""By what it is seen that tickets of a project have changed, and which."""

from typing import NamedTuple

from sqlalchemy import bindparam, select

from skerry.store import projects
from skerry.store.statements import Row, Statement, in_project, spelt
from skerry.store.tables import project_counters, tickets
from skerry.store.tables import projects as table
from skerry.store.transactions import Transaction

NEWEST = 101
"""By how many tickets, those changed last, it is seen which have changed."""


class Mark(NamedTuple):
    """What nearly every change of a ticket changes of its project.

    ``settled`` is the moment of the last change of the project itself. ``newest`` are the numbers, moments
    and revisions of the tickets changed last, ``oldest`` the oldest of them if there may be more. The
    last moment alone would not do: on PostgreSQL, and between servers whose clocks differ, a change may be
    seen after others of a later moment.
    """

    last_number: int
    tickets_count: int
    open_tickets_count: int
    settled: int
    newest: frozenset[Row]
    oldest: Row | None

    @property
    def gone(self) -> int:
        """Say how many tickets have been removed, or have gone to another project."""
        return self.last_number - self.tickets_count


_COUNTERS = Statement(
    select(
        project_counters.c.last_number,
        project_counters.c.tickets_count,
        project_counters.c.open_tickets_count,
        table.c.updated_at,
    )
    .select_from(projects.WITH_COUNTS)
    .where(projects.HERE, table.c.id == bindparam("project_id"))
)

_NEWEST = Statement(
    select(tickets.c.number, tickets.c.updated_at, tickets.c.revision)
    .where(in_project(tickets))
    .order_by(tickets.c.updated_at.desc(), tickets.c.number.desc())
    .limit(spelt("most"))
)


def mark(transaction: Transaction, project_id: int) -> Mark:
    """Give what differs after nearly every change of the tickets of a project."""

    def find() -> Mark:
        asked = {"project_id": project_id, "most": NEWEST}
        counts = transaction.one(_COUNTERS, project_id=project_id) or (0, 0, 0, 0)
        newest = transaction.all(_NEWEST, **asked)
        oldest = newest[-1] if len(newest) == NEWEST else None
        return Mark._make((*counts, frozenset(newest), oldest))

    return transaction.recall(("mark", project_id), find)
