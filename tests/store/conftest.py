"""Databases of a test's own, on both kinds."""

import pytest

from skerry.store import schema
from skerry.store.database import Database
from tests import postgres


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


@pytest.fixture
def database(empty):
    schema.migrate(empty)
    return empty


@pytest.fixture
def sqlite(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'only.sqlite3'}")
    schema.migrate(database)
    yield database
    database.close()


@pytest.fixture
def elsewhere():
    database = Database(postgres.fresh() if postgres.url() else pytest.skip(postgres.reason()))
    schema.migrate(database)
    yield database
    database.close()
