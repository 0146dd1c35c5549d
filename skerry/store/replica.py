"""Reading from a replica of PostgreSQL, which shows nothing that the primary has already changed.

The primary tells how far its log had come when a request arrived, and a replica is only read that
has replayed the log up to there. So nobody misses their own changes or anybody else's, whichever
server they were made on, and no server has to remember anything.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from time import perf_counter
from typing import Any, TypeVar

from sqlalchemy import text

from skerry.errors import TookTooLong, Unavailable
from skerry.store.database import Database
from skerry.store.pool import Connection, Pool
from skerry.store.postgresql import IS_SPREAD
from skerry.store.statements import Statement
from skerry.store.transactions import Transaction

PAUSES = (0.001, 0.002, 0.004, 0.008)
"""The seconds between looks at a replica that is not yet far enough."""

ANSWER_SECONDS = 0.1
"""How long anybody waits for a word of a replica; one that vanished or stands still never says any."""

REST_SECONDS = 1.0
"""How long a replica that was too late or does not answer is left alone."""

Who = TypeVar("Who")
Found = TypeVar("Found")

# What is committed can be seen once it is flushed; where nobody waits for that, once it is written.
_MARK = Statement(
    text(
        "SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn() "
        "ELSE pg_current_wal_flush_lsn() END::text"
    ),
    across_accounts=True,
)

# What is no replica any more has a log of its own, as each of several machines has where tables are spread.
_REACHED = f"SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn AND NOT ({IS_SPREAD})"

# A replica has the number of its primary's cluster. Places in the logs of different ones mean nothing.
_WHICH = "SELECT system_identifier::text || '/' || current_database() FROM pg_control_system()"
_WHICH_HERE = Statement(text(_WHICH), across_accounts=True)


class Replica(Database):
    """A replica of the database; made once in each process."""

    _rests_until = 0.0

    def __init__(self, url: str, connections: int, *, read_seconds: int = 0, **how: Any) -> None:
        """Open nothing yet; what was begun is waited for a little longer than it may last."""
        super().__init__(url, connections, read_seconds=read_seconds, **how)
        self._patience = 1000 * (read_seconds + 1) if read_seconds else None
        self._connecting = Lock()
        self._pool = Pool(self._connected, connections, bounded=True)
        self._which = ""

    def close(self) -> None:
        """Close every connection, also the one that is just being made."""
        with self._connecting:
            super().close()

    def belong_to(self, primary: Transaction) -> None:
        """Take nothing for this replica but what follows the database of a transaction."""
        self._which = self._which or primary.value(_WHICH_HERE)

    @contextmanager
    def read_since(self, mark: str, account_id: int) -> Iterator[Transaction]:
        """Begin a transaction that sees everything that stands before a mark of the primary.

        Raises Unavailable if the replica is too late for that or does not answer.
        """
        began = perf_counter()
        with (
            self._kind.driver_errors,
            self._transaction(
                self._reached(mark), self._kind.end_read, account_id, began, writes=False
            ) as transaction,
        ):
            yield transaction
        self.observe("replica", transaction.seconds)

    def _reached(self, mark: str) -> Connection:
        """Give a connection in a transaction; what it sees is decided after the mark is reached."""
        if time.monotonic() < self._rests_until:
            raise Unavailable
        connection = self._pool.spare() or self._new()
        try:
            return self._begun_since(mark, connection)
        except Exception:
            # Whatever is wrong, the next ones need not find it out too; the caller asks the primary.
            self._rest()
            raise

    def _rest(self) -> None:
        self._rests_until = time.monotonic() + REST_SECONDS

    def _new(self) -> Connection:
        """Give one more connection; if it takes longer than an answer may, it is for whoever comes then."""
        if self._connecting.acquire(blocking=False):
            connecting = Thread(target=self._connect, name="replica", daemon=True)
            connecting.start()
            connecting.join(ANSWER_SECONDS)
        connection = self._pool.spare()
        if connection is None:
            raise Unavailable
        return connection

    def _connect(self) -> None:
        try:
            self._pool.grow()
        except Exception:  # noqa: BLE001 - who waits for it sees that there is none, and the primary knows it all
            self._rest()
        finally:
            self._connecting.release()

    def _connected(self) -> Connection:
        connection = Connection(self.engine, self._kind.cursor)
        connection.cursor.patience = int(1000 * ANSWER_SECONDS)
        connection.cursor.execute(_WHICH)
        if connection.cursor.fetchone()[0] != self._which:
            connection.close()
            raise Unavailable
        return connection

    def _begun_since(self, mark: str, connection: Connection) -> Connection:
        try:
            connection.cursor.patience = int(1000 * ANSWER_SECONDS)
            _wait(connection, mark)
            connection.begin(self._kind.begin_read)
            connection.cursor.patience = self._patience
        except Unavailable:
            self._pool.give_back(connection)
            raise
        except BaseException:
            self._pool.drop(connection)
            raise
        return connection


def _wait(connection: Connection, mark: str) -> None:
    cursor = connection.cursor
    for pause in (*PAUSES, None):
        cursor.execute(_REACHED, (mark,))
        row = cursor.fetchone()
        if row and row[0]:
            return
        if pause:
            time.sleep(pause)
    raise Unavailable


def look(
    database: Database,
    replica: Replica | None,
    arrive: Callable[[Transaction], Who],
    find: Callable[[Transaction, Who], Found],
) -> Found:
    """Find out who asks, in the database itself, and give what they ask for, from the replica if it can.

    Raises what the two raise, and Unavailable if the database does not answer.
    """
    if replica is None:
        with database.read() as transaction:
            return find(transaction, arrive(transaction))
    with database.read() as short:
        who = arrive(short)
        mark: str = short.value(_MARK)
        replica.belong_to(short)
    try:
        with replica.read_since(mark, short.account_id) as transaction:
            transaction.base = short.base
            return find(transaction, who)
    except Unavailable as trouble:
        # Too late, away, or interrupted in the middle: the database itself knows it all, but no sooner.
        if isinstance(trouble, TookTooLong):
            raise
    with database.read(short.account_id) as transaction:
        transaction.base = short.base
        return find(transaction, who)
