"""Databases with the newest schema and nothing in them: made once in a process, and copied from then on."""

import tempfile
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import make_url

from skerry.database.database import Database
from skerry.store import schema
from tests.support import postgres
from tests.support.processes import until

FILE = "skerry.sqlite3"
"""What the program calls its database in the data folder."""

_emptied = []


def on_sqlite(folder, name=FILE):
    """Make a database in a folder and return its address."""
    path = folder / name
    path.write_bytes(_file())
    return f"sqlite:///{path}"


def on_postgres():
    """Make a database and return its address; skips the test where there is no server."""
    return postgres.fresh(_original()) if postgres.url() else pytest.skip(postgres.reason())


def at(kind, folder):
    """Make a database of one kind, in a folder if it is a file, and return its address."""
    return on_sqlite(folder) if kind == "sqlite" else on_postgres()


@contextmanager
def lent(kind, folder=None):
    """Lend a database of one kind and give its address; that on PostgreSQL is emptied for the next."""
    if kind == "sqlite":
        yield on_sqlite(folder)
    else:
        url = _emptied.pop() if _emptied else on_postgres()
        yield url
        _empty(make_url(url).database)
        _emptied.append(url)


def _empty(name):
    """Make a database as it was at first: without rows, and without settings for who connects to it."""
    # To empty all tables would take as long as another copy.
    with_rows = (
        "SELECT string_agg(relname, ', ') FROM pg_class WHERE relkind = 'r' AND pg_relation_size(oid) > 0"
        " AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'"
    )
    with postgres.connect(name) as connection:
        connection.exec_driver_sql("SET default_transaction_read_only = off")
        connection.exec_driver_sql("SET lock_timeout = '20s'")
        connection.exec_driver_sql(f"ALTER DATABASE {name} RESET ALL")
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{_newest()}'")
        tables = connection.exec_driver_sql(with_rows).scalar()
        if tables:
            connection.exec_driver_sql(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")


@cache
def _newest():
    return ScriptDirectory.from_config(schema._config()).get_current_head()


@cache
def _file():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        _migrate(f"sqlite:///{path}")
        return path.read_bytes()


@cache
def _original():
    url = postgres.fresh()
    _migrate(url)
    name = make_url(url).database
    with postgres.connect() as connection:
        # Nothing is copied while somebody is connected to it.
        others = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"
        until(lambda: connection.exec_driver_sql(others).scalar() == 0, "the end of its connections")
    return name


def _migrate(url):
    with closing(Database(url)) as database:
        schema.migrate(database)
