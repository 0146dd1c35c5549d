"""SQLite and PostgreSQL: what differs in connecting, beginning, waiting and failing.

What differs in searching stands in the search.
"""

import sqlite3
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Semaphore
from types import TracebackType
from typing import Any

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from skerry.errors import Collision, Unavailable
from skerry.store.durability import Disk
from skerry.store.turns import PATIENCE_SECONDS, Queue, Turn

# One of so many connections to PostgreSQL may write; more writers would only take readers' time from them.
WRITERS_SHARE = 12

SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    f"PRAGMA busy_timeout={PATIENCE_SECONDS * 1000}",
    "PRAGMA mmap_size=1073741824",
    "PRAGMA cache_size=-16000",
    "PRAGMA temp_store=MEMORY",
    # A page that every change touches is copied to the database once for so many, while a writer waits.
    "PRAGMA wal_autocheckpoint=4000",
)


class Troubles:
    """A context that turns what a driver raises into the product's own errors; it can be entered again."""

    def __init__(self, operational: type[Exception], integrity: type[Exception]) -> None:
        """Know the driver's errors."""
        self._operational = (operational, DBAPIError)
        self._integrity = integrity

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Raise Collision or Unavailable for an error of the driver."""
        if isinstance(error, self._integrity):
            raise Collision from error
        if isinstance(error, self._operational):
            raise Unavailable from error


_BEGIN_READ = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; "
    "SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_snapshot()::text END"
)


IS_SPREAD = "current_setting('citus.shard_count', TRUE) IS NOT NULL"
"""Whether tables may be spread over machines: the library for that is there from the server's start."""

# One machine after the other, each through one connection, which sees one moment of it; and settings of a
# transaction go with it wherever it goes.
_SPREAD = ("SET citus.multi_shard_modify_mode TO 'sequential'", "SET citus.propagate_set_commands TO 'local'")


