"""SQLite and PostgreSQL: what differs in connecting, beginning, waiting and failing.

What differs in searching stands in the search.
"""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Semaphore
from types import ModuleType
from typing import Any, BinaryIO

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from skerry.errors import Collision, Trouble, Unavailable
from skerry.store.durability import Disk

# A writer waits this long for another one before the caller is told to come back.
PATIENCE_SECONDS = 20

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
)


@dataclass(frozen=True)
class SQLite:
    """SQLite: one file, one writer at a time."""

    engine: Engine
    durable: bool
    begin_read = "BEGIN"
    begin_write = "BEGIN IMMEDIATE"

    def __post_init__(self) -> None:
        """Prepare every connection that will be made."""
        event.listen(self.engine, "connect", _set_pragmas)
        object.__setattr__(self, "_lock", Lock())
        path = self.engine.url.database or ""
        object.__setattr__(self, "_disk", Disk(Path(path)) if self.durable and _is_file(path) else None)

    def settle(self) -> None:
        """Wait until what was committed is on the disk; raises Unavailable if it does not come there."""
        disk: Disk | None = self.__dict__["_disk"]
        if disk:
            disk.settle()

    @contextmanager
    def gate(self) -> Iterator[None]:
        """Let one writer in at a time, of all processes.

        SQLite's own waiting sleeps and retries, so an unlucky writer can starve for a second; the
        kernel's file lock wakes the next one at once.
        """
        lock: Lock = self.__dict__["_lock"]
        if not lock.acquire(timeout=PATIENCE_SECONDS):
            raise Unavailable
        try:
            with self._file_lock():
                yield
        finally:
            lock.release()

    @contextmanager
    def _file_lock(self) -> Iterator[None]:
        path = self.engine.url.database
        if not _is_file(path):
            yield
            return
        with _opened(Path(f"{path}-writer")) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextmanager
    def troubles(self) -> Iterator[None]:
        """Turn what the driver raises into the product's own errors."""
        with _translated(sqlite3, sqlite3.OperationalError, sqlite3.IntegrityError):
            yield

    @staticmethod
    def is_gone(_error: Exception) -> bool:
        """An embedded database has no connection to lose."""
        return False


@dataclass(frozen=True)
class PostgreSQL:
    """PostgreSQL through psycopg."""

    engine: Engine
    durable: bool
    begin_read = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
    begin_write = "BEGIN"

    def __post_init__(self) -> None:
        """Prepare every connection that will be made."""
        if not self.durable:
            event.listen(self.engine, "connect", _hurry)
        pool: Any = self.engine.pool
        object.__setattr__(self, "_writers", Semaphore(max(1, pool.size() // WRITERS_SHARE)))

    def settle(self) -> None:
        """PostgreSQL has waited for the disk itself."""

    @contextmanager
    def gate(self) -> Iterator[None]:
        """Let some writers in at a time, so that there are always connections for those who only read.

        PostgreSQL queues its writers row by row, and each of them holds a connection meanwhile.
        """
        writers: Semaphore = self.__dict__["_writers"]
        if not writers.acquire(timeout=PATIENCE_SECONDS):
            raise Unavailable
        try:
            yield
        finally:
            writers.release()

    @contextmanager
    def troubles(self) -> Iterator[None]:
        """Turn what the driver raises into the product's own errors."""
        import psycopg  # noqa: PLC0415 - an extra: not installed where only SQLite is used

        with _translated(psycopg, psycopg.OperationalError, psycopg.IntegrityError):
            yield

    @staticmethod
    def is_gone(error: Exception) -> bool:
        """Say whether the server closed the connection while it was in the pool."""
        import psycopg  # noqa: PLC0415 - an extra: not installed where only SQLite is used

        return isinstance(error, psycopg.OperationalError)


KINDS: dict[str, Any] = {"sqlite": SQLite, "postgresql": PostgreSQL}
"""What each database needs, by the name of its dialect."""


@contextmanager
def _translated(
    _driver: ModuleType, operational: type[Exception], integrity: type[Exception]
) -> Iterator[None]:
    try:
        yield
    except Trouble:
        raise
    except integrity as error:
        raise Collision from error
    except (operational, DBAPIError, PoolTimeoutError) as error:
        raise Unavailable from error


def engine_at(url: str, connections: int) -> Engine:
    """Make the engine; raises ValueError in words for an address that cannot be used."""
    try:
        address = make_url(url)
        if address.get_backend_name() == "sqlite":
            return create_engine(
                address,
                pool_size=connections,
                max_overflow=-1,
                pool_reset_on_return=None,
                connect_args={
                    "isolation_level": None,
                    "check_same_thread": False,
                    "cached_statements": 500,
                    "timeout": PATIENCE_SECONDS,
                },
            )
        return create_engine(
            address,
            paramstyle="format",
            pool_size=connections,
            max_overflow=0,
            pool_timeout=PATIENCE_SECONDS,
            pool_reset_on_return=None,
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


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("ab")
    except OSError as error:
        raise Unavailable from error


def _is_file(path: str | None) -> bool:
    return bool(path) and path != ":memory:"


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
