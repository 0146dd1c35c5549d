"""PostgreSQL through psycopg: how connections are configured, limited and closed, and how they fail.

Waiting for a response costs a round trip, as much as the work of a small statement. A write transaction is
therefore a pipeline of the driver: changes are sent with the next query, which then raises their errors.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from threading import Lock, Semaphore
from typing import Any, cast
from uuid import uuid4
from weakref import WeakValueDictionary

from sqlalchemy import URL, Engine, event

from skerry.database import postgresql_sessions
from skerry.database.interruptions import DriverErrors
from skerry.database.statements import Unprepared
from skerry.database.writer_locks import TIMEOUT_SECONDS
from skerry.errors import Unavailable

# One of this many connections may write; more writers would only take time from readers.
WRITERS_SHARE = 12

_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
# Rows are read in their state after waiting for a lock, so changes by others are no conflict.
_BEGIN_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"
_LIMIT_READS = "SET statement_timeout TO '{}s'"
# Write transactions have the operator's time limit.
_LIFT_LIMIT = "; SET LOCAL statement_timeout TO DEFAULT"
_HURRY = "SET LOCAL statement_timeout TO {}"

IS_DISTRIBUTED = "current_setting('citus.shard_count', TRUE) IS NOT NULL"
"""Whether tables may be distributed over several machines: the extension for that is loaded."""

# One machine after the other, each through one connection with one snapshot; transaction settings are
# propagated to the other machines, unlike those of a connection.
_DISTRIBUTED_SETTINGS = (
    "SET citus.multi_shard_modify_mode TO 'sequential'",
    "SET citus.propagate_set_commands TO 'local'",
)


class PostgreSQL:
    """A PostgreSQL server, with a limited number of connections."""

    paramstyle = "format"
    is_distributed = False

    def __init__(self, engine: Engine, connections: int, *, durable: bool, read_seconds: int) -> None:
        """Configure future connections; a query that exceeds the limit is cancelled, 0 means no limit.

        Raises ValueError if the installed driver cannot discard prepared statements, or if the URL has an
        unknown option.
        """
        from skerry.database import postgresql_pool  # noqa: PLC0415 - it needs the driver, which is an extra

        _check_options(engine.url)
        self.driver_errors = _driver_errors()
        self._begin_write = _BEGIN_WRITE + (_LIFT_LIMIT if read_seconds else "")
        self._while_writing: list[str] = []
        self._read_seconds = read_seconds
        event.listen(engine, "connect", self._prepare)
        self._durable = durable
        if not durable:
            event.listen(engine, "connect", _commit_unflushed)
        _, named = engine.dialect.create_connect_args(engine.url)
        self.pool = postgresql_pool.PostgresqlPool(
            {**named, **self.connecting(engine.url)}, connections, self._settle_session
        )
        self._writers = Semaphore(max(1, connections // WRITERS_SHARE))
        self._distributed_writers = Semaphore(max(1, connections // 2))
        self._writers_of: WeakValueDictionary[int, Semaphore] = WeakValueDictionary()
        self._finding_writers = Lock()

    @staticmethod
    def connecting(address: URL) -> dict[str, Any]:
        """Return the driver's connection options; those in the URL take precedence."""
        return {"autocommit": True, **postgresql_sessions.connection_options(address)}

    def _settle_session(self, connection: Any) -> None:
        self._prepare(connection, None)
        if self._read_seconds:
            connection.execute(_LIMIT_READS.format(self._read_seconds))
        if not self._durable:
            _commit_unflushed(connection, None)

    def _prepare(self, connection: Any, _record: object) -> None:
        """Initialize a session; detect whether tables may be distributed, and prepare for it."""
        postgresql_sessions.configure(connection, wait_forever=not self._read_seconds)
        (self.is_distributed,) = connection.execute(f"SELECT {IS_DISTRIBUTED}").fetchone()
        if self.is_distributed:
            for statement in _DISTRIBUTED_SETTINGS:
                connection.execute(statement)
            # Rows are locked on the other machines, which do not have the settings of this connection.
            (wait,) = connection.execute("SHOW lock_timeout").fetchone()
            self._while_writing = [f"SET LOCAL lock_timeout TO '{wait}'"]

    @staticmethod
    def begin_queries(_session: Any) -> None:
        """Do nothing: outside a transaction each query sees what was committed before it began."""

    @staticmethod
    def begin_read(session: Any) -> None:
        """Begin a read-only transaction with one snapshot."""
        session.begin(_BEGIN_READ)

    @staticmethod
    def end_read(session: Any) -> None:
        """End a read-only transaction."""
        session.end()

    @contextmanager
    def snapshot(self, session: Any) -> Iterator[None]:
        """Use one snapshot, unless the transaction has one already."""
        if session.in_transaction:
            yield
            return
        self.begin_read(session)
        yield
        session.end()

    def begin_write(self, session: Any) -> None:
        """Begin a write transaction; only queries wait for a response."""
        session.begin(self._begin_write)
        session.start_pipeline()
        for setting in self._while_writing:
            session.execute(setting)

    def make_durable(self, cursor: Any) -> None:
        """Make the commit wait for the disk, even if other commits do not."""
        if not self._durable:
            cursor.execute("SET LOCAL synchronous_commit TO DEFAULT")

    @staticmethod
    @contextmanager
    def limited(connection: Any, seconds: float) -> Iterator[None]:
        """Abort queries that take longer; reads run in an attempt, which ends with them."""
        connection.cursor.execute(Unprepared(_HURRY.format(max(1, round(seconds * 1000)))))
        yield
        connection.cursor.execute(Unprepared(_HURRY.format("DEFAULT")))

    @contextmanager
    def attempt(self, session: Any) -> Iterator[None]:
        """Run a query that may fail: in a savepoint, or in a transaction of its own.

        The savepoint is rolled back afterwards, which also restores the time limit.
        """
        is_within = session.in_transaction
        if is_within:
            session.execute(Unprepared("SAVEPOINT attempt"))
        else:
            self.begin_read(session)
        try:
            with self.driver_errors:
                yield
        finally:
            if is_within:
                session.rollback_to("attempt")
            else:
                session.end()

    @staticmethod
    def end_write(session: Any) -> None:
        """Commit; raises the errors of all changes in the pipeline."""
        session.execute("COMMIT")
        session.settle()

    @staticmethod
    def undo(session: Any) -> None:
        """Roll back; raises the driver's errors if the connection is no longer usable."""
        with suppress(Exception):
            session.settle()
        session.end("ROLLBACK")

    def settle(self) -> None:
        """Do nothing: PostgreSQL has flushed to the disk itself."""

    def empty_log(self, _engine: Engine) -> None:
        """Do nothing: PostgreSQL truncates its log itself."""

    @contextmanager
    def write_slot(self, account_id: int = 0, *, wait_forever: bool = False) -> Iterator[None]:
        """Limit the number of concurrent writers, so that readers always have connections.

        PostgreSQL queues writers at each row, while each of them occupies a connection. If tables are
        distributed there is one writer for each account, so that a machine that hangs only affects its own
        accounts. Raises Unavailable after a while unless ``wait_forever``.
        """
        places = (
            (self._place_of(account_id), self._distributed_writers)
            if self.is_distributed
            else (self._writers,)
        )
        with ExitStack() as taken:
            for place in places:
                if not place.acquire(timeout=None if wait_forever else TIMEOUT_SECONDS):
                    raise Unavailable
                taken.callback(place.release)
            yield

    def _place_of(self, account_id: int) -> Semaphore:
        """Return the semaphore of an account's one writer, which is dropped when no caller waits for it."""
        with self._finding_writers:
            return self._writers_of.setdefault(account_id, Semaphore())

    def close(self) -> None:
        """Do nothing: only the pool has connections to close."""

    @staticmethod
    def is_spent(_error: BaseException) -> bool:
        """Return False: a broken connection is detected when its transaction is rolled back."""
        return False


