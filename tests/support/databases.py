"""Databases of a test, on both kinds."""

from contextlib import closing

import pytest

from skerry.database.database import Database
from tests.support import migrated_databases, postgres


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.sqlite3'}"
    return postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())


@pytest.fixture
def empty(url):
    database = Database(url)
    yield database
    database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def address(request, tmp_path):
    """The address of a database with the newest schema and no rows."""
    with migrated_databases.lent(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def database(address):
    database = Database(address)
    yield database
    database.close()


@pytest.fixture
def sqlite(tmp_path):
    database = Database(migrated_databases.on_sqlite(tmp_path, "only.sqlite3"))
    yield database
    database.close()


@pytest.fixture
def elsewhere():
    with migrated_databases.lent("postgres") as url, closing(Database(url)) as database:
        yield database
