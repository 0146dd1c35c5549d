"""The connections of one process to SQLite."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from sqlalchemy import Engine

FOR_EVER = float("inf")

MAX_TEXT = 1_000_000
"""The most characters of single-use SQL that a driver may cache; each takes ten bytes or more."""


class CachedTexts:
    """The total size of the SQL texts that a driver caches although each is used only once."""

    def __init__(self) -> None:
        """Create an empty pool."""
        self.length = 0
        self._known: set[int] = set()

    def note(self, text: str) -> None:
        """Count a text, unless it is cached already."""
        if (number := hash(text)) not in self._known:
            self._known.add(number)
            self.length += len(text)


class Connection:
    """A connection of the driver with its one cursor."""

    def __init__(self, engine: Engine) -> None:
        """Connect, with the engine's configuration, and create the cursor."""
        prepared = engine.raw_connection()
        prepared.detach()
        self.raw = cast("Any", prepared.dbapi_connection)
        self.cursor = self.raw.cursor()
        self.texts = CachedTexts()
        # When a running statement is interrupted, by the monotonic clock.
        self.until = FOR_EVER

    def close(self) -> None:
        """Close it, in any state."""
        with suppress(Exception):
            self.raw.close()


class Pool:
    """A pool that keeps a maximum number of idle connections and opens more on demand."""

    def __init__(self, connect: Callable[[], Connection], most: int) -> None:
        """Create an empty pool."""
        self._connect, self._most = connect, most
        self._idle: list[Connection] = []
        self._used: set[Connection] = set()
        self.on_loss: Callable[[], None] = lambda: None

    @property
    def in_use(self) -> int:
        """Return the number of connections in use."""
        return len(self._used)

    def open(self) -> None:
        """Do nothing: connections are opened on demand."""

    def acquire(self) -> Connection:
        """Return a connection for one caller; the most recently used one is warm."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        self._used.add(connection)
        return connection

    def release(self, connection: Connection) -> None:
        """Keep a connection with no transaction for the next caller; close it if it holds too much text."""
        self._used.discard(connection)
        if len(self._idle) >= self._most or connection.texts.length > MAX_TEXT:
            connection.close()
        else:
            self._idle.append(connection)

    def drop(self, connection: Connection) -> None:
        """Close a connection that must not be reused."""
        self._used.discard(connection)
        connection.close()

    def close(self) -> None:
        """Close all idle connections."""
        while self._idle:
            self._idle.pop().close()
