"""Removal of projects: large ones, and those whose import has not ended, some tickets at a time."""

from sqlalchemy import bindparam, delete, select

from skerry.database.database import Database
from skerry.database.statements import Statement, in_project, matching
from skerry.database.transactions import Transaction
from skerry.store import accounts, projects
from skerry.store.projects import SeenIds
from skerry.store.tables import attachments, forges, hooks, project_counters, project_members, tickets
from skerry.store.tables import projects as table

MANY = 1_000
"""A project with more tickets is not removed in one transaction."""

_AT_ONCE = 200
"""How many tickets of a project are removed in one transaction, for which others wait."""

# A project has no counters until its import has ended, so that nobody sees it before.
_INCOMPLETE = Statement(
    select(table.c.id)
    .select_from(table.outerjoin(project_counters, matching(project_counters, table, project_id="id")))
    .where(projects.IN_ACCOUNT, project_counters.c.project_id.is_(None))
    .order_by(table.c.id),
    across_projects="upkeep",
)

_some_numbers = select(tickets.c.number).where(in_project(tickets)).order_by(tickets.c.number).limit(_AT_ONCE)

_DELETE_SOME = Statement(delete(tickets).where(in_project(tickets), tickets.c.number.in_(_some_numbers)))

# Without its counters nobody sees a project, and nothing is sent for it.
_HIDE = tuple(
    Statement(delete(each).where(in_project(each)))
    for each in (hooks, forges, attachments, project_members, project_counters)
)

_DELETE = Statement(delete(table).where(projects.IN_ACCOUNT, table.c.id == bindparam("project_id")))


def remove(transaction: Transaction, project_id: int) -> None:
    """Remove a project with everything in it; a large one is only hidden until ``remove_incomplete``."""
    is_large = projects.tickets_count(transaction, SeenIds((project_id,))) > MANY
    for statement in _HIDE if is_large else (_DELETE,):
        transaction.run(statement, project_id=project_id)


def remove_incomplete(database: Database, account_id: int) -> int:
    """Remove the projects of an account whose import has not ended, and hidden ones, some tickets at a time.

    Returns their number. No import may be running.
    """
    with database.read(account_id) as transaction:
        project_ids = [project_id for (project_id,) in transaction.all(_INCOMPLETE)]
    for project_id in project_ids:
        is_left = True
        while is_left:
            with database.write(account_id) as transaction:
                is_left = bool(transaction.changed(_DELETE_SOME, project_id=project_id))
                if not is_left:
                    remove(transaction, project_id)
    return len(project_ids)


def remove_all_incomplete(database: Database) -> int:
    """Remove such projects of all accounts; return their number."""
    with database.read() as transaction:
        all_accounts = accounts.list_all(transaction)
    return sum(remove_incomplete(database, account.id) for account in all_accounts)
