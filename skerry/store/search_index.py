"""Keeps the words of tickets, so that they are found.

Whoever changes a ticket or one of its texts calls ``index`` in the same transaction. The words of a
ticket that is removed go with it.
"""

from collections.abc import Sequence

from skerry.store import (
    accounts,
    search_documents,
    search_postgres_index,
    search_sqlite_index,
    search_tags,
)
from skerry.store.database import Database
from skerry.store.transactions import Transaction

_KEEPERS = {"sqlite": search_sqlite_index.keep, "postgresql": search_postgres_index.keep}
_ADDERS = {"sqlite": search_sqlite_index.add, "postgresql": search_postgres_index.add}


def index(transaction: Transaction, project_id: int, number: int) -> None:
    """Keep the words of a ticket as it stands now."""
    keep = _KEEPERS[transaction.dialect.name]
    keep(transaction, search_documents.one(transaction, project_id, number))


def index_opened(transaction: Transaction, key: tuple[int, int], title: str, body: str) -> None:
    """Keep the words of a ticket that this transaction has opened, by project and number."""
    keep = _KEEPERS[transaction.dialect.name]
    keep(transaction, [search_documents.opened(transaction, key, title, body)])


def expect_commented(transaction: Transaction, key: tuple[int, int]) -> None:
    """Expect that ``index_commented`` is called, on PostgreSQL, which alone is told beforehand."""
    search_postgres_index.expect(transaction, key)


def index_commented(transaction: Transaction, key: tuple[int, int], comment: str) -> None:
    """Keep the words of a comment, which may be empty, with which this transaction has changed a ticket.

    The other words of the ticket are not read again: its other texts, and its title, are what they were.
    """
    if not _ADDERS[transaction.dialect.name](transaction, key, comment):
        index(transaction, *key)


def expect_renamed(transaction: Transaction, key: tuple[int, int, int]) -> None:
    """Expect that ``index_renamed`` is called for a version."""
    search_documents.expect_earlier(transaction, key)


def index_renamed(
    transaction: Transaction, key: tuple[int, int, int], title: str, texts: tuple[str, str]
) -> None:
    """Keep the words of a ticket that this transaction has given another title, by the version it made.

    ``texts`` are the opening text and that version's; those of the versions before are read again.
    """
    keep = _KEEPERS[transaction.dialect.name]
    keep(transaction, [search_documents.changed(transaction, key, title, *texts)])


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


def reindex(database: Database, *, at_once: int = 200) -> int:
    """Keep the words and tags of every ticket of every account anew, and give how many there are.

    Others may read and write meanwhile: only so many tickets at once are in one transaction.
    """
    with database.write() as transaction:
        search_tags.mend(transaction)
        found = accounts.listed(transaction)
    return sum(_reindex(database, account.id, at_once) for account in found)


def _reindex(database: Database, account_id: int, at_once: int) -> int:
    done = 0
    last: tuple[int, int] | None = (0, 0)
    while last:
        with database.write(account_id) as transaction:
            documents = search_documents.after(transaction, *last, at_once)
            _KEEPERS[transaction.dialect.name](transaction, documents)
        done += len(documents)
        last = (documents[-1].project_id, documents[-1].number) if documents else None
    return done
