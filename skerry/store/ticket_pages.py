"""Pages of tickets, the last changed first."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Join, Select, bindparam, literal_column, select

from skerry.store.statements import Row, Statement
from skerry.store.tables import tickets
from skerry.store.transactions import Transaction

USUAL = 30
"""So many tickets are on the page that most ask for, the first one."""

_NEWEST_FIRST = (tickets.c.updated_at.desc(), tickets.c.project_id.desc(), tickets.c.number.desc())


class Pages:
    """The pages of the tickets that a condition is true of.

    PostgreSQL plans a statement anew each time if it does not say by itself how many rows are wanted,
    and takes four times as long for that as for the page. So the usual one says so.
    """

    def __init__(self, columns: Sequence[ColumnElement[Any]], joined: Join, condition: Any) -> None:
        """Show these columns of tickets joined with others."""
        parts = (columns, joined, condition)
        self._usual = Statement(_page(*parts, literal_column(str(USUAL)), literal_column("0")))
        self._any = Statement(_page(*parts, bindparam("limit"), bindparam("offset")))

    def rows(self, transaction: Transaction, limit: int, offset: int, **values: Any) -> list[Row]:
        """Give the rows of a page."""
        if (limit, offset) == (USUAL, 0):
            return transaction.all(self._usual, **values)
        return transaction.all(self._any, limit=limit, offset=offset, **values)


def _page(
    columns: Sequence[ColumnElement[Any]],
    joined: Join,
    condition: Any,
    limit: ColumnElement[int],
    offset: ColumnElement[int],
) -> Select[Any]:
    """A page of tickets: the keys come off the index alone, then only these rows are read."""
    keys = (
        select(tickets.c.updated_at, tickets.c.project_id, tickets.c.number)
        .where(condition)
        .order_by(*_NEWEST_FIRST)
        .limit(limit)
        .offset(offset)
        .subquery("page")
    )
    return (
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
