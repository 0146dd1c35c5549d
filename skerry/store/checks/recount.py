"""The deep check: compares all redundant data while the service keeps running."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, bindparam, literal, select, tuple_

from skerry.database.database import Database
from skerry.database.statements import Row, Statement
from skerry.database.transactions import Transaction
from skerry.files.blobs import Blobs
from skerry.store import file_cleanup
from skerry.store.attachments import key_of
from skerry.store.checks import recount_references, recount_sums
from skerry.store.checks import search_index as recount_searches
from skerry.store.people import avatars
from skerry.store.search import index as search_index
from skerry.store.tables import attachments, users
from skerry.text.numbers import counted

GRACE = timedelta(days=1)
"""How long a file may exist without an attachment: servers remove such files every few hours."""

_TIES: dict[str, Callable[[Transaction], Iterator[str]]] = {
    "ids given": recount_references.ids_given,
    "things named": recount_references.names,
    "states of tickets": recount_references.classes,
    "tags and watchers": recount_references.tags_and_watchers,
    "words for the search": recount_references.words,
    "tags for the search": search_index.tag_differences,
}

_AT_ONCE = 1000


class _Files(NamedTuple):
    """Files that rows name; the statement returns the rows after a key."""

    title: str
    called: str
    rows: Statement


def _page(*columns: ColumnElement[Any]) -> Statement:
    """Return the statement for an account or the service, and an id, a code, a size and a name."""
    key, code = columns[:2], columns[2]
    after = (bindparam(name, type_=BigInteger) for name in ("after_account_id", "after_id"))
    rows = select(*columns).where(code.is_not(None), tuple_(*key) > tuple_(*after))
    return Statement(rows.order_by(*key).limit(_AT_ONCE), across_accounts=True)


_FILES = (
    _Files(
        "files of attachments",
        "file of attachment {1} of account {0}, {4},",
        _page(*(attachments.c[name] for name in ("account_id", "id", "code", "size", "filename"))),
    ),
    _Files(
        "pictures of people",
        "picture of user {1}",
        _page(literal(avatars.SERVICE), users.c.id, users.c.avatar_code, users.c.avatar_size, users.c.name),
    ),
)


@dataclass(frozen=True)
class Check:
    """A check: its title, and a message for each difference, which iterating finds."""

    title: str
    differences: Iterator[str]


def recount(database: Database, blobs: Blobs) -> Iterator[Check]:
    """Compare all stored counts; consume the differences of each check before starting the next.

    All rows are read in one snapshot. Raises Unavailable if the database or the files cannot be reached.
    """
    with database.read() as transaction:
        for kept in recount_sums.SUMS:
            yield Check(kept.title, database.yield_from(recount_sums.differences(transaction, kept)))
        for title, differences in _TIES.items():
            yield Check(title, database.yield_from(differences(transaction)))
    yield Check("searches for common words", recount_searches.differences(database))
    for kind in _FILES:
        yield Check(kind.title, _missing_files(database, blobs, kind))
    yield Check("attachments of files", _unclaimed_files(database, blobs))


def _missing_files(database: Database, blobs: Blobs, kind: _Files) -> Iterator[str]:
    """Read rows and files alternately, so that no transaction lasts as long as reading all files."""
    row: Row = (-1, 0)
    while some := _rows(database, kind, row[:2]):
        for row in some:
            account_id, row_id, code, size, _ = row
            found = blobs.size(key_of(account_id, code))
            # The row may have been changed or removed meanwhile with its file.
            if found != size and row in _rows(database, kind, (account_id, row_id - 1)):
                yield f"The {kind.called.format(*row)} {_state(found, size)}"


def _rows(database: Database, kind: _Files, after: Row) -> list[Row]:
    with database.read() as transaction:
        return transaction.all(kind.rows, after_account_id=after[0], after_id=after[1])


def _state(present: int | None, size: int) -> str:
    if present is None:
        return "is missing"
    return counted(f"has {{n}} {{byte|bytes}} and should have {size}", present)


def _unclaimed_files(database: Database, blobs: Blobs) -> Iterator[str]:
    youngest = datetime.now(UTC) - GRACE
    for batch in blobs.list_all():
        for key in file_cleanup.unknown(database, batch, youngest):
            owner = "nobody" if key.startswith(f"{avatars.SERVICE}/") else "no attachment"
            yield f"The file {key} belongs to {owner}"
