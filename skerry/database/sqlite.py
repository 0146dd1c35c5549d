"""SQLite: connections, transactions, time limits and errors, and the queue of writers.

Search on SQLite is in ``search/sqlite.py``.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import local
from time import monotonic
from typing import Any, cast

from sqlalchemy import URL, Engine, event

from skerry.database.durability import Disk
from skerry.database.interruptions import FOR_EVER, DriverErrors
from skerry.database.statements import CachedTexts
from skerry.database.writer_locks import TIMEOUT_SECONDS, WriterLock
from skerry.errors import Unavailable

SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    f"PRAGMA busy_timeout={TIMEOUT_SECONDS * 1000}",
    "PRAGMA cache_size=-8000",
    "PRAGMA temp_store=MEMORY",
    # A page that every change modifies is copied to the database once per checkpoint, while a writer waits.
    "PRAGMA wal_autocheckpoint=4000",
)

# Nobody can write while the log is emptied.
_LOG_SECONDS = 3

# The interval between checks of the clock, in steps of the virtual machine: some milliseconds.
_STEPS = 100_000


MAX_TEXT = 1_000_000
"""The most characters of single-use SQL that a driver may cache; each takes ten bytes or more."""


class Connection:
    """A connection of the driver with its one cursor."""

    def __init__(self, engine: Engine) -> None:
        """Connect, with the engine's configuration, and create the cursor."""
        prepared = engine.raw_connection()
        prepared.detach()
        self.raw = cast("Any", prepared.dbapi_connection)
        self.cursor = self.raw.cursor()
        self.texts = CachedTexts()
        # When a running statement is interrupted, by the monotonic clock.
        self.until = FOR_EVER

    def close(self) -> None:
        """Close it, in any state."""
        with suppress(Exception):
            self.raw.close()


