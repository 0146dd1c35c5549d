"""Databases with the newest schema and nothing in them: made once in a process, and copied from then on."""

import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import make_url

from skerry.store.engine import schema
from skerry.store.engine.database import Database
from tests.support import postgres
from tests.support.processes import until

FILE = "skerry.sqlite3"
"""What the program calls its database in the data folder."""


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
