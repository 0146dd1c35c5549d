"""Transactions: all reads and writes, each in one account."""

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from time import perf_counter
from typing import Any, Protocol, TypeVar

from sqlalchemy import Engine

from skerry.errors import QueryTimeout
from skerry.mail_settings import MailSettings
from skerry.store.engine.cache import WeightedCache
from skerry.store.engine.executor import Executor
from skerry.store.engine.time_limits import Unlimited
from skerry.store.files.blobs import Blobs

T = TypeVar("T")

DAY = 86_400_000_000
"""A day in microseconds."""

SEARCH_TIMEOUT = 0.5
"""The time limit in seconds for a search whose result is optional."""

TOTAL_SEARCH_TIMEOUT = 1.0
"""After this many seconds no further optional search is started in a transaction."""


class DatabaseProtocol(Protocol):
    """The parts of the database that a transaction uses."""

    engine: Engine
    blobs: Blobs | None
    mail_host: str
    clock: Callable[[], int]
    mail: MailSettings | None

    @property
    def is_distributed(self) -> bool:
        """Return whether the tables may be distributed over several machines."""

    def make_durable(self, cursor: Any) -> None:
        """Make the commit of a cursor's writes wait for the disk; raises Unavailable."""


class Transaction(Executor):
    """The reads or writes of one request in one account, as a unit.

    ``base`` is the base URL of its records. ``blobs`` is the storage of the files that its rows name, if this
    program has one. ``mail`` has the settings of outgoing mail, None without it; ``mail_host`` is the host of
    addresses for incoming mail. ``writes`` says whether changes are allowed; ``locked`` are the projects
    whose lock it then holds. ``shortened`` is the size in bytes of the longest text if not all fit into a
    response, None if all fit. Reads within ``snapshot`` see one snapshot; elsewhere each statement may see
    what was committed before it.
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
        self.base = ""
        self.mail_host = database.mail_host
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
        self.snapshot: Callable[[], AbstractContextManager[None]] = nullcontext
        self.known_tickets: WeightedCache[Hashable, Any] = WeightedCache()

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
