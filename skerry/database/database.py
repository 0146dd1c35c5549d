"""The databases, and how their transactions begin and end."""

import errno
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import perf_counter, time_ns
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from skerry.database.cache import WeightedCache
from skerry.database.interruptions import TimeLimit
from skerry.database.postgresql import PostgreSQL
from skerry.database.sqlite import SQLite
from skerry.database.transactions import FileStorage, Lifetimes, Transaction
from skerry.errors import Unavailable
from skerry.mail_settings import MailSettings
from skerry.sealing.key_ring import KeyRing

T = TypeVar("T")

Report = Callable[[Exception], None]
Observe = Callable[[str, float], None]

_KINDS: dict[str, Any] = {"sqlite": SQLite, "postgresql": PostgreSQL}
"""The implementation for each database, by the name of its dialect."""

_IS_READ_ONLY = {
    "sqlite": "SELECT 0",
    "postgresql": "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean",
}


def engine_at(url: str) -> Engine:
    """Return the engine for a URL; raises ValueError with a message if it cannot be used."""
    try:
        address = make_url(url)
        kind = _KINDS[address.get_backend_name()]
        return create_engine(
            address, poolclass=NullPool, paramstyle=kind.paramstyle, connect_args=kind.connecting(address)
        )
    except (NoSuchModuleError, KeyError) as error:
        raise ValueError(f"SKERRY_DATABASE_URL names an unknown kind of database: {error}") from error
    except (ArgumentError, ValueError) as error:
        # The URL may contain a password, so the message does not repeat it.
        raise ValueError("SKERRY_DATABASE_URL is not a valid URL") from error
    except ModuleNotFoundError as error:
        raise ValueError(
            "PostgreSQL needs the driver: install skerry with its extra, 'pip install skerry[postgres]'"
        ) from error


