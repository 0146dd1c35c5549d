"""The bare program's own list: one statement that reads every column of the page's tickets and all names."""

from sqlalchemy import and_, bindparam, select

from skerry.database.statements import OneOf, Statement, inline_literal, unplanned_literal
from skerry.store.tables import tickets as table
from skerry.store.tickets import IN_PROJECT, SHAPE, WITH_NAMES

_PLACE = (table.c.updated_at, table.c.project_id, table.c.number)

_KEYS = (
    select(*_PLACE)
    .where(
        and_(
            table.c.account_id == bindparam("account_id"),
            table.c.project_id == unplanned_literal("project_id"),
        )
    )
    .order_by(*(column.desc() for column in _PLACE))
    .limit(inline_literal("limit"))
    .offset(unplanned_literal("offset"))
    .subquery("page")
)

PAGE = Statement(
    select(*SHAPE.columns)
    .select_from(
        _KEYS.join(
            WITH_NAMES, (table.c.project_id == _KEYS.c.project_id) & (table.c.number == _KEYS.c.number)
        )
    )
    .where(table.c.account_id == bindparam("account_id"))
    .order_by(*(_KEYS.c[column.name].desc() for column in _PLACE))
)
"""A page of a project's tickets, the last changed first."""

THOSE = Statement(
    select(*SHAPE.columns).select_from(WITH_NAMES).where(IN_PROJECT, OneOf(table.c.number, "numbers"))
)
"""The tickets of these numbers."""
