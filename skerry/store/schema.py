"""Schema migrations: which ones have been applied to a database, and applying the others."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, NullPool, create_engine, event, inspect, text

from skerry import database as database_package
from skerry.database import postgresql_sessions
from skerry.database.database import Database
from skerry.database.postgresql import IS_DISTRIBUTED, keeps_what_is_prepared
from skerry.filesystem import fsync
from skerry.store.tables import BOOKS, SEARCH_DOCUMENTS, metadata

COPIES = 3
"""How many copies of a database file made before migrations are kept."""

_HOME = Path(database_package.__file__).parent / "migrations"

# Two programs that start together must not both migrate; the number is arbitrary, but must not change.
_LOCK = text("SELECT pg_advisory_xact_lock(7305537)")

# If tables are distributed, a transaction must change them one after the other.
_ONE_BY_ONE = text(
    f"SELECT set_config('citus.multi_shard_modify_mode', 'sequential', TRUE) WHERE {IS_DISTRIBUTED}"
)


OLDEST: dict[str, tuple[str, tuple[int, ...]]] = {
    "postgresql": ("PostgreSQL", (14,)),
    "sqlite": ("SQLite", (3, 35)),
}
"""The name of each database, and its oldest version that supports all statements."""


KNOWN_GOOD = (3, 39, 4)
"""The oldest version of SQLite for which searches do not depend on how the index is read."""


_LAST_WITH_OLDER = "the skerry of commit 75a36242"
"""The last version that migrates schemas older than the first one here."""


class SchemaError(RuntimeError):
    """This program cannot use the database; the message says what to do."""


@dataclass(frozen=True)
class Stored:
    """A table in a database: its name, its columns and its primary key."""

    name: str
    columns: list[str]
    key: list[str]


def migrate(database: Database) -> list[str]:
    """Upgrade a database to the newest schema and return the applied migrations, oldest first.

    All of them are one transaction; a SQLite file is copied before. Raises SchemaError if the database is too
    old, its schema is newer than the program, or it is behind a pooler in transaction mode; Unavailable if it
    does not respond.
    """
    _check_way(database)
    # A full disk may only be noticed at the commit.
    with ExitStack() as around, changing(database) as connection:
        missing = _missing(connection)
        if missing:
            around.enter_context(_copied(connection, missing[-1]))
            upgrade(connection)
        return missing


def _check_way(database: Database) -> None:
    with database.exclusive():
        if database.engine.dialect.name == "postgresql" and not keeps_what_is_prepared(database.engine):
            raise SchemaError(
                "The pooler in front of PostgreSQL pools transactions, which does not work with prepared "
                "statements; configure it to pool sessions (pool_mode = session)"
            )


def warning(database: Database) -> str:
    """Return a warning for operators about the version of the database; empty if there is none."""
    if database.engine.dialect.name != "sqlite" or sqlite3.sqlite_version_info >= KNOWN_GOOD:
        return ""
    oldest = ".".join(map(str, KNOWN_GOOD))
    return f"SQLite {sqlite3.sqlite_version} is older than {oldest}, the oldest version known to be good"


def pending(database: Database) -> list[str]:
    """Return the migrations that a database still needs.

    Raises SchemaError if it is newer than the program.
    """
    with database.exclusive(), _connected(database) as connection:
        return _missing(connection)


def stored(database: Database) -> tuple[str | None, list[Stored]]:
    """Return the last migration of a database, and its tables as ``stored_on`` does."""
    with database.exclusive(), _connected(database) as connection:
        return revision(connection), stored_on(connection)


def stored_on(connection: Connection) -> list[Stored]:
    """Return the tables that hold primary data, each after the tables that it references."""
    inspector = inspect(connection)
    return [
        Stored(
            name,
            [column["name"] for column in inspector.get_columns(name)],
            inspector.get_pk_constraint(name)["constrained_columns"],
        )
        for name, _ in inspector.get_sorted_table_and_fkc_names()
        if name and name in metadata.tables
    ]


def ours(connection: Connection) -> list[str]:
    """Return the names of this program's tables on PostgreSQL; extensions may have others."""
    known = {*metadata.tables, BOOKS, SEARCH_DOCUMENTS}
    return [name for name in inspect(connection).get_table_names() if name in known]


@contextmanager
def changing(database: Database) -> Iterator[Connection]:
    """Yield a connection in a transaction that excludes other migrations and, on SQLite, all writers.

    Raises Unavailable if the database does not respond.
    """
    with database.exclusive(), _connected(database) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(_LOCK)
            connection.execute(_ONE_BY_ONE)
        yield connection


def revision(connection: Connection) -> str | None:
    """Return a database's schema revision."""
    return MigrationContext.configure(connection).get_current_revision()


