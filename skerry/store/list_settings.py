"""How people see lists of tickets, by project; 0 stands for the list over all projects."""

from sqlalchemy import bindparam, func, select, text

from skerry.database.rows import Shape
from skerry.database.statements import Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.resources.lists import ListSettings
from skerry.store.tables import list_settings
from skerry.wire.record import changed

ALL = 0
"""What stands for all projects."""

_SHAPE = Shape(ListSettings, {name: list_settings.c[name] for name in ("columns", "group", "sort")})

_ONE = Statement(
    select(*_SHAPE.columns).where(in_project(list_settings), list_settings.c.user_id == bindparam("user_id"))
)
_OF_USER = Statement(
    select(*_SHAPE.columns, func.nullif(list_settings.c.project_id, ALL))
    .where(in_account(list_settings), list_settings.c.user_id == bindparam("user_id"))
    .order_by(list_settings.c.project_id),
    across_projects="person",
)
_SET = Statement(
    text("""
        INSERT INTO list_settings (account_id, project_id, user_id, columns, grouping, sort)
        VALUES (:account_id, :project_id, :user_id, :columns, :group, :sort)
        ON CONFLICT (account_id, project_id, user_id)
        DO UPDATE SET columns = excluded.columns, grouping = excluded.grouping, sort = excluded.sort
    """)
)


def one(transaction: Transaction, project_id: int, user_id: int) -> ListSettings | None:
    """Return how a person sees a list, None if they have not said."""
    return _SHAPE.one(transaction, _ONE, project_id=project_id, user_id=user_id)


def of_user(transaction: Transaction, user_id: int) -> list[ListSettings]:
    """Return how a person sees lists, that of all projects first."""
    rows = transaction.all(_OF_USER, user_id=user_id)
    return [changed(_SHAPE.record(row[:-1], transaction), project_id=row[-1]) for row in rows]


def put(transaction: Transaction, project_id: int, user_id: int, **layout: str) -> None:
    """Store how a person sees a list."""
    transaction.run(_SET, project_id=project_id, user_id=user_id, **layout)
