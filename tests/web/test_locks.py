"""A lock held in PostgreSQL, for example by an administrator, blocks nobody for ever."""

from contextlib import contextmanager

import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from skerry.database.statements import Statement
from skerry.errors import Unavailable
from skerry.store import schema
from tests.conftest import build_world, make_instance
from tests.support import migrated_databases, postgres

pytestmark = pytest.mark.matrix("databases")

SHOWN = text("SHOW lock_timeout")


def set_for_all(url, seconds):
    """Describe on the server how long a lock is waited for."""
    with postgres.connect() as connection:
        connection.exec_driver_sql(f"ALTER DATABASE {make_url(url).database} SET lock_timeout = '{seconds}s'")


@pytest.fixture
def url():
    return migrated_databases.on_postgres()


@pytest.fixture
def instance(url, tmp_path):
    instance, _ = make_instance(url, tmp_path)
    with instance:
        yield instance


@contextmanager
def holding(url, lock):
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text(lock))
        yield


@pytest.mark.parametrize(
    ("lock", "form"),
    [("LOCK TABLE tickets IN EXCLUSIVE MODE", "xml"), ("SELECT * FROM project_counters FOR UPDATE", "json")],
)
def test_a_writer_that_meets_a_lock_is_told_to_retry(url, instance, lock, form):
    ada = build_world(instance, None, form).people["ada"]
    tickets = f"/projects/{ada.post('/projects', {'project': {'name': 'Roof'}}).item['id']}/tickets"
    instance.database.close()
    set_for_all(url, 0.1)
    with holding(url, lock):
        refused = ada.post(tickets, {"ticket": {"title": "Leak"}})
        assert (refused.status, refused.errors) == (503, [Unavailable.default])
        assert refused.headers["retry-after"].isdigit()
        assert ada.get(tickets).status == 200
    opened = ada.post(tickets, {"ticket": {"title": "Leak"}})
    assert (opened.status, opened.item["number"]) == (201, 1)


def test_a_lock_is_waited_for_as_long_as_another_writer_unless_the_server_says_otherwise(url, instance):
    def seconds():
        with instance.database.read() as transaction:
            return transaction.value(Statement(SHOWN, across_accounts=True))

    assert seconds() == "20s"
    instance.database.close()
    set_for_all(url, 60)
    assert seconds() == "1min"


def test_migrations_wait_for_locks_as_long_as_it_takes(instance):
    with schema.changing(instance.database) as connection:
        assert connection.scalar(SHOWN) == "0"
