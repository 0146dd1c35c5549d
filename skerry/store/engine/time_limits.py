"""Time limits for the queries of a transaction whose SQL is built for one call."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from skerry.errors import QueryTimeout
from skerry.store.engine.pool import FOR_EVER

SHARE_OF_WRITERS = 0.25
"""Of the time for reading, so much is there for a search while others may wait for what it is to write."""


class Kind(Protocol):
    """What a database does about it."""

    def hurried(self, connection: Any, seconds: float) -> AbstractContextManager[None]:
        """Limit queries to the number of seconds that are left.

        ``spent`` is the time that earlier queries took. Raises QueryTimeout if no time is left.
        """

    def attempt(self, connection: Any) -> AbstractContextManager[None]:
        """Keep the transaction usable after a query is aborted; raises QueryTimeout for that."""


class Unlimited:
    """As long as it takes."""

    def hurried(self, _spent: float, _left: float) -> AbstractContextManager[None]:
        """Apply the limit to queries, too; raises QueryTimeout if no time is left.

        In a read-only transaction the database enforces the whole limit itself.
        """
        return nullcontext()

    def attempt(self) -> AbstractContextManager[None]:
        """Keep the transaction usable after a query is aborted; raises QueryTimeout for that."""
        return nullcontext()


class TimeLimit(Unlimited):
    """On a connection on which nobody may search for more than a number of seconds, 0 being for ever."""

    def __init__(self, kind: Kind, connection: Any, seconds: int, *, writes: bool) -> None:
        """Begin with all of the time."""
        self._kind, self._connection, self._writes = kind, connection, writes
        self._seconds = seconds * (SHARE_OF_WRITERS if writes else 1) or FOR_EVER

    def hurried(self, spent: float, left: float) -> AbstractContextManager[None]:
        """Ask within the limit, too; raises QueryTimeout if nothing is left of the time.

        Where nothing is written, the database itself knows the whole of it.
        """
        least = min(self._seconds - spent, left)
        if least <= 0:
            raise QueryTimeout
        is_hurried = least < FOR_EVER if self._writes else left < FOR_EVER
        return self._kind.hurried(self._connection, least) if is_hurried else nullcontext()

    def attempt(self) -> AbstractContextManager[None]:
        """Keep the transaction usable after a query is aborted; raises QueryTimeout for that."""
        return self._kind.attempt(self._connection)
