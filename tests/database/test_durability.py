"""Durability of commits on SQLite."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest
from sqlalchemy import make_url, text

from skerry.database import durability
from skerry.database.database import Database
from skerry.database.durability import Disk
from skerry.errors import Unavailable
from skerry.store import accounts
from tests.support import migrated_databases, postgres


@pytest.fixture
def flushes(monkeypatch):
    """The descriptors that were flushed."""
    flushed = []
    monkeypatch.setattr(durability, "_FLUSH", flushed.append)
    return flushed


@pytest.fixture
def disk(tmp_path):
    (tmp_path / "x-wal").touch()
    disk = Disk(tmp_path / "x")
    disk.prepare()
    yield disk
    disk.close()


def test_every_commit_is_flushed_before_it_is_told(tmp_path, flushes):
    database = Database(migrated_databases.on_sqlite(tmp_path, "x"))
    with database.write():
        assert flushes == []
    assert len(flushes) == 1
    with database.read():
        pass
    assert len(flushes) == 1
    database.close()


def test_nothing_is_flushed_if_losing_the_last_second_is_allowed(tmp_path, flushes):
    database = Database(migrated_databases.on_sqlite(tmp_path, "x"), durable=False)
    with database.write():
        pass
    assert flushes == []
    database.close()


def test_functions_after_a_durable_commit_always_wait_for_the_disk(tmp_path, flushes):
    database, done = Database(migrated_databases.on_sqlite(tmp_path, "x"), durable=False), []
    with database.write() as transaction:
        transaction.after_durable_commit(lambda: done.append(len(flushes)))
    with database.write():
        pass
    assert done == [len(flushes)] == [1]
    database.close()


def test_those_who_commit_during_a_flush_share_the_next_one(disk, monkeypatch):
    began, go_on, flushed = Event(), Event(), []

    def flush(descriptor):
        began.set()
        go_on.wait(30)
        flushed.append(descriptor)

    monkeypatch.setattr(durability, "_FLUSH", flush)
    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(disk.settle)
        began.wait(30)
        others = [pool.submit(disk.settle) for _ in range(8)]
        go_on.set()
        for done in (first, *others):
            done.result(30)
    assert 2 <= len(flushed) <= 9
    assert not disk._running


def test_a_disk_that_refuses_a_write_is_reported_and_does_not_block_the_next_one(disk, monkeypatch):
    def refuse(_descriptor):
        raise OSError

    monkeypatch.setattr(durability, "_FLUSH", refuse)
    with pytest.raises(Unavailable):
        disk.settle()
    monkeypatch.setattr(durability, "_FLUSH", lambda _descriptor: None)
    disk.prepare()
    disk.settle()


def test_a_failed_flush_is_reported_to_an_earlier_commit_that_asks_later(disk, monkeypatch):
    refusals = [OSError()]

    def flush(_descriptor):
        if refusals:
            raise refusals.pop()

    monkeypatch.setattr(durability, "_FLUSH", flush)
    with ThreadPoolExecutor(1) as pool:
        assert type(pool.submit(disk.settle).exception(30)) is Unavailable
    with pytest.raises(Unavailable):
        disk.settle()
    disk.prepare()
    disk.settle()


def test_a_failed_flush_is_reported_to_a_transaction_that_was_writing(sqlite, monkeypatch):
    refusals = [OSError()]

    def flush(_descriptor):
        if refusals:
            raise refusals.pop()

    def settle_beside():
        with ThreadPoolExecutor(1) as pool:
            assert type(pool.submit(sqlite._kind._disk.settle).exception(30)) is Unavailable

    write(sqlite, "First")
    monkeypatch.setattr(durability, "_FLUSH", flush)
    with pytest.raises(Unavailable):
        write(sqlite, "Second", settle_beside)
    write(sqlite, "Third")


def write(database, name, meanwhile=lambda: None):
    with database.write() as transaction:
        accounts.add(transaction, name, None)
        meanwhile()


def test_a_failed_flush_is_reported_to_those_who_wait_for_the_next_one(disk, monkeypatch):
    began, go_on, refusals = Event(), Event(), [OSError()]

    def flush(_descriptor):
        began.set()
        go_on.wait(30)
        if refusals:
            raise refusals.pop()

    monkeypatch.setattr(durability, "_FLUSH", flush)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(disk.settle)
        began.wait(30)
        second = pool.submit(disk.settle)
        waits_or_ends(disk, second)
        go_on.set()
        assert [type(done.exception(30)) for done in (first, second)] == [Unavailable, Unavailable]


def waits_or_ends(disk, work):
    """Return once the work waits behind a flush that runs, or is over without."""
    while not work.done():
        with disk._changed:
            if disk._changed._waiters:
                return


def test_nothing_is_committed_if_the_log_cannot_be_opened(tmp_path):
    database, log = Database(migrated_databases.on_sqlite(tmp_path, "x")), tmp_path / "x-wal"
    with database.read() as transaction:
        assert accounts.list_all(transaction) == []
    away = log.rename(tmp_path / "away")
    with pytest.raises(Unavailable), database.write() as transaction:
        accounts.add(transaction, "Too late", None)
    away.rename(log)
    with database.write() as transaction:
        accounts.add(transaction, "Again", None)
        assert [account.name for account in accounts.list_all(transaction)] == ["Again"]
    database.close()


def test_the_log_of_another_connection_is_another_one(tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr(durability, "_FLUSH", lambda descriptor: flushed.append(os.fstat(descriptor)))
    for name in ("x", "y"):
        (tmp_path / f"{name}-wal").touch()
    with closing(Disk(tmp_path / "x")) as disk:
        disk.prepare()
        (tmp_path / "y-wal").replace(tmp_path / "x-wal")
        disk.prepare()
        disk.settle()
    assert os.path.samestat(flushed[0], (tmp_path / "x-wal").stat())


@pytest.mark.parametrize("beside_the_link", [False, True])
def test_the_log_of_a_database_behind_a_link_is_beside_what_that_leads_to(
    tmp_path, monkeypatch, beside_the_link
):
    flushed, elsewhere, link = [], tmp_path / "elsewhere", tmp_path / "x"
    monkeypatch.setattr(durability, "_FLUSH", lambda descriptor: flushed.append(os.fstat(descriptor)))
    elsewhere.mkdir()
    migrated_databases.on_sqlite(elsewhere, "y")
    link.symlink_to(elsewhere / "y")
    if beside_the_link:
        (tmp_path / "x-wal").touch()
    with closing(Database(f"sqlite:///{link}")) as database:
        with database.write() as transaction:
            accounts.add(transaction, "Here", None)
        assert os.path.samestat(flushed[-1], (elsewhere / "y-wal").stat())


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


def test_postgresql_waits_for_its_disk_where_a_change_is_to_last():
    address = make_url(postgres.url() or pytest.skip(postgres.reason()))
    waiting = address.update_query_dict({"options": "-c synchronous_commit=on"})
    database = Database(waiting.render_as_string(hide_password=False), durable=False)

    def said(transaction):
        return transaction.sql("SELECT current_setting('synchronous_commit')", ())[0][0]

    with database.write() as transaction:
        before = said(transaction)
        transaction.after_durable_commit(lambda: None)
        found = said(transaction)
    with database.write() as transaction:
        assert (before, found, said(transaction)) == ("off", "on", "off")
    database.close()
