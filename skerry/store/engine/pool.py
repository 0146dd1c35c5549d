"""The connections of one process to SQLite."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from sqlalchemy import Engine

FOR_EVER = float("inf")

MOST_TEXT = 1_000_000
"""Characters of texts put together for one call that a driver may keep, with ten bytes and more for each."""


class KeptTexts:
    """The total size of the SQL texts that a driver caches although each is used only once."""

    def __init__(self) -> None:
        """Create an empty pool."""
        self.length = 0
        self._known: set[int] = set()

    def note(self, text: str) -> None:
        """Count a text, unless it is kept already."""
        if (number := hash(text)) not in self._known:
            self._known.add(number)
            self.length += len(text)


class Connection:
    """A connection of the driver with its one cursor."""

    def __init__(self, engine: Engine) -> None:
        """Connect, prepared as the engine prepares all of its own, and make the cursor."""
        prepared = engine.raw_connection()
        prepared.detach()
        self.raw = cast("Any", prepared.dbapi_connection)
        self.cursor = self.raw.cursor()
        self.texts = KeptTexts()
        # When a running statement is interrupted, by the monotonic clock.
        self.until = FOR_EVER

    def close(self) -> None:
        """End it, in whatever state it is."""
        with suppress(Exception):
            self.raw.close()


class Pool:
    """A pool that keeps a maximum number of idle connections and opens more on demand."""

    def __init__(self, connect: Callable[[], Connection], most: int) -> None:
        """Connect to nothing yet."""
        self._connect, self._most = connect, most
        self._idle: list[Connection] = []
        self._used: set[Connection] = set()
        self.on_loss: Callable[[], None] = lambda: None

    @property
    def in_use(self) -> int:
        """The number of connections that are working."""
        return len(self._used)

    def open(self) -> None:
        """Do nothing: connections are made when they are needed."""

    def take(self) -> Connection:
        """Return a connection for one caller, the one that was used last because it is warm."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        self._used.add(connection)
        return connection

    def give_back(self, connection: Connection) -> None:
        """Keep a connection with no transaction for the next caller; close it if it holds too much text."""
        self._used.discard(connection)
        if len(self._idle) >= self._most or connection.texts.length > MOST_TEXT:
            connection.close()
        else:
            self._idle.append(connection)

    def drop(self, connection: Connection) -> None:
        """Close a connection that nobody should use again."""
        self._used.discard(connection)
        connection.close()

    def close(self) -> None:
        """Close every idle connection."""
        while self._idle:
            self._idle.pop().close()
