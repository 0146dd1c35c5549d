"""Writers of several processes at one file: who waits for whom, and for how long."""

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from errno import ENOLCK
from pathlib import Path
from threading import enumerate as enumerate_threads

import pytest

from skerry.errors import Unavailable
from skerry.store import accounts
from skerry.store.engine import schema

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
    monkeypatch.setattr("skerry.store.engine.writer_locks.TIMEOUT_SECONDS", 0.05)
    return monkeypatch


def test_a_writer_waits_for_another_process_only_so_long(sqlite, hasty):
    with writing(sqlite):
        for _ in range(3):
            with pytest.raises(Unavailable):
                write(sqlite)
    # The threads that wait may take their time to hear that nobody writes any more.
    hasty.undo()
    write(sqlite)


@pytest.mark.parametrize("waits", [True, False])
def test_a_disk_that_refuses_a_lock_is_asked_again_by_the_next_writer(sqlite, monkeypatch, waits):
    flock = fcntl.flock

    def refused(file, operation):
        if operation == fcntl.LOCK_EX | fcntl.LOCK_NB and waits:
            raise BlockingIOError
        if operation & fcntl.LOCK_EX:
            raise OSError(ENOLCK, os.strerror(ENOLCK))
        flock(file, operation)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", refused)
        for _ in range(2):
            with pytest.raises(Unavailable):
                write(sqlite)
    write(sqlite)


def test_a_writer_goes_on_as_soon_as_the_other_process_does(sqlite):
    with ThreadPoolExecutor(1) as pool:
        with writing(sqlite):
            written = pool.submit(write, sqlite)
            assert not wait([written], 0.1).done
        written.result(PATIENCE)


@pytest.mark.usefixtures("hasty")
def test_whoever_gave_up_keeps_nobody_else_waiting(sqlite):
    with writing(sqlite) as queue:
        with pytest.raises(Unavailable):
            write(sqlite)
        fcntl.flock(queue, fcntl.LOCK_UN)
        for thread in waiting():
            thread.join(PATIENCE)
        fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.usefixtures("hasty")
def test_who_changes_the_schema_is_waited_for_by_those_who_do_too(sqlite):
    with ThreadPoolExecutor(1) as pool:
        with writing(sqlite):
            looked = pool.submit(schema.pending, sqlite)
            assert not wait([looked], 0.2).done
        assert looked.result(PATIENCE) == []
