"""Keeps the words of tickets, so that they are found.

Whoever changes a ticket or one of its texts calls ``index`` in the same transaction. The words of a
ticket that is removed go with it.
"""

from collections.abc import Sequence

from skerry.store import search_documents, search_postgres_index, search_sqlite_index
from skerry.store.database import Transaction

_KEEPERS = {"sqlite": search_sqlite_index.keep, "postgresql": search_postgres_index.keep}


def index(transaction: Transaction, project_id: int, number: int) -> None:
    """Keep the words of a ticket as it stands now."""
    keep = _KEEPERS[transaction.dialect.name]
    keep(transaction, search_documents.one(transaction, project_id, number))


def index_several(transaction: Transaction, project_id: int, numbers: Sequence[int]) -> None:
    """Keep the words of some tickets of a project as they stand now."""
    keep = _KEEPERS[transaction.dialect.name]
    keep(transaction, search_documents.several(transaction, project_id, numbers))


def index_after(
    transaction: Transaction, project_id: int, number: int, *, limit: int
) -> tuple[int, int] | None:
    """Keep the words of so many tickets that follow one, by project and number.

    Gives the project and number of the last of them, None if none follows.
    """
    found = search_documents.after(transaction, project_id, number, limit)
    _KEEPERS[transaction.dialect.name](transaction, found)
    return (found[-1].project_id, found[-1].number) if found else None