class ConnectionPool:
    """A pool that keeps a maximum number of idle connections and opens more on demand."""

    def __init__(self, connect: Callable[[], Connection], most: int) -> None:
        self._connect, self._most = connect, most
        self._idle: list[Connection] = []
        self._used: set[Connection] = set()
        self.on_loss: Callable[[], None] = lambda: None

    @property
    def in_use(self) -> int:
        """Return the number of connections in use."""
        return len(self._used)

    def open(self) -> None:
        """Do nothing: connections are opened on demand."""

    def acquire(self) -> Connection:
        """Return a connection for one caller; the most recently used one is warm."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        self._used.add(connection)
        return connection

    def release(self, connection: Connection) -> None:
        """Keep a connection with no transaction for the next caller; close it if it holds too much text."""
        self._used.discard(connection)
        if len(self._idle) >= self._most or connection.texts.length > MAX_TEXT:
            connection.close()
        else:
            self._idle.append(connection)

    def drop(self, connection: Connection) -> None:
        """Close a connection that must not be reused."""
        self._used.discard(connection)
        connection.close()

    def close(self) -> None:
        """Close all idle connections."""
        while self._idle:
            self._idle.pop().close()


class _Writer(local):
    """The state of a writing thread: whether it waits until its commit is on disk."""

    waits = False


class SQLite:
    """SQLite: one file, one writer at a time."""

    paramstyle = "qmark"
    is_distributed = False
    driver_errors = DriverErrors(
        (sqlite3.OperationalError,),
        (sqlite3.IntegrityError,),
        lambda error: getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT,
        damaged=sqlite3.DatabaseError,
    )

    def __init__(self, engine: Engine, connections: int, *, durable: bool, read_seconds: int) -> None:
        """Configure future connections; reads are interrupted after the time limit, 0 means no limit."""
        self._read_seconds = read_seconds
        event.listen(engine, "connect", _set_pragmas)
        self.pool = ConnectionPool(lambda: Connection(engine), connections)
        name = engine.url.database
        path = Path(name) if name and name != ":memory:" else None
        self._disk = Disk(path) if path else None
        self._durable, self._writer = durable, _Writer()
        self._lock = WriterLock(Path(f"{path}-writer") if path else None)

    @staticmethod
    def connecting(_address: URL) -> dict[str, Any]:
        """Return the driver's connection options."""
        return {
            "isolation_level": None,
            "check_same_thread": False,
            "cached_statements": 500,
            "timeout": TIMEOUT_SECONDS,
        }

    def begin_read(self, connection: Connection) -> None:
        """Begin a read-only transaction."""
        _interrupt(connection, monotonic() + self._read_seconds if self._read_seconds else FOR_EVER)
        connection.cursor.execute("BEGIN")

    begin_queries = begin_read

    @staticmethod
    def snapshot(_connection: Connection) -> AbstractContextManager[None]:
        """Use one snapshot, which every transaction has."""
        return nullcontext()

    def begin_write(self, connection: Connection) -> None:
        """Begin a write transaction; wait for the lock as long as necessary.

        Raises Unavailable if the commit could not be made durable.
        """
        _interrupt(connection, FOR_EVER)
        connection.cursor.execute("BEGIN IMMEDIATE")
        self._writer.waits = False
        if self._durable:
            self.make_durable(connection.cursor)

    def make_durable(self, _cursor: sqlite3.Cursor) -> None:
        """Make ``settle`` wait until the changes are on disk; raises Unavailable if that is not possible."""
        if self._disk and not self._writer.waits:
            self._disk.prepare()
            self._writer.waits = True

    @staticmethod
    @contextmanager
    def limited(connection: Connection, seconds: float) -> Iterator[None]:
        """Interrupt a query that takes longer than the given number of seconds."""
        before = connection.until
        _interrupt(connection, min(before, monotonic() + seconds))
        try:
            yield
        finally:
            _interrupt(connection, before)

    def attempt(self, _connection: Connection) -> AbstractContextManager[None]:
        """Raise QueryTimeout if a query is interrupted; the transaction is not affected."""
        return self.driver_errors

    @staticmethod
    def end_read(connection: Connection) -> None:
        """End a read-only transaction."""
        connection.cursor.execute("COMMIT")

    @staticmethod
    def end_write(connection: Connection) -> None:
        """Commit."""
        connection.cursor.execute("COMMIT")

    @staticmethod
    def undo(connection: Connection) -> None:
        """Roll back; raises the driver's errors if the connection is no longer usable."""
        connection.cursor.execute("ROLLBACK")

    def settle(self) -> None:
        """Wait until the commit is on disk, if it must be durable; raises Unavailable on failure."""
        if self._disk and self._writer.waits:
            self._disk.settle()

    def empty_log(self, engine: Engine) -> None:
        """Move the log into the database and empty it, unless others read or write for some seconds."""
        with engine.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={_LOG_SECONDS * 1000}")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def write_slot(self, _account_id: int = 0, *, wait_forever: bool = False) -> AbstractContextManager[None]:
        """Admit one writer at a time among all processes.

        Raises Unavailable after a while unless ``wait_forever``.

        SQLite's own waiting sleeps and retries, so an unlucky writer can starve for a second; the kernel's
        file lock wakes the next one at once.
        """
        return self._lock.held(wait_forever=wait_forever)

    def close(self) -> None:
        """Close the log; the next writer opens it again."""
        if self._disk:
            self._disk.close()

    @staticmethod
    def is_spent(error: BaseException) -> bool:
        """Return whether a connection can only read, as one opened while the file was not writable."""
        return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY


def _interrupt(connection: Connection, until: float) -> None:
    """Interrupt a running statement at a given time."""
    connection.until = until
    is_over = (lambda: monotonic() > until) if until < FOR_EVER else None
    connection.raw.set_progress_handler(is_over, _STEPS)


def _set_pragmas(connection: sqlite3.Connection, _record: object) -> None:
    try:
        for pragma in SQLITE_PRAGMAS:
            connection.execute(pragma)
    except sqlite3.DatabaseError as error:
        # The file is damaged, or not a SQLite database.
        connection.close()
        raise Unavailable from error
