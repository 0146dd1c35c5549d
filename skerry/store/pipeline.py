"""Statements to PostgreSQL in libpq's pipeline mode, without the driver's cursors.

The driver's own cursors take half as long again as libpq for a question, and four times as long for a
statement whose answer nobody waits for. So the driver only connects, and turns values into text and back.
"""

import re
from collections import OrderedDict, deque
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import count
from select import POLLIN, POLLOUT, poll
from typing import Any

from psycopg import Connection, OperationalError
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.types.numeric import Int8Dumper

from skerry.store.statements import Anew

PREPARED = 200
"""So many statements are prepared on a connection, those that were used last."""

AHEAD = 200
"""So many statements are sent at most before their answers are taken: libpq keeps the memory for them."""

SILENCE_MILLISECONDS = 10_000
"""So long a server is waited for where all that is asked is the moment, which takes it no time."""

_GOOD = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)
_MARK = re.compile("%[%s]")
_CANCEL_SECONDS = 5


class Silence(OperationalError):
    """The server is there and says nothing."""


class PipelinedStatement:
    """A statement that was sent, with its answer as soon as that is here."""

    __slots__ = ("answer", "text", "values")

    def __init__(self, text: str, values: Sequence[Any]) -> None:
        """Begin without an answer."""
        self.text, self.values = text, values
        self.answer: PGresult | None = None