def _driver_errors() -> DriverErrors:
    import psycopg  # noqa: PLC0415 - an extra, as above

    # A read-only server (a standby before promotion), a timeout, a damaged file or a lost machine: the driver
    # reports these as internal errors, and missing privileges as programming errors.
    return DriverErrors(
        (psycopg.OperationalError, psycopg.InternalError, psycopg.errors.InsufficientPrivilege),
        # The server ends one of the transactions in a deadlock, which can be retried.
        (psycopg.IntegrityError, psycopg.errors.DeadlockDetected),
        lambda error: isinstance(error, psycopg.errors.QueryCanceled),
    )


def _check_options(address: URL) -> None:
    """Validate host names and query parameters, which the driver checks only when it connects."""
    from psycopg import ProgrammingError, conninfo  # noqa: PLC0415 - an extra, as above

    try:
        options = conninfo.make_conninfo(**cast("dict[str, Any]", address.query))
        conninfo.timeout_from_conninfo(conninfo.conninfo_to_dict(options))
        for host in (address.host or "").split(","):
            # A value with a slash is the folder of a socket.
            host.partition("/")[0].encode("idna")
    except (ProgrammingError, UnicodeError) as error:
        reason = str(error).strip()
        raise ValueError(f"SKERRY_DATABASE_URL cannot be used: {reason}") from error


def keeps_what_is_prepared(engine: Engine) -> bool:
    """Return whether a connection keeps prepared statements, as a direct one does.

    A pooler in transaction mode gives a connection with prepared statements to other clients.
    """
    from psycopg.pq import ExecStatus  # noqa: PLC0415 - an extra, as above

    with closing(engine.raw_connection()) as one, closing(engine.raw_connection()) as other:
        wire, name = cast("Any", one.driver_connection).pgconn, uuid4().hex.encode()
        wire.prepare(name, b"SELECT 1")
        cast("Any", other.driver_connection).execute("BEGIN")
        return bool(wire.exec_prepared(name, None).status == ExecStatus.TUPLES_OK)


def _commit_unflushed(connection: Any, _record: object) -> None:
    connection.execute("SET synchronous_commit TO off")
