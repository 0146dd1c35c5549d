"""The PostgreSQL connections of one process: psycopg's own, from its own pool."""

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from threading import Lock
from time import monotonic
from typing import Any

from psycopg import Connection as Driver
from psycopg import Cursor, Error, OperationalError
from psycopg.types.numeric import Int8Dumper
from psycopg_pool import ConnectionPool

from skerry.database.statements import CachedTexts, Unprepared

WAIT_SECONDS = 2
"""How long a caller waits for a connection while all are in use, or while the server is down."""

WAITING_EACH = 16
"""How many callers may wait for each connection; more are told to retry."""

# The driver warns of lost connections and their pipelines. Callers get the relevant errors, as does the log.
logging.getLogger("psycopg").setLevel(logging.ERROR)

PREPARED = 200
"""How many statements stay prepared on a connection, the most recently used ones."""


class _Cursor(Cursor[Any]):
    """A cursor of the driver that knows the number of affected rows also within a pipeline."""

    @property
    def rowcount(self) -> int:
        """Return the number of affected rows, as soon as the server has reported it."""
        if self.connection.info.pipeline_status:
            with self.connection.pipeline():
                # Entering an inner pipeline waits for everything that was sent in the outer one.
                pass
        return super().rowcount


class PostgresqlSession:
    """One connection, or several in turn, on which statements and transactions are executed."""

    def __init__(self, pool: "ConnectionPool[Driver[Any]]", on_loss: Callable[[], None]) -> None:
        """Take a connection for exclusive use; raises the driver's error if there is none.

        ``on_loss`` is called for each dead connection.
        """
        self.cursor = self
        self.texts = CachedTexts()
        self.in_transaction = False
        self._pool, self._on_loss = pool, on_loss
        self._acquire()
        self._sent_together = False
        self._sending = ExitStack()

    def execute(self, text: str, values: Sequence[Any] = ()) -> Cursor[Any]:
        """Execute a statement with ``%s`` for each value, and return the cursor.

        Outside a transaction a statement changes nothing, so it is retried on other connections of the pool
        if a connection turns out to be dead.
        """
        prepare = not isinstance(text, Unprepared)
        if self._sent_together:
            return self.raw.execute(text, values, prepare=prepare)
        until = monotonic() + WAIT_SECONDS
        while True:
            try:
                return self._only.execute(text, values, prepare=prepare)
            except OperationalError as error:
                if self.in_transaction or not _is_lost(error) or monotonic() > until:
                    raise
            self._on_loss()
            self.raw.close()
            self.release()
            self._acquire()

    def _acquire(self) -> None:
        self.raw = self._pool.getconn()
        self._is_taken = True
        # Creating a cursor costs half as much as a small statement.
        self._only = self.raw.cursor()

    def release(self) -> None:
        """Return the connection to the pool, unless it was dead and could not be replaced."""
        if self._is_taken:
            self._is_taken = False
            self._pool.putconn(self.raw)

    def begin(self, text: str) -> None:
        """Begin a transaction."""
        self.execute(Unprepared(text))
        self.in_transaction = True

    def end(self, text: str = "COMMIT") -> None:
        """End a transaction, if one has begun."""
        if self.in_transaction:
            self._only.execute(text, prepare=False)
            self.in_transaction = False

    def executemany(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each row of values."""
        self.raw.cursor().executemany(text, rows)

    def start_pipeline(self) -> None:
        """Start a pipeline: do not wait for results until one is needed or ``settle`` is called."""
        self._sent_together = True
        self._sending.enter_context(self.raw.pipeline())

    def settle(self) -> None:
        """Wait for everything that was sent; raises the driver's error for the first failure."""
        self._sent_together = False
        self._sending.close()

    def rollback_to(self, savepoint: str) -> None:
        """Roll back to a savepoint and release it, also after a statement failed."""
        writes = self._sent_together
        with suppress(Error):
            self.settle()
        # Outside a pipeline: after a rollback the driver forgets its prepared statements, and would tell the
        # server only after it has prepared the next one.
        self.raw.execute(f"ROLLBACK TO SAVEPOINT {savepoint}", prepare=False)
        self.raw.execute(f"RELEASE SAVEPOINT {savepoint}", prepare=False)
        if writes:
            self.start_pipeline()


def _is_lost(error: OperationalError) -> bool:
    """Return whether a connection was lost or closed by the server, rather than a statement rejected."""
    return error.sqlstate is None or error.sqlstate.startswith("57P")


class PostgresqlPool:
    """The driver's pool; it is opened on first use, and can be reopened after it was closed."""

    def __init__(self, kwargs: dict[str, Any], most: int, configure: Callable[[Driver[Any]], None]) -> None:
        self._kwargs, self._most, self._configure = kwargs, most, configure
        self._opening = Lock()
        self.session = PostgresqlSession
        self._pool: ConnectionPool[Driver[Any]] | None = None
        self.in_use = 0
        self.on_loss: Callable[[], None] = lambda: None

    def open(self) -> ConnectionPool[Driver[Any]]:
        """Start the threads that connect, unless they are running."""
        with self._opening:
            if self._pool is None:
                self._pool = ConnectionPool(
                    kwargs={**self._kwargs, "cursor_factory": _Cursor},
                    min_size=0,
                    max_size=self._most,
                    open=True,
                    configure=self._prepare,
                    timeout=WAIT_SECONDS,
                    max_waiting=WAITING_EACH * self._most,
                    # The next caller tries again, so that it finds a server that is up again at once.
                    reconnect_timeout=WAIT_SECONDS,
                )
            return self._pool

    def _prepare(self, raw: Driver[Any]) -> None:
        # Statements are prepared for integers of one size.
        raw.adapters.register_dumper(int, Int8Dumper)
        raw.prepared_max = PREPARED
        self._configure(raw)

    def acquire(self) -> PostgresqlSession:
        """Return a connection for one caller; raises the driver's error if none becomes free in time."""
        session = self.session(self.open(), self.on_loss)
        with self._opening:
            self.in_use += 1
        return session

    def release(self, session: PostgresqlSession) -> None:
        """Return a connection to the pool; if the pool has been closed, close the connection."""
        with self._opening:
            self.in_use -= 1
        session.release()

    def drop(self, session: PostgresqlSession) -> None:
        """Close a connection that must not be reused."""
        with suppress(Exception):
            session.raw.close()
        self.release(session)

    def close(self) -> None:
        """Close all idle connections, and stop the threads."""
        with self._opening:
            pool, self._pool = self._pool, None
        if pool:
            pool.close()
