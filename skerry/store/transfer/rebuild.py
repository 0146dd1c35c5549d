"""Atomic replacement of a database.

On PostgreSQL that is one transaction. On SQLite a new file is filled and then replaces the old one.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection

from skerry.database.database import Database
from skerry.errors import Conflict
from skerry.filesystem import fsync
from skerry.store import schema
from skerry.store.transfer import database_files

_BUSY = "The database is in use; stop what uses it first"


def is_empty(database: Database) -> bool:
    """Return whether a database has none of Skerry's tables; raises Unavailable if it does not respond."""
    path = database_files.path(database)
    if path is not None:
        return not path.exists() or not path.stat().st_size
    with schema.changing(database) as connection:
        return not schema.ours(connection)


@contextmanager
def rebuilt(database: Database) -> Iterator[Connection]:
    """Yield a connection to an empty database that replaces the real one unless an error occurs.

    Raises Conflict if the old one is in use, as far as that can be detected, and Unavailable if it does not
    respond.
    """
    path = database_files.path(database)
    if path is None:
        with schema.changing(database) as connection:
            _drop_tables(connection)
            yield connection
            _measure(connection)
        return
    _settle(path)
    part = database_files.part_of(path)
    try:
        with _filling(database, part) as connection:
            yield connection
        _replace(part, path)
    finally:
        database_files.remove_part(part)


def _drop_tables(connection: Connection) -> None:
    quote = connection.dialect.identifier_preparer.quote
    for name in schema.ours(connection):
        connection.exec_driver_sql(f"DROP TABLE {quote(name)} CASCADE")


def _measure(connection: Connection) -> None:
    """Update PostgreSQL's statistics, so that queries are not slow until autovacuum does it."""
    quote = connection.dialect.identifier_preparer.quote
    connection.exec_driver_sql(f"ANALYZE {', '.join(map(quote, schema.ours(connection)))}")


def _settle(path: Path) -> None:
    """Merge the journal of an old database into its file, if possible; raises Conflict if it is in use."""
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=0)) as old:
            old.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.DatabaseError as error:
        # A damaged database is replaced, not read.
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise Conflict(_BUSY) from error


@contextmanager
def _filling(database: Database, part: Path) -> Iterator[Connection]:
    # A killed process may have left an unfinished file, with a journal that does not fit the next one.
    database_files.remove_part(part)
    new = Database(database.engine.url.set(database=str(part)).render_as_string(hide_password=False))
    with closing(new), schema.changing(new) as connection:
        yield connection


def _replace(part: Path, path: Path) -> None:
    _settle(path)
    if path.exists():
        shutil.copymode(path, part)
    database_files.remove_beside(path)
    fsync(part)
    part.replace(path)
    fsync(path.parent)
