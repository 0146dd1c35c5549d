"""Transactions: all reads and writes, each in one account."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import cached_property
from operator import attrgetter, methodcaller
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

from sqlalchemy import Dialect, Engine

from skerry.database.cache import WeightedCache
from skerry.database.interruptions import FOR_EVER, Unlimited
from skerry.database.statements import CachedTexts, Row, Statement, Unprepared
from skerry.errors import QueryTimeout
from skerry.mail_settings import MailSettings
from skerry.sealing.key_ring import KeyRing

T = TypeVar("T")

SECOND = 1_000_000
"""A second in microseconds, as all times are stored."""

MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 24 * 3600 * SECOND

SEARCH_TIMEOUT = 0.5
"""The time limit in seconds for a search whose result is optional."""

TOTAL_SEARCH_TIMEOUT = 1.0
"""After this many seconds no further optional search is started in a transaction."""

_FETCH_ALL, _FETCH_ONE, _COUNT = methodcaller("fetchall"), methodcaller("fetchone"), attrgetter("rowcount")


class Lifetimes(NamedTuple):
    """How long sessions last, in microseconds without use and at most, and tokens, in days (0: no limit)."""

    unused: int = 30 * DAY
    total: int = 90 * DAY
    token_days: int = 0


class FileStorage(Protocol):
    """The storage of files whose keys are in rows, and the data folder beside the database."""

    data: Path

    def release(self, keys: Iterable[str]) -> bool:
        """Remove files that no row names any more; return whether they were removed."""


class DatabaseProtocol(Protocol):
    """The parts of the database that a transaction uses."""

    engine: Engine
    blobs: FileStorage | None
    keys: KeyRing
    mail_host: str
    lifetimes: Lifetimes
    administrators_need_factors: bool
    clock: Callable[[], int]
    mail: MailSettings | None

    @property
    def is_distributed(self) -> bool:
        """Return whether the tables may be distributed over several machines."""

    def make_durable(self, cursor: Any) -> None:
        """Make the commit of a cursor's writes wait for the disk; raises Unavailable."""


class Sight(Protocol):
    """What a transaction sees of the rows of tables; see ``store/private_tickets.py``."""

    @property
    def key(self) -> object:
        """Return what tells apart those who see different rows, None for those who see all."""

    def limited(
        self, text: str, values: Sequence[Any], *, searches: bool = False
    ) -> tuple[str, Sequence[Any]]:
        """Return a statement that sees no more than that, with its values."""


