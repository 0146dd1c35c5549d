"""The drivers' own connections, one for each thread, for the bare program."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock, local
from typing import Any

from sqlalchemy import URL, make_url

from skerry.database.durability import Disk
from skerry.database.sqlite import SQLITE_PRAGMAS, SQLite


class Connections:
    """Connections to one database, set up as the product sets up its own."""

    def __init__(self, url: str) -> None:
        """Connect when a thread asks."""
        self._own = local()
        self.is_sqlite = url.startswith("sqlite")
        self._connect: Callable[[], Any]
        if self.is_sqlite:
            address = make_url(url)
            self._connect = lambda: _sqlite(address)
            self._gate: Any = Lock()
            self._disk: Disk | None = Disk(Path(address.database or ""))
        else:
            self._connect = lambda: _postgresql(url)
            self._gate = nullcontext()
            self._disk = None

    def cursor(self) -> Any:
        """Return the thread's cursor; without a transaction, each statement is one."""
        cursor = getattr(self._own, "cursor", None)
        if cursor is None:
            cursor = self._own.cursor = self._connect().cursor()
        return cursor

    def close(self) -> None:
        """Close the thread's connection, if it has one, and the log that was flushed."""
        if hasattr(self._own, "cursor"):
            self._own.cursor.connection.close()
            del self._own.cursor
        if self._disk:
            self._disk.close()

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Return the cursor in a transaction that writes, and is as durable at the end as the product's."""
        cursor = self.cursor()
        with self._gate:
            cursor.execute("BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN")
            try:
                if self._disk:
                    self._disk.prepare()
                yield cursor
            except BaseException:
                cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")
        if self._disk:
            self._disk.settle()


def _sqlite(address: URL) -> sqlite3.Connection:
    connection = sqlite3.connect(address.database or "", **SQLite.connecting(address))
    for pragma in SQLITE_PRAGMAS:
        connection.execute(pragma)
    return connection


def _postgresql(url: str) -> Any:
    import psycopg  # noqa: PLC0415 - an extra: not installed where only SQLite is used

    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(plain, autocommit=True)
