"""Pages of tickets, the last changed first."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Join, Select, bindparam, literal_column, select

from skerry.store.statements import Row, Statement
from skerry.store.tables import tickets
from skerry.store.transactions import Transaction

_NEWEST_FIRST = (tickets.c.updated_at.desc(), tickets.c.project_id.desc(), tickets.c.number.desc())


class Pages:
    """The pages of the tickets that a condition is true of.

    PostgreSQL plans a statement anew each time if a value of it says how many rows are wanted, and takes
    four times as long for that as for the page. So there is a statement for each length of pages.
    """

    def __init__(self, columns: Sequence[ColumnElement[Any]], joined: Join, condition: Any) -> None:
        """Show these columns of tickets joined with others."""
        self._parts = (columns, joined, condition)
        self._of_length: dict[int, Statement] = {}

    def rows(self, transaction: Transaction, limit: int, offset: int, **values: Any) -> list[Row]:
        """Give the rows of a page."""
        return transaction.all(self.statement(limit), offset=offset, **values)

    def statement(self, limit: int) -> Statement:
        """Give what asks for a page of a length; it wants the values of the condition, and an ``offset``."""
        found = self._of_length.get(limit)
        if found is None:
            found = self._of_length[limit] = Statement(_page(*self._parts, limit))
        return found


def _page(
    columns: Sequence[ColumnElement[Any]],
    joined: Join,
    condition: Any,
    limit: int,
) -> Select[Any]:
    """A page of tickets: the keys come off the index alone, then only these rows are read."""
    keys = (
        select(tickets.c.updated_at, tickets.c.project_id, tickets.c.number)
        .where(condition)
        .order_by(*_NEWEST_FIRST)
        .limit(literal_column(str(limit)))
        # As a question of its own its plan does not depend on the value.
        .offset(select(bindparam("offset", type_=BigInteger)).scalar_subquery())
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