class Executor:
    """Executes statements of one account, within a transaction that the caller begins and ends.

    ``seconds`` is the time spent in the database or waiting for it. ``texts`` is the total length of the SQL
    that was built for one call: searches, and statements with several values in a list. Without a
    ``sight`` all rows are seen.
    """

    def __init__(self, cursor: Any, dialect: Dialect, account_id: int, limit: Unlimited | None) -> None:
        """Create an executor; ``limit`` bounds the time of searches."""
        self.account_id = account_id
        self.seconds = 0.0
        self.dialect = dialect
        self._cursor = cursor
        self._limit = limit or Unlimited()
        self.sight: Sight | None = None
        self.texts = CachedTexts()
        self._searched = 0.0
        self._given_up_at = FOR_EVER

    def all(self, statement: Statement, **values: Any) -> list[Row]:
        """Return all rows."""
        rows: list[Row] = self._execute(statement, values, _FETCH_ALL)
        return rows

    def one(self, statement: Statement, **values: Any) -> Row | None:
        """Return the first row, or None."""
        row: Row | None = self._execute(statement, values, _FETCH_ONE)
        return row

    def value(self, statement: Statement, **values: Any) -> Any:
        """Return the first value of the first row, or None."""
        row = self.one(statement, **values)
        return row[0] if row else None

    def run(self, statement: Statement, **values: Any) -> None:
        """Execute a statement that changes rows."""
        began = perf_counter()
        self._cursor.execute(*self._bound(statement, values))
        self.seconds += perf_counter() - began

    def changed(self, statement: Statement, **values: Any) -> int:
        """Execute a statement and return how many rows it changed."""
        return int(self._execute(statement, values, _COUNT))

    def sql(self, text: str, values: Sequence[Any]) -> list[Row]:
        """Return all rows of a query whose text was built for this call, with ``?`` for each value.

        It is planned each time, and has a time limit; searches use it.
        """
        began = perf_counter()
        with self._limit.limited(self._searched, self._given_up_at - began):
            marked = text.replace("?", "%s") if self.dialect.paramstyle == "format" else text
            if self.sight is not None:
                marked, values = self.sight.limited(marked, values, searches=True)
            self.texts.note(marked)
            rows = list(self._cursor.execute(Unprepared(marked), values).fetchall())
        took = perf_counter() - began
        self.seconds += took
        self._searched += took
        return rows

    def adjust(self, text: str) -> None:
        """Change a setting of the database for this transaction only."""
        began = perf_counter()
        self._cursor.execute(text)
        self.seconds += perf_counter() - began

    def run_many(self, statement: Statement, rows: list[dict[str, Any]]) -> None:
        """Execute a statement with many sets of values."""
        compiled = statement.on(self.dialect)
        ordered = [compiled.with_values({"account_id": self.account_id, **row})[1] for row in rows]
        if ordered:
            began = perf_counter()
            self._cursor.executemany(compiled.text, ordered)
            self.seconds += perf_counter() - began

    @contextmanager
    def seeing(self, sight: Sight | None) -> Iterator[None]:
        """See other rows for a while, or all of them."""
        before, self.sight = self.sight, sight
        try:
            yield
        finally:
            self.sight = before

    def _bound(self, statement: Statement, values: dict[str, Any]) -> tuple[str, Sequence[Any]]:
        """Return a compiled statement and its values in order, including the account."""
        values.setdefault("account_id", self.account_id)
        text, ordered = statement.on(self.dialect).with_values(values)
        if self.sight is not None:
            text, ordered = self.sight.limited(text, ordered)
        if type(text) is Unprepared:
            self.texts.note(text)
        return text, ordered

    def _execute(self, statement: Statement, values: dict[str, Any], fetch: Callable[[Any], Any]) -> Any:
        began = perf_counter()
        result = fetch(self._cursor.execute(*self._bound(statement, values)))
        self.seconds += perf_counter() - began
        return result


