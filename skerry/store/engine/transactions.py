"""Transactions: everything that is read or written, in one account each."""

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

PATIENCE = 0.5
"""Seconds for a search whose result somebody gets beside what they asked for."""

PATIENCE_TOGETHER = 1.0
"""Seconds after which no further one is begun in a transaction."""


class Surroundings(Protocol):
    """What a transaction takes over from the database that it is in."""

    engine: Engine
    blobs: Blobs | None
    mail_host: str
    clock: Callable[[], int]
    mail: MailSettings | None

    @property
    def is_spread(self) -> bool:
        """Return whether the tables may be distributed over several machines."""

    def make_lasting(self, cursor: Any) -> None:
        """Make the commit of a cursor's writes wait for the disk; raises Unavailable."""


class Transaction(Executor):
    """What one request reads or writes in one account, as a whole or not at all.

    ``base`` stands in front of every absolute address in its records. ``blobs`` is the storage of the
    files that its rows name, if this program has one. ``mail`` says how mails go out, None
    where they do not; ``mail_host`` stands behind the @ of addresses at which they come in.
    ``writes`` says whether it may change anything;
    ``locked`` are the projects of which it then has the lock. ``shortened`` is how many bytes the longest
    text has of those that do not all fit into an answer, None where all fit. What is read within ``snapshot``
    is of one moment; elsewhere each statement may see what was committed since the one before.
    """

    def __init__(
        self,
        database: Surroundings,
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
        self.beforehand: list[Callable[[], object]] = []
        self.afterwards: list[Callable[[], object]] = []
        self.events: list[Any] = []
        self.writes = writes
        self.locked: set[int] = set()
        self._database = database
        self._tried = 0.0
        self._clock = database.clock
        self._now: int | None = None
        self.shortened: int | None = None
        self.snapshot: Callable[[], AbstractContextManager[None]] = nullcontext
        self.known_tickets: WeightedCache[Hashable, Any] = WeightedCache()

    @property
    def is_spread(self) -> bool:
        """Return whether the tables may be distributed over several machines."""
        return self._database.is_spread

    @property
    def now(self) -> int:
        """The transaction's one clock, in microseconds since 1970: the moment when it was first asked."""
        if self._now is None:
            self._now = self._clock()
        return self._now

    def hurry(self, seconds: float) -> None:
        """Make searches that run longer than this raise QueryTimeout."""
        self._given_up_at = perf_counter() + seconds

    def tried(self, find: Callable[[], T]) -> T | None:
        """Find something that is not worth waiting for; return None if it takes long.

        Each such search has half a second, and after a second of them no other one is begun. ``find`` may
        change nothing.
        """
        if self._tried >= PATIENCE_TOGETHER:
            return None
        began, given_up_at = perf_counter(), self._given_up_at
        self._given_up_at = min(given_up_at, began + PATIENCE)
        try:
            with self._limit.attempt():
                return find()
        except QueryTimeout:
            return None
        finally:
            self._given_up_at = given_up_at
            self._tried += perf_counter() - began

    def is_over(self, timestamp: int) -> bool:
        """Return whether a moment has come; unlike ``now`` this does not settle what the time is."""
        return self._clock() >= timestamp

    def before_commit(self, work: Callable[[], object]) -> None:
        """Do something as the last thing before the commit, such as what locks a row that all need."""
        self.beforehand.append(work)

    def after_commit(self, work: Callable[[], object]) -> None:
        """Run a function after the commit, if there is one.

        If it fails, the change stays as it is, and the failure is only reported.
        """
        self.afterwards.append(work)

    def note_shortened(self, octets: int) -> None:
        """Record that the response omits parts of texts, and the size of the longest text in bytes."""
        self.shortened = max(self.shortened or 0, octets)

    def once_lasting(self, work: Callable[[], object]) -> None:
        """Run a function as ``after_commit`` does, once the change is durable.

        Raises Unavailable if that could not be waited for.
        """
        self._database.make_lasting(self._cursor)
        self.after_commit(work)

    def not_before(self, timestamp: int) -> None:
        """Ensure that ``now`` is not earlier than a stored time, should the clock have been set back."""
        self._now = max(self.now, timestamp)


def microseconds(timestamp: datetime) -> int:
    """Return an aware datetime as whole microseconds since 1970 in UTC."""
    whole = int(timestamp.replace(microsecond=0).timestamp())
    return whole * 1_000_000 + timestamp.microsecond
