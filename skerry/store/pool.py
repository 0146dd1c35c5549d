"""The connections of one process; the one used last for the same is used next, because it is warm."""

from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, cast

from sqlalchemy import Engine

from skerry.store.snapshot_cache import SnapshotCache

Begin = Callable[["Connection"], Hashable]
"""Begins a transaction on a connection and gives the moment that it sees, None if it cannot be told."""

FOR_EVER = float("inf")

MOST_TEXT = 1_000_000
"""Characters of texts put together for one call that a driver may keep, with ten bytes and more for each."""


class KeptTexts:
    """How many characters there are in the texts that a driver keeps, each of which was put together once."""

    def __init__(self) -> None:
        """Begin without texts."""
        self.length = 0
        self._known: set[int] = set()

    def note(self, text: str) -> None:
        """Count a text, unless it is kept already."""
        if (number := hash(text)) not in self._known:
            self._known.add(number)
            self.length += len(text)


class Connection:
    """A driver's connection with its one cursor, and what it remembers of the moment that it saw last."""

    def __init__(self, engine: Engine, cursor: Callable[[Any], Any]) -> None:
        """Connect, prepared as the engine prepares all of its own, and make the cursor."""
        prepared = engine.raw_connection()
        prepared.detach()
        self.raw = cast("Any", prepared.dbapi_connection)
        self.cursor = cursor(self.raw)
        self.memory: SnapshotCache | None = None
        self.texts = KeptTexts()
        self.writes = False
        # When what goes on inside the process is interrupted, by the monotonic clock.
        self.until = FOR_EVER

    def begin(self, begin: Begin) -> None:
        """Begin a transaction; remember what was found before, if this one sees the same moment.

        Moments of different connections cannot be compared, so that each has a memory of its own.
        """
        moment = begin(self)
        if moment is None:
            self.memory = None
        elif self.memory is None or self.memory.moment != moment:
            self.memory = SnapshotCache(moment)

    def recollect(self, key: Hashable, ask: Begin) -> Any:
        """Give what is remembered under a key, None if it is nothing, or no longer of this moment."""
        if self.memory is None or key not in self.memory:
            return None
        self.begin(ask)
        return self.memory.get(key) if self.memory else None

    def close(self) -> None:
        """End it, in whatever state it is."""
        with suppress(Exception):
            self.raw.close()


class Pool:
    """Connections that wait for work, at most so many; more are made while they are needed.

    Who writes takes from one end and who reads from the other: a connection to a file remembers its
    pages until another one changes them, and so they change under the one that writes least often.
    """

    def __init__(self, connect: Callable[[], Connection], most: int) -> None:
        """Connect to nothing yet."""
        self._connect = connect
        self._most = most
        self._idle: deque[Connection] = deque()
        self._used: set[Connection] = set()

    @property
    def in_use(self) -> int:
        """Say how many connections work for somebody at the moment."""
        return len(self._used)

    def take(self, *, writes: bool = False) -> Connection:
        """Give a connection for somebody alone."""
        connection = self._waiting(writes=writes) or self._connect()
        connection.writes = writes
        self._used.add(connection)
        return connection

    def spare(self) -> Connection | None:
        """Give a connection that waits for work, for somebody alone; None if there is none."""
        connection = self._waiting(writes=False)
        if connection is None:
            return None
        connection.writes = False
        self._used.add(connection)
        return connection

    def give_back(self, connection: Connection) -> None:
        """Let the next one have a connection that has nothing begun; one that keeps too much is replaced."""
        self._used.discard(connection)
        if len(self._idle) < self._most and connection.texts.length <= MOST_TEXT:
            (self._idle.appendleft if connection.writes else self._idle.append)(connection)
        else:
            connection.close()

    def drop(self, connection: Connection) -> None:
        """End a connection that nobody should use again."""
        self._used.discard(connection)
        connection.close()

    def close(self) -> None:
        """End every connection that waits."""
        while connection := self._waiting(writes=False):
            connection.close()

    def _waiting(self, *, writes: bool) -> Connection | None:
        try:
            return self._idle.popleft() if writes else self._idle.pop()
        except IndexError:
            return None