class Transaction(Executor):
    """The reads or writes of one request in one account, as a unit.

    ``base`` is the base URL of its records, ``address`` that of the client, if there is one. ``blobs`` is the
    storage of the files that its rows name, if this program has one. ``mail`` has the settings of outgoing
    mail, None without it; ``mail_host`` is the host of addresses for incoming mail; ``lifetimes`` says how
    long sessions and tokens last. ``writes`` says whether changes are allowed; ``locked`` are the projects
    whose lock it then holds. ``shortened`` is the size in bytes of the longest text if not all fit into a
    response, None if all fit. ``searched_since`` is the time since when tickets must have changed to be found
    by a slow search, None if all are found. Reads within ``snapshot`` see one snapshot; elsewhere each
    statement may see what was committed before it.
    ``marks_newcomers`` says that whoever reads texts also reads which of them are marked.
    ``keys`` encrypt its secrets. ``administrators_need_factors`` says that a password is enough for no
    administrator.
    """

    def __init__(
        self,
        database: DatabaseProtocol,
        cursor: Any,
        account_id: int = 0,
        limit: Unlimited | None = None,
        *,
        writes: bool = True,
    ) -> None:
        """Bind the transaction to an account; 0 is the service itself.

        ``limit`` bounds how long searches may take; without one they take as long as they need.
        """
        super().__init__(cursor, database.engine.dialect, account_id, limit)
        self.base = self.address = ""
        self.marks_newcomers = False
        self.keys = database.keys
        self.mail_host = database.mail_host
        self.lifetimes = database.lifetimes
        self.administrators_need_factors = database.administrators_need_factors
        self.blobs = database.blobs
        self.mail = database.mail
        self.before_commit_callbacks: list[Callable[[], object]] = []
        self.after_commit_callbacks: list[Callable[[], object]] = []
        self.events: list[Any] = []
        self.writes = writes
        self.locked: set[int] = set()
        self._database = database
        self._attempted = 0.0
        self._clock = database.clock
        self._now: int | None = None
        self.shortened: int | None = None
        self.searched_since: int | None = None
        self.snapshot: Callable[[], AbstractContextManager[None]] = nullcontext

    @cached_property
    def known_tickets(self) -> WeightedCache[Hashable, Any]:
        """Return the cache of tickets; a read transaction has that of the database."""
        return WeightedCache()

    @cached_property
    def known_counts(self) -> WeightedCache[Hashable, Any]:
        """Return the cache of counts, as ``known_tickets`` does."""
        return WeightedCache()

    @property
    def is_distributed(self) -> bool:
        """Return whether the tables may be distributed over several machines."""
        return self._database.is_distributed

    @property
    def now(self) -> int:
        """Return the time of the transaction in microseconds since 1970, fixed when it is first requested."""
        if self._now is None:
            self._now = self._clock()
        return self._now

    def limit_time(self, seconds: float) -> None:
        """Make searches that run longer than this raise QueryTimeout."""
        self._given_up_at = perf_counter() + seconds

    def attempt(self, find: Callable[[], T]) -> T | None:
        """Run an optional search; return None if it takes too long.

        Each such search has half a second, and after a second in total no further one is started. Raises
        QueryTimeout if the limit set by ``limit_time`` ends first. ``find`` must not change anything.
        """
        if self._attempted >= TOTAL_SEARCH_TIMEOUT:
            return None
        began, given_up_at = perf_counter(), self._given_up_at
        own = began + SEARCH_TIMEOUT
        self._given_up_at = min(given_up_at, own)
        try:
            with self._limit.attempt():
                return find()
        except QueryTimeout:
            if given_up_at < own:
                raise
            return None
        finally:
            self._given_up_at = given_up_at
            self._attempted += perf_counter() - began

    def is_over(self, timestamp: int) -> bool:
        """Return whether a time has passed; unlike ``now`` this does not fix the time of the transaction."""
        return self._clock() >= timestamp

    def before_commit(self, work: Callable[[], object]) -> None:
        """Run a function last before the commit, such as one that locks a row needed by all writers."""
        self.before_commit_callbacks.append(work)

    def after_commit(self, work: Callable[[], object]) -> None:
        """Run a function after the commit, if there is one.

        If it fails, the change stays as it is, and the failure is only reported.
        """
        self.after_commit_callbacks.append(work)

    def note_shortened(self, octets: int) -> None:
        """Record that the response omits parts of texts, and the size of the longest text in bytes."""
        self.shortened = max(self.shortened or 0, octets)

    def note_searched(self, since: int) -> None:
        """Record that a search only covered the tickets changed since a time."""
        self.searched_since = max(self.searched_since or 0, since)

    def after_durable_commit(self, work: Callable[[], object]) -> None:
        """Run a function as ``after_commit`` does, once the change is durable.

        Raises Unavailable if that is not possible.
        """
        self._database.make_durable(self._cursor)
        self.after_commit(work)

    def not_before(self, timestamp: int) -> None:
        """Ensure that ``now`` is not earlier than a stored time, in case the clock was set back."""
        self._now = max(self.now, timestamp)


def microseconds(timestamp: datetime) -> int:
    """Return an aware datetime as whole microseconds since 1970 in UTC."""
    whole = int(timestamp.replace(microsecond=0).timestamp())
    return whole * 1_000_000 + timestamp.microsecond
