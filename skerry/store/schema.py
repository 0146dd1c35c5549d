"""The schema's history: which migrations a database has had, and giving it the rest."""

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, NullPool, create_engine, event, text

from skerry.store.database import Database

_HOME = Path(__file__).parent / "migrations"

# Two programs that start at once must not both migrate; any number will do, as long as it is this one.
_LOCK = text("SELECT pg_advisory_xact_lock(7305537)")


class SchemaError(RuntimeError):
    """The database cannot be used by this program; the sentence says what to do."""


def migrate(database: Database) -> list[str]:
    """Bring a database to the newest schema and give the migrations that it took, oldest first.

    All of them are one transaction. Raises SchemaError if the database is newer than the program,
    Unavailable if it does not answer.
    """
    with database.exclusive():
        engine = _engine(database)
        try:
            with engine.begin() as connection:
                if engine.dialect.name == "postgresql":
                    connection.execute(_LOCK)
                return _upgrade(connection)
        finally:
            engine.dispose()


def pending(database: Database) -> list[str]:
    """Give the migrations that a database still needs; raises SchemaError if it is newer than the program."""
    engine = _engine(database)
    try:
        with database.exclusive(), engine.connect() as connection:
            return _missing(connection)
    finally:
        engine.dispose()


def _upgrade(connection: Connection) -> list[str]:
    missing = _missing(connection)
    if missing:
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return missing


def _missing(connection: Connection) -> list[str]:
    scripts = ScriptDirectory.from_config(_config())
    known = [script.revision for script in reversed(list(scripts.walk_revisions()))]
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in known:
        raise SchemaError(
            f"The database has schema {current}, which is newer than this program (schema {known[-1]}); "
            "install a newer skerry"
        )
    return known[known.index(current) + 1 :] if current else known


def _config() -> Config:
    config = Config()
    # Alembic reads its own options through a parser that takes % for a sign of its own.
    config.set_main_option("script_location", str(_HOME).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _engine(database: Database) -> Engine:
    """Schema changes have a connection of their own, one transaction for all of them."""
    url = database.engine.url
    if url.get_backend_name() != "sqlite":
        return create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": 5})
    engine = create_engine(url, poolclass=NullPool, connect_args={"isolation_level": None})
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> Any:
    # The driver would begin only before some statements, and not before those that change the schema.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
