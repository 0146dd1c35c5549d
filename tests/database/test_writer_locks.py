"""The lock for writers of several processes to one file."""

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from errno import ENOLCK, ETIMEDOUT
from pathlib import Path
from threading import enumerate as enumerate_threads

import pytest

from skerry.errors import Unavailable
from skerry.store import accounts, schema

PATIENCE = 30


@contextmanager
def writing(database):
    """Another process that writes and does not come to an end, as far as this one can see."""
    with Path(f"{database.engine.url.database}-writer").open("ab") as queue:
        fcntl.flock(queue, fcntl.LOCK_EX)
        yield queue


def write(database, name="One"):
    with database.write() as transaction:
        accounts.add(transaction, name, f"{name}.example")


def waiting():
    """Return the threads that wait for another process."""
    return {thread for thread in enumerate_threads() if thread.name == "writer lock"}


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr("skerry.database.writer_locks.TIMEOUT_SECONDS", 0.05)
    return monkeypatch


def test_a_writer_waits_a_limited_time_for_another_process(sqlite, hasty):
    with writing(sqlite):
        for _ in range(3):
            with pytest.raises(Unavailable):
                write(sqlite)
    # The threads that wait may take their time to hear that nobody writes any more.
    hasty.undo()
    write(sqlite)


@pytest.mark.parametrize("error", [ENOLCK, ETIMEDOUT])
@pytest.mark.parametrize("waits", [True, False])
def test_a_disk_that_refuses_a_lock_is_asked_again_by_the_next_writer(sqlite, monkeypatch, waits, error):
    flock = fcntl.flock

    def refused(file, operation):
        if operation == fcntl.LOCK_EX | fcntl.LOCK_NB and waits:
            raise BlockingIOError
        if operation & fcntl.LOCK_EX:
            raise OSError(error, os.strerror(error))
        flock(file, operation)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", refused)
        for _ in range(2):
            with pytest.raises(Unavailable):
                write(sqlite)
    write(sqlite)


def test_a_writer_continues_as_soon_as_the_other_process_does(sqlite):
    with ThreadPoolExecutor(1) as pool:
        with writing(sqlite):
            written = pool.submit(write, sqlite)
            assert not wait([written], 0.1).done
        written.result(PATIENCE)


@pytest.mark.usefixtures("hasty")
def test_a_caller_who_gave_up_does_not_delay_others(sqlite):
    with writing(sqlite) as queue:
        with pytest.raises(Unavailable):
            write(sqlite)
        fcntl.flock(queue, fcntl.LOCK_UN)
        for thread in waiting():
            thread.join(PATIENCE)
        fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.usefixtures("hasty")
def test_migrations_wait_for_each_other(sqlite):
    with ThreadPoolExecutor(1) as pool:
        with writing(sqlite):
            looked = pool.submit(schema.pending, sqlite)
            assert not wait([looked], 0.2).done
        assert looked.result(PATIENCE) == []
