"""What was committed reaches the disk."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from sqlalchemy import text

from skerry.errors import Unavailable
from skerry.store import durability, schema
from skerry.store.database import Database
from skerry.store.durability import Disk
from tests import postgres


@pytest.fixture
def flushes(monkeypatch):
    """The descriptors that were flushed."""
    flushed = []
    monkeypatch.setattr(durability, "_FLUSH", flushed.append)
    return flushed


@pytest.fixture
def log(tmp_path):
    (tmp_path / "x-wal").touch()
    return tmp_path / "x"


def test_every_commit_is_flushed_before_it_is_told(tmp_path, flushes):
    database = Database(f"sqlite:///{tmp_path / 'x'}")
    schema.migrate(database)
    with database.write():
        assert flushes == []
    assert len(flushes) == 1
    with database.read():
        pass
    assert len(flushes) == 1
    database.close()


def test_nothing_is_flushed_where_losing_the_last_second_is_allowed(tmp_path, flushes):
    database = Database(f"sqlite:///{tmp_path / 'x'}", durable=False)
    schema.migrate(database)
    with database.write():
        pass
    assert flushes == []
    database.close()


def test_those_who_commit_during_a_flush_share_the_next_one(log, monkeypatch):
    began, go_on, flushed = Event(), Event(), []

    def flush(descriptor):
        began.set()
        go_on.wait(30)
        flushed.append(descriptor)

    monkeypatch.setattr(durability, "_FLUSH", flush)
    disk = Disk(log)
    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(disk.settle)
        began.wait(30)
        others = [pool.submit(disk.settle) for _ in range(8)]
        go_on.set()
        for done in (first, *others):
            done.result(30)
    assert 2 <= len(flushed) <= 9
    assert not disk._running


def test_a_disk_that_refuses_is_said_and_does_not_hold_up_the_next(log, monkeypatch):
    def refuse(_descriptor):
        raise OSError

    monkeypatch.setattr(durability, "_FLUSH", refuse)
    disk = Disk(log)
    with pytest.raises(Unavailable):
        disk.settle()
    monkeypatch.setattr(durability, "_FLUSH", lambda _descriptor: None)
    disk.settle()


@pytest.mark.parametrize(("durable", "said"), [(True, "on"), (False, "off")])
def test_postgresql_waits_for_its_disk_unless_it_need_not(durable, said):
    database = Database(postgres.url() or pytest.skip(postgres.reason()), durable=durable)
    with database.engine.connect() as connection:
        server = connection.execute(
            text("SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'")
        )
        usual = server.scalar()
        found = connection.execute(text("SHOW synchronous_commit")).scalar()
    assert found == (usual if durable else said)
    database.close()
