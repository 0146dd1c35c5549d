"""Statements to PostgreSQL in libpq's pipeline mode, without the driver's cursors.

The driver's own cursors take half as long again for a question as libpq needs, and four times as long
for what nobody waits for. So the driver only connects, and turns values into text and back.
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
"""So much is said at most before its answers are taken: what libpq holds of it, it keeps the room for."""

_GOOD = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)
_MARK = re.compile("%[%s]")
_CANCEL_SECONDS = 5


class PipelinedStatement:
    """One thing that was said, with its answer as soon as that is here."""

    __slots__ = ("answer", "text", "values")

    def __init__(self, text: str, values: Sequence[Any]) -> None:
        """Begin without an answer."""
        self.text, self.values = text, values
        self.answer: PGresult | None = None


class Pipeline:
    """A cursor for questions and changes: what is executed goes out with the next question.

    Only who fetches waits, for the answers to all that was said before too. If something was wrong
    with any of it, he gets the driver's error, and nothing more can be said. So it is when the server
    has said nothing for ``patience`` milliseconds, None being for ever.
    """

    def __init__(self, connection: "Connection[Any]") -> None:
        """Take a connection over; from now on nobody else may say anything on it."""
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
        # What results will come for, in order; nobody waits for those of what was prepared.
        self._due: deque[PipelinedStatement | None] = deque()
        self._expected: list[PipelinedStatement] = []
        self._said = PipelinedStatement("", ())
        self._is_over = False
        self.patience: int | None = None

    def begin(self, *texts: str) -> None:
        """Say what begins a transaction; nobody asks any more what was expected in another one."""
        self._expected.clear()
        for text in texts:
            self.execute(text)

    def execute(self, text: str, values: Sequence[Any] = ()) -> None:
        """Say one thing, with ``%s`` for each value."""
        said = self._expectation(text, values) if self._expected else None
        if said:
            self._expected.remove(said)
        self._said = said or self._say(text, values)

    def expect(self, text: str, values: Sequence[Any]) -> None:
        """Say already what will be executed later in this transaction, and have it answered with the rest."""
        if not self._expectation(text, values):
            self._expected.append(self._say(text, values))

    def executemany(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Say the same for many rows of values."""
        for values in rows:
            self.execute(text, values)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Give every row of the answer to what was said last."""
        answer = self._answered()
        self._texts.set_pgresult(answer)
        rows = self._texts.load_rows(0, answer.ntuples, tuple)
        # Whatever is kept here is kept until somebody asks the next question on this connection.
        self._texts.set_pgresult(None)
        return rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """Give the first row of the answer to what was said last, or None."""
        answer = self._answered()
        self._texts.set_pgresult(answer)
        return self._texts.load_row(0, tuple) if answer.ntuples else None

    @property
    def rowcount(self) -> int:
        """Say how many rows were touched by what was said last."""
        return self._answered().command_tuples or 0

    def leave(self) -> None:
        """Let the server have all that was said, and wait for nothing; if it fails, all is over."""
        self._send()
        self._left = self._marks

    def settle(self) -> None:
        """Wait until all that was said is answered; raises the driver's errors for what is wrong with it."""
        if self._is_over:
            raise OperationalError("Something was wrong before")
        self._is_over = True
        if self._is_unsent:
            self._send()
        while self._marks:
            self._take(self._next())
        self._is_over = False

    def recover(self) -> None:
        """Go on after an error of the question asked last, once what it left undone is undone.

        Raises OperationalError if anything was said behind it.
        """
        if self._is_over:
            self._is_over = False
            self._due.popleft()
            self.settle()

    def overtake(self) -> None:
        """Wait until what was left to the server is done; raises OperationalError if it has gone since."""
        self.settle()
        while self._coming.poll(0):
            self._wire.consume_input()

    def _send(self) -> None:
        self._wire.pipeline_sync()
        self._is_unsent = False
        self._marks += 1
        while self._wire.flush():
            self._wait(self._going)

    def _expectation(self, text: str, values: Sequence[Any]) -> PipelinedStatement | None:
        for saying in self._expected:
            if saying.text == text and saying.values == values:
                return saying
        return None

    def _say(self, text: str, values: Sequence[Any]) -> PipelinedStatement:
        texts = self._texts.dump_sequence(values, [PyFormat.TEXT] * len(values))
        if len(self._due) >= AHEAD:
            self.settle()
        if isinstance(text, Anew):
            self._wire.send_query_params(_numbered(text), texts, self._texts.types)
        else:
            self._wire.send_query_prepared(self._name(text), texts)
        saying = PipelinedStatement(text, values)
        self._due.append(saying)
        self._is_unsent = True
        return saying

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
        # Whatever a pooler may have mixed up, a name never stands for another statement.
        name = sha256(repr((numbered, types)).encode()).hexdigest()[:32].encode()
        self._wire.send_prepare(name, numbered, types)
        self._due.append(None)
        self._prepared[text] = name
        return name

    def _answered(self) -> PGresult:
        if self._said.answer is None:
            self.settle()
        if self._said.answer is None:
            raise OperationalError("There is no answer")
        return self._said.answer

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
            saying = self._due.popleft()
            if saying:
                saying.answer = result
        elif self._left:
            raise OperationalError(result.get_error_message())
        else:
            raise error_from_result(result)

    def _wait(self, event: "poll") -> None:
        """Let other threads go on until the server has said something, or takes more."""
        try:
            ready = event.poll(self.patience)
        except KeyboardInterrupt:
            # Who does not want to wait gets his way even if the server is gone.
            with suppress(Exception):
                self._connection.cancel_safe(timeout=_CANCEL_SECONDS)
            raise
        if not ready:
            raise OperationalError("The server says nothing")
        self._wire.consume_input()


def _numbered(text: str) -> bytes:
    """Give a statement with a number for each value, as the server wants it."""
    numbers = count(1)
    return _MARK.sub(lambda mark: "%" if mark[0] == "%%" else f"${next(numbers)}", text).encode()
