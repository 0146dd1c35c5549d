"""Pages of tickets, the last changed first."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Join, bindparam, select

from skerry.store.statements import Statement, spelt, unseen
from skerry.store.tables import tickets

_NEWEST_FIRST = (tickets.c.updated_at.desc(), tickets.c.project_id.desc(), tickets.c.number.desc())


def pages(columns: Sequence[ColumnElement[Any]], joined: Join, condition: Any) -> Statement:
    """Show these columns of the tickets that a condition is true of, from an ``offset`` up to a ``limit``.

    The keys come off the index alone, then only these rows are read.
    """
    keys = (
        select(tickets.c.updated_at, tickets.c.project_id, tickets.c.number)
        .where(condition)
        .order_by(*_NEWEST_FIRST)
        .limit(spelt("limit"))
        .offset(unseen("offset"))
        .subquery("page")
    )
    return Statement(
        select(*columns)
        .select_from(
            keys.join(
                joined,
                (tickets.c.project_id == keys.c.project_id) & (tickets.c.number == keys.c.number),
            )
        )
        .where(tickets.c.account_id == bindparam("account_id"))
        # Ordered by the page's own columns: by those of the tickets, SQLite would rather walk all
        # tickets of the account in their order than sort a page.
        .order_by(keys.c.updated_at.desc(), keys.c.project_id.desc(), keys.c.number.desc())
    )