class Database:
    """A database with its connections; there is one in each process.

    ``clock`` returns the time of transactions. ``observe`` is called after each successful one, with ``read``
    or ``write`` and the seconds spent in the database. ``mail`` has the settings of outgoing mail, None
    without it; ``lifetimes`` says how long sessions and tokens last. ``keys`` encrypt secrets; without any,
    secrets are stored as they are. ``administrators_need_factors`` says that a password is enough for no
    administrator.
    """

    def __init__(
        self,
        url: str,
        connections: int = 10,
        *,
        blobs: FileStorage | None = None,
        report: Report | None = None,
        durable: bool = True,
        read_seconds: int = 0,
        mail_host: str = "",
    ) -> None:
        """Create a database; connections are opened on demand.

        ``report`` is called with errors after a commit. ``durable`` says whether a commit must survive a
        power failure; it always survives the end of the program. A transaction that reads for more than
        ``read_seconds`` raises QueryTimeout, as does a search in a write transaction that takes a share of
        that; 0 means no limit.
        """
        self.clock = _now
        self.observe: Observe = _unobserved
        self.blobs = blobs
        self.mail: MailSettings | None = None
        self.mail_host = mail_host
        self.keys = KeyRing()
        self.lifetimes = Lifetimes()
        self.administrators_need_factors = False
        self._forget()
        self._report = report
        self._read_seconds = read_seconds
        self.engine = engine_at(url)
        self._kind = _KINDS[self.engine.dialect.name](
            self.engine, connections, durable=durable, read_seconds=read_seconds
        )
        self._pool: Any = self._kind.pool
        self._pool.on_loss = self._forget

    @contextmanager
    def read(self, account_id: int = 0, *, snapshot: bool = True) -> Iterator[Transaction]:
        """Begin a read-only transaction that sees one snapshot of the database.

        With ``snapshot=False`` each statement may see what was committed before it began, where that is
        cheaper; statements that must agree run within ``Transaction.snapshot``. Raises Unavailable if the
        database does not respond.
        """
        begin = self._kind.begin_read if snapshot else self._kind.begin_queries
        with (
            self._kind.driver_errors,
            self._transaction(account_id, perf_counter(), begin, self._kind.end_read) as transaction,
        ):
            # Write transactions have their own cache, because they may be rolled back.
            transaction.known_tickets, transaction.known_counts = self.known_tickets, self.known_counts
            yield transaction
        self.observe("read", transaction.seconds)

    def yield_from(self, items: Iterator[T]) -> Iterator[T]:
        """Yield the results of a transaction to code outside it; raises Unavailable as it does."""
        with self._kind.driver_errors:
            yield from items

    @contextmanager
    def write(self, account_id: int = 0) -> Iterator[Transaction]:
        """Begin a write transaction: committed at the end, rolled back after any error.

        Raises Unavailable if the database does not respond or other writers take too long.
        """
        began = perf_counter()
        with (
            self._kind.driver_errors,
            self._kind.write_slot(account_id),
            self._transaction(
                account_id, began, self._kind.begin_write, self._kind.end_write, writes=True
            ) as transaction,
        ):
            yield transaction
            for work in transaction.before_commit_callbacks:
                work()
        committed = perf_counter()
        self._kind.settle()
        self.observe("write", transaction.seconds + perf_counter() - committed)
        for work in transaction.after_commit_callbacks:
            self._attempt(work)

    def _attempt(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the change is committed, so the request must not fail
            if self._report:
                self._report(error)

    @contextmanager
    def _transaction(
        self,
        account_id: int,
        began: float,
        begin: Callable[[Any], None],
        end: Callable[[Any], None],
        *,
        writes: bool = False,
    ) -> Iterator[Transaction]:
        connection = self._pool.acquire()
        try:
            begin(connection)
        except BaseException:
            self._lose(connection)
            raise
        try:
            transaction = Transaction(
                self,
                connection.cursor,
                account_id,
                TimeLimit(self._kind, connection, self._read_seconds, writes=writes),
                writes=writes,
            )
            transaction.seconds = perf_counter() - began
            transaction.texts = connection.texts
            transaction.snapshot = partial(self._kind.snapshot, connection)
            yield transaction
            ended = perf_counter()
            end(connection)
            transaction.seconds += perf_counter() - ended
        except BaseException as error:
            self._undo(connection, is_spent=self._kind.is_spent(error))
            raise
        self._pool.release(connection)

    def _undo(self, connection: Any, *, is_spent: bool) -> None:
        try:
            self._kind.undo(connection)
        except Exception:  # noqa: BLE001 - the connection is dropped after any error
            is_spent = True
        if is_spent:
            self._lose(connection)
        else:
            self._pool.release(connection)

    def _lose(self, connection: Any) -> None:
        """Close a failed connection and drop the cache: the database may have lost changes that were seen."""
        self._pool.drop(connection)
        self._forget()

    def _forget(self) -> None:
        # Running read transactions still fill the old caches, which are no longer used.
        self.known_tickets: WeightedCache[Hashable, Any] = WeightedCache()
        self.known_counts: WeightedCache[Hashable, Any] = WeightedCache()

    @property
    def is_distributed(self) -> bool:
        """Return whether the tables may be distributed over several machines."""
        return bool(self._kind.is_distributed)

    def make_durable(self, cursor: Any) -> None:
        """Make the commit of a cursor's writes wait for the disk, even if other commits do not.

        Raises Unavailable if that is not possible.
        """
        self._kind.make_durable(cursor)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Take the program's write lock, if the database needs one.

        It waits for other holders without a limit, because a migration may take minutes. Raises Unavailable
        if the database does not respond.
        """
        with self._kind.driver_errors, self._kind.write_slot(wait_forever=True):
            yield

    def empty_log(self) -> None:
        """Free the disk space that large changes took in the log, unless others keep it busy."""
        with suppress(Unavailable), self._kind.driver_errors, self._kind.write_slot():
            self._kind.empty_log(self.engine)

    def connections_in_use(self) -> int:
        """Return the number of connections in use."""
        return int(self._pool.in_use)

    def ping(self) -> None:
        """Raise Unavailable unless the database responds and accepts changes."""
        with self.read() as transaction:
            ((is_read_only,),) = transaction.sql(_IS_READ_ONLY[transaction.dialect.name], [])
        if is_read_only:
            raise Unavailable from OSError(errno.EROFS, "The database accepts no changes")

    def open(self) -> None:
        """Start the threads that connect, if any; otherwise the first transaction does."""
        self._pool.open()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
        self._kind.close()
        self.engine.dispose()


def _unobserved(_kind: str, _seconds: float) -> None:
    """Do nothing."""


def _now() -> int:
    return time_ns() // 1000