class Pipeline:
    """A cursor: ``execute`` sends a statement, and only fetching its answer waits for the server.

    Fetching waits for the answers to everything that was sent before. If any of it failed, the driver's
    error is raised, and nothing more can be sent. When the server says nothing for ``patience``
    milliseconds it is Silence; None is for ever.
    """

    def __init__(self, connection: "Connection[Any]") -> None:
        """Take a connection over; from now on nobody else may use it."""
        # Statements are prepared for numbers of one size.
        connection.adapters.register_dumper(int, Int8Dumper)
        self._connection = connection
        self._wire = connection.pgconn
        self._wire.enter_pipeline_mode()
        self._texts = Transformer(connection)
        self._coming, self._going = poll(), poll()
        self._coming.register(self._wire.socket, POLLIN)
        self._going.register(self._wire.socket, POLLIN | POLLOUT)
        self._prepared: OrderedDict[str, bytes] = OrderedDict()
        self._is_unsent = False
        self._marks = self._left = 0
        # The statements whose results will come, in order; None for a result that nobody waits for.
        self._due: deque[PipelinedStatement | None] = deque()
        self._last = PipelinedStatement("", ())
        self._is_over = False
        self.patience: int | None = SILENCE_MILLISECONDS

    def begin(self, *texts: str) -> None:
        """Send what begins a transaction."""
        for text in texts:
            self.execute(text)

    def execute(self, text: str, values: Sequence[Any] = ()) -> None:
        """Send a statement, ``%s`` for each value."""
        self._last = self._queue(text, values)

    def executemany(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Send a statement once for each row of values."""
        for values in rows:
            self.execute(text, values)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Give every row of the answer to the statement executed last."""
        answer = self._answered()
        self._texts.set_pgresult(answer)
        rows = self._texts.load_rows(0, answer.ntuples, tuple)
        # It would keep the answer in memory until the next question on this connection.
        self._texts.set_pgresult(None)
        return rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """Give the first row of the answer to the statement executed last, or None."""
        answer = self._answered()
        self._texts.set_pgresult(answer)
        return self._texts.load_row(0, tuple) if answer.ntuples else None

    @property
    def rowcount(self) -> int:
        """Say how many rows the statement executed last has touched."""
        return self._answered().command_tuples or 0

    def leave(self) -> None:
        """Send everything and wait for nothing; if any of it fails, the connection cannot be used again."""
        self._send()
        self._left = self._marks

    def settle(self) -> None:
        """Wait until everything that was sent is answered; raises the driver's errors for what failed."""
        if self._is_over:
            raise OperationalError("Something was wrong before")
        self._is_over = True
        if self._is_unsent:
            self._send()
        while self._marks:
            self._take(self._next())
        self._is_over = False

    def commit(self) -> None:
        """Keep what was changed; raises the driver's errors for what failed, and where nobody knows.

        A server that is stopped in the middle says that it is kept, and then that the connection ends.
        The pool replaces that connection when it is needed next.
        """
        self.execute("COMMIT")
        try:
            self.settle()
        except Exception:
            if self._last.answer is None:
                raise

    def recover(self) -> None:
        """Let the caller roll back to a savepoint after the last statement failed.

        Raises OperationalError if anything was sent after it.
        """
        if self._is_over:
            self._is_over = False
            # A statement may be given up when its answer has just gone.
            if self._due:
                self._due.popleft()
            self.settle()

    def overtake(self) -> None:
        """Wait for what ``leave`` has sent; raises OperationalError if the server has gone since."""
        self.settle()
        while self._coming.poll(0):
            self._wire.consume_input()

    def _send(self) -> None:
        self._wire.pipeline_sync()
        self._is_unsent = False
        self._marks += 1
        while self._wire.flush():
            self._wait(self._going)

    def _queue(self, text: str, values: Sequence[Any]) -> PipelinedStatement:
        texts = self._texts.dump_sequence(values, [PyFormat.TEXT] * len(values))
        if len(self._due) >= AHEAD:
            self.settle()
        if isinstance(text, Anew):
            self._wire.send_query_params(_numbered(text), texts, self._texts.types)
        else:
            self._wire.send_query_prepared(self._name(text), texts)
        statement = PipelinedStatement(text, values)
        self._due.append(statement)
        self._is_unsent = True
        return statement

    def _name(self, text: str) -> bytes:
        """Give the name under which a statement is prepared."""
        if text in self._prepared:
            self._prepared.move_to_end(text)
            return self._prepared[text]
        if len(self._prepared) >= PREPARED:
            _, oldest = self._prepared.popitem(last=False)
            # As DEALLOCATE it would be a statement, after which no transaction can begin at one moment.
            self._wire.send_close_prepared(oldest)
            self._due.append(None)
        numbered, types = _numbered(text), self._texts.types
        # A digest, so that a name stands for the same statement even where a pooler mixes connections up.
        name = sha256(repr((numbered, types)).encode()).hexdigest()[:32].encode()
        self._wire.send_prepare(name, numbered, types)
        self._due.append(None)
        self._prepared[text] = name
        return name

    def _answered(self) -> PGresult:
        if self._last.answer is None:
            self.settle()
        if self._last.answer is None:
            raise OperationalError("There is no answer")
        return self._last.answer

    def _next(self) -> PGresult:
        while True:
            while self._wire.is_busy():
                self._wait(self._coming)
            result = self._wire.get_result()
            if result is not None:
                return result
            if self._wire.status != ConnStatus.OK:
                raise OperationalError("The server is gone")

    def _take(self, result: PGresult) -> None:
        if result.status == ExecStatus.PIPELINE_SYNC:
            self._marks -= 1
            self._left = max(0, self._left - 1)
        elif result.status in _GOOD:
            statement = self._due.popleft()
            if statement:
                statement.answer = result
        elif self._left:
            raise OperationalError(result.get_error_message())
        else:
            raise error_from_result(result)

    def _wait(self, event: "poll") -> None:
        """Wait until the server has sent something, or takes more; other threads go on meanwhile."""
        try:
            ready = event.poll(self.patience)
        except KeyboardInterrupt:
            # Ctrl-C ends the wait even if the server is gone.
            with suppress(Exception):
                self._connection.cancel_safe(timeout=_CANCEL_SECONDS)
            raise
        if not ready:
            raise Silence("The server says nothing")
        self._wire.consume_input()


def _numbered(text: str) -> bytes:
    """Give a statement with a number for each value, as the server wants it."""
    numbers = count(1)
    return _MARK.sub(lambda mark: "%" if mark[0] == "%%" else f"${next(numbers)}", text).encode()