class SQLite:
    """SQLite: one file, one writer at a time."""

    is_elsewhere = False
    is_spread = False
    troubles = Troubles(sqlite3.OperationalError, sqlite3.IntegrityError)

    def __init__(self, engine: Engine, _connections: int, *, durable: bool) -> None:
        """Prepare every connection that will be made."""
        event.listen(engine, "connect", _set_pragmas)
        name = engine.url.database
        path = Path(name) if name and name != ":memory:" else None
        self._disk = Disk(path) if durable and path else None
        self._turn = Turn()
        self._queue = Queue(Path(f"{path}-writer")) if path else None

    @staticmethod
    def begin_read(cursor: Any) -> Hashable:
        """Begin to read, and give what differs for two moments at which the connection sees different data.

        The version counts what other connections change, the total what this one does; and asking
        for the version fixes the moment that the transaction sees.
        """
        cursor.execute("BEGIN")
        (version,) = cursor.execute("PRAGMA data_version").fetchone()
        return version, cursor.connection.total_changes

    @staticmethod
    def begin_write(cursor: Any) -> None:
        """Begin to write."""
        cursor.execute("BEGIN IMMEDIATE")

    def settle(self) -> None:
        """Wait until what was committed is on the disk; raises Unavailable if it does not come there."""
        if self._disk:
            self._disk.settle()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let one thread at a time prepare what it will write, and write it.

        Only one can write, and those that prepare meanwhile would take the interpreter from it at
        every row. The turn is over when something was written, before the disk is waited for.
        """
        self._turn.begin()
        try:
            yield
        finally:
            self._turn.end()

    @contextmanager
    def gate(self) -> Iterator[None]:
        """Let one writer in at a time, of all processes.

        SQLite's own waiting sleeps and retries, so an unlucky writer can starve for a second; the
        kernel's file lock wakes the next one at once.
        """
        self._turn.begin()
        try:
            with self._queue.front() if self._queue else nullcontext():
                yield
        finally:
            self._turn.end()

    def close(self) -> None:
        """Leave the queue of writers; who writes again enters it again."""
        if self._queue:
            self._queue.close()

    @staticmethod
    def is_gone(_error: BaseException) -> bool:
        """An embedded database has no connection to lose."""
        return False


class PostgreSQL:
    """PostgreSQL through psycopg: a server, which has room for so many connections."""

    is_elsewhere = True
    is_spread = False

    def __init__(self, engine: Engine, connections: int, *, durable: bool) -> None:
        """Prepare every connection that will be made."""
        import psycopg  # noqa: PLC0415 - an extra: not installed where only SQLite is used

        self.troubles = Troubles(psycopg.OperationalError, psycopg.IntegrityError)
        event.listen(engine, "connect", self._look)
        if not durable:
            event.listen(engine, "connect", _hurry)
        self._writers = Semaphore(max(1, connections // WRITERS_SHARE))

    def _look(self, connection: Any, _record: object) -> None:
        """Learn whether tables may be spread, and prepare for it."""
        (self.is_spread,) = connection.execute(f"SELECT {IS_SPREAD}").fetchone()
        for statement in _SPREAD if self.is_spread else ():
            connection.execute(statement)

    def begin_read(self, cursor: Any) -> Hashable:
        """Begin to read, and give what differs for two moments at which the connection sees different data.

        That is the snapshot: it names every transaction whose changes are not to be seen. On a
        standby it names too few, and where tables are spread it knows nothing of the changes on
        other machines; there is no answer then.
        """
        # Two statements in one message, which cannot be prepared.
        cursor.execute(_BEGIN_READ, prepare=False)
        cursor.nextset()
        (snapshot,) = cursor.fetchone()
        found: str | None = snapshot
        return None if self.is_spread else found

    @staticmethod
    def begin_write(cursor: Any) -> None:
        """Begin to write."""
        cursor.execute("BEGIN")

    @staticmethod
    def turn() -> AbstractContextManager[None]:
        """Let everybody prepare at once: the server does the work."""
        return nullcontext()

    def settle(self) -> None:
        """PostgreSQL has waited for the disk itself."""

    @contextmanager
    def gate(self) -> Iterator[None]:
        """Let some writers in at a time, so that there are always connections for those who only read.

        PostgreSQL queues its writers row by row, and each of them holds a connection meanwhile.
        """
        if not self._writers.acquire(timeout=PATIENCE_SECONDS):
            raise Unavailable
        try:
            yield
        finally:
            self._writers.release()

    def close(self) -> None:
        """Have nothing open but connections, which are the pool's."""

    @staticmethod
    def is_gone(error: BaseException) -> bool:
        """Say whether the server closed the connection while it was in the pool."""
        import psycopg  # noqa: PLC0415 - an extra: not installed where only SQLite is used

        return isinstance(error, psycopg.OperationalError)


KINDS: dict[str, Any] = {"sqlite": SQLite, "postgresql": PostgreSQL}
"""What each database needs, by the name of its dialect."""


def engine_at(url: str) -> Engine:
    """Make the engine; raises ValueError in words for an address that cannot be used."""
    try:
        address = make_url(url)
        if address.get_backend_name() == "sqlite":
            return create_engine(
                address,
                poolclass=NullPool,
                connect_args={
                    "isolation_level": None,
                    "check_same_thread": False,
                    "cached_statements": 500,
                    "timeout": PATIENCE_SECONDS,
                },
            )
        return create_engine(
            address,
            poolclass=NullPool,
            paramstyle="format",
            connect_args={"autocommit": True, "connect_timeout": 5},
        )
    except NoSuchModuleError as error:
        raise ValueError(f"The database address names a kind that is not known: {error}") from error
    except (ArgumentError, ValueError) as error:
        # The address may hold a password, so the sentence does not repeat it.
        raise ValueError("SKERRY_DATABASE_URL cannot be read as the address of a database") from error
    except ModuleNotFoundError as error:
        raise ValueError(
            "PostgreSQL needs the driver: install skerry with its extra, 'pip install skerry[postgres]'"
        ) from error


def _hurry(connection: Any, _record: object) -> None:
    connection.execute("SET synchronous_commit TO off")


def _set_pragmas(connection: sqlite3.Connection, _record: object) -> None:
    try:
        for pragma in SQLITE_PRAGMAS:
            connection.execute(pragma)
    except sqlite3.DatabaseError as error:
        # The file is damaged, or none of SQLite's.
        connection.close()
        raise Unavailable from error