def check_known(name: str, whose: str, remedy: str = "migrate it") -> None:
    """Raise SchemaError for an unknown schema; ``remedy`` says what to do with one that is too old."""
    known = _known(_HOME)
    if name < known[0]:
        raise SchemaError(
            f"{whose} has schema {name}, which is too old for this program (schema {known[0]} or newer); "
            f"{remedy} with {_LAST_WITH_OLDER} first"
        )
    if name not in known:
        raise SchemaError(
            f"{whose} has schema {name}, which is newer than this program (schema {known[-1]}); "
            "install a newer skerry"
        )


def upgrade(connection: Connection, to: str | None = None) -> None:
    """Bring a database to the given schema, by default to the newest.

    An empty database gets the newest one at once, without the migrations.
    """
    config = _config()
    config.attributes["connection"] = connection
    if revision(connection) is None and to in (None, _known(_HOME)[-1]):
        metadata.create_all(connection, checkfirst=False)
        command.stamp(config, "head")
    else:
        command.upgrade(config, to or "head")


def _missing(connection: Connection) -> list[str]:
    known, current = _known(_HOME), revision(connection)
    if current is None:
        return list(known)
    check_known(current, "The database")
    return list(known[known.index(current) + 1 :])


@cache
def _known(_home: Path) -> tuple[str, ...]:
    """Return the migrations in a folder, oldest first; each is loaded to find out, so only once."""
    scripts = ScriptDirectory.from_config(_config())
    return tuple(script.revision for script in reversed(list(scripts.walk_revisions())))


def _config() -> Config:
    config = Config()
    # Alembic parses options with interpolation, in which % has a special meaning.
    config.set_main_option("script_location", str(_HOME).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@contextmanager
def _copied(connection: Connection, to: str) -> Iterator[None]:
    """Copy a SQLite file to the folder ``backups`` beside it, and remove the oldest copies.

    After an error the copy is removed: nothing has changed, and on a full disk the old program needs the
    space.
    """
    path = connection.engine.url.database
    if connection.dialect.name != "sqlite" or not path or revision(connection) is None:
        yield
        return
    folder = Path(path).parent / "backups"
    folder.mkdir(exist_ok=True)
    timestamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    part, copy = folder / "copy.part", folder / f"before-{to}-{timestamp}.sqlite3"
    try:
        _copy_file(Path(path), part)
        part.replace(copy)
        yield
    except BaseException:
        part.unlink(missing_ok=True)
        copy.unlink(missing_ok=True)
        raise
    copies = sorted(folder.glob("before-*.sqlite3"), key=lambda each: each.stem.rpartition("-")[2])
    for old in copies[:-COPIES]:
        old.unlink()


def _copy_file(path: Path, part: Path) -> None:
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as original, closing(sqlite3.connect(part)) as copy:
        original.backup(copy)
        # A single file without a log, so that it can be moved.
        copy.execute("PRAGMA journal_mode=DELETE")
    fsync(part)


@contextmanager
def _connected(database: Database) -> Iterator[Connection]:
    engine = _engine(database)
    try:
        with engine.connect() as connection:
            _check_kind(connection)
            yield connection
    finally:
        engine.dispose()


def _check_kind(connection: Connection) -> None:
    name, oldest = OLDEST[connection.dialect.name]
    version = connection.dialect.server_version_info
    if version and version < oldest:
        needed, current = (".".join(map(str, each)) for each in (oldest, version))
        raise SchemaError(f"Skerry needs {name} {needed} or newer; this is {current}")
    if connection.dialect.name == "postgresql":
        _check_encoding(postgresql_sessions.encoding(connection.connection.driver_connection))


def _check_encoding(encoding: str) -> None:
    needed = postgresql_sessions.UTF8
    if encoding != needed:
        raise SchemaError(
            f"Skerry needs a database with the encoding {needed}, but this one has {encoding}; "
            f"create another one with 'createdb --encoding={needed} --template=template0'"
        )


def _engine(database: Database) -> Engine:
    """Return an engine for schema changes, with its own connection and one transaction."""
    url = database.engine.url
    if url.get_backend_name() != "sqlite":
        how = {
            "isolation_level": "READ COMMITTED",
            "connect_args": postgresql_sessions.connection_options(url),
        }
        elsewhere = create_engine(url, poolclass=NullPool, **how)
        event.listen(elsewhere, "connect", postgresql_sessions.remove_time_limits)
        return elsewhere
    engine = create_engine(url, poolclass=NullPool, connect_args={"isolation_level": None})
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> Any:
    # The driver would begin a transaction only before some statements, which exclude schema changes.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
