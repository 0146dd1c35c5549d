"""What interrupts queries: errors of the drivers, and time limits."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

from sqlalchemy.exc import DBAPIError

from skerry.errors import QueryTimeout, SerializationFailure, Unavailable

FOR_EVER = float("inf")

SHARE_OF_WRITERS = 0.25
"""The share of the read limit that a search gets in a write transaction, for which others may wait."""


@dataclass(frozen=True)
class DriverErrors:
    """A reusable context manager that translates errors of a driver into the product's own.

    It has the driver's error classes of conflicts and interrupted statements. A ``damaged`` database raises
    exactly that class, not one of its subclasses.
    """

    operational: tuple[type[Exception], ...]
    colliding: tuple[type[Exception], ...]
    took_too_long: Callable[[BaseException | None], bool]
    damaged: type[Exception] | None = None

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Raise SerializationFailure or Unavailable for an error of the driver."""
        if isinstance(error, self.colliding):
            raise SerializationFailure from error
        if isinstance(error, (*self.operational, DBAPIError)) or type(error) is self.damaged:
            raise (QueryTimeout if self.took_too_long(error) else Unavailable) from error


class LimitedDatabase(Protocol):
    """The part of a database that enforces time limits."""

    def limited(self, connection: Any, seconds: float) -> AbstractContextManager[None]:
        """Limit queries to the given number of seconds; raises QueryTimeout for one that takes longer."""

    def attempt(self, connection: Any) -> AbstractContextManager[None]:
        """Keep the transaction usable after a query is aborted; raises QueryTimeout for that."""


class Unlimited:
    """No time limit."""

    def limited(self, _spent: float, _left: float) -> AbstractContextManager[None]:
        """Apply no limit."""
        return nullcontext()

    def attempt(self) -> AbstractContextManager[None]:
        """Do nothing."""
        return nullcontext()


class TimeLimit(Unlimited):
    """The limit for searches on a connection, in seconds; 0 means none."""

    def __init__(self, kind: LimitedDatabase, connection: Any, seconds: int, *, writes: bool) -> None:
        """Create the limit; a write transaction gets a share of the seconds."""
        self._kind, self._connection, self._writes = kind, connection, writes
        self._seconds = seconds * (SHARE_OF_WRITERS if writes else 1) or FOR_EVER

    def limited(self, spent: float, left: float) -> AbstractContextManager[None]:
        """Limit a query to ``left`` and the time not ``spent``; raises QueryTimeout if none is left.

        In a read-only transaction the database itself enforces the whole limit.
        """
        least = min(self._seconds - spent, left)
        if least <= 0:
            raise QueryTimeout
        is_hurried = least < FOR_EVER if self._writes else left < FOR_EVER
        return self._kind.limited(self._connection, least) if is_hurried else nullcontext()

    def attempt(self) -> AbstractContextManager[None]:
        """Keep the transaction usable after a query is aborted; raises QueryTimeout for that."""
        return self._kind.attempt(self._connection)
