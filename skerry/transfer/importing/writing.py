"""Writes the rows of an imported project into the tables, in transactions between which others can write."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import IO

from skerry.chunks import chunks
from skerry.database import locks
from skerry.database.database import Database
from skerry.database.rows import Columns
from skerry.database.transactions import Transaction
from skerry.errors import Conflict
from skerry.store import states, tags
from skerry.store.search import index as search_index
from skerry.store.transfer import imports as store
from skerry.wire import json

HELD_SECONDS = 0.3
"""How long a transaction of an import holds SQLite's lock."""

_AT_ONCE = 100
"""How many tickets are indexed in one transaction."""

Progress = Callable[[str, int, int], object]
"""Is called with what is being done, how much of it is done, and how much there is."""


class ProjectWriter:
    """Writes one project, which becomes visible with the last of its rows."""

    def __init__(self, database: Database, account_id: int, project_id: int, progress: Progress) -> None:
        """Create a writer; ``progress`` is called often."""
        self._database, self._account_id = database, account_id
        self._project_id, self._progress = project_id, progress
        self._kept: set[str] = set()

    def write(
        self, lines: IO[bytes], last: Mapping[str, list[Columns]], check: Callable[[Transaction, int], None]
    ) -> None:
        """Write the rows of a file, then the last ones; ``check`` sees the first transaction and the size.

        Raises as ``check`` does, and Conflict if another import has removed the project meanwhile.
        """
        size = lines.tell()
        lines.seek(0)
        with self._database.write(self._account_id) as transaction:
            check(transaction, size)
            self._keep_some(transaction, lines)
        while lines.tell() < size:
            with self._begin() as transaction:
                self._keep_some(transaction, lines)
            self._progress("Writing bytes", lines.tell(), size)
        self._index()
        with self._begin() as transaction:
            store.keep(transaction, last)
            states.COUNTS.recount(transaction, self._project_id)
            tags.COUNTS.recount(transaction, self._project_id)

    @contextmanager
    def _begin(self) -> Iterator[Transaction]:
        """Begin a transaction for the rest of the project; raises Conflict if it has been removed."""
        with self._database.write(self._account_id) as transaction:
            locks.lock_exclusive(transaction, self._project_id)
            if not store.is_there(transaction, self._project_id):
                raise Conflict("What was imported so far has been removed by another import")
            yield transaction

    def _keep_some(self, transaction: Transaction, lines: IO[bytes]) -> None:
        """Write some rows; PostgreSQL gets its statistics with the first tickets."""
        until = monotonic() + HELD_SECONDS
        while line := lines.readline():
            some: dict[str, list[Columns]] = json.decode(line)
            store.keep(transaction, some)
            if "tickets" in some and "tickets" not in self._kept:
                store.measure(transaction)
            self._kept.update(some)
            # The first transaction writes the project.
            if "projects" in self._kept and monotonic() >= until:
                return

    def _index(self) -> None:
        with self._database.read(self._account_id) as transaction:
            numbers = search_index.numbers_in_order(transaction, self._project_id)
        for done, some in enumerate(chunks(numbers, _AT_ONCE)):
            with self._begin() as transaction:
                search_index.index_new(transaction, self._project_id, some)
            self._progress("Indexing tickets", done * _AT_ONCE + len(some), len(numbers))
