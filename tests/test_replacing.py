"""How long a worker that starts is waited for."""

import multiprocessing
import os
from errno import EAGAIN
from functools import partial
from pathlib import Path

import pytest

from skerry import replacing, server
from skerry.replacing import NotBuilt

held: list[int] = []


class Worker:
    """Stands for one of granian's that is not built; its process, too."""

    def __init__(self, begin=None):
        self.inner, self.start = self, begin or self.hold
        self.pid, self.done = None, []

    def hold(self):
        """Keep what a worker inherits."""
        held.append(os.dup(replacing._held[0]))
        self.pid = 1

    def kill(self):
        self.done.append("kill")

    def join(self):
        self.done.append("join")

    def _watch(self):
        self.done.append("watch")


def end():
    os.close(held.pop())


def be_built():
    os.write(held[0], b".")


@pytest.fixture(autouse=True)
def _nothing_stays_open():
    before = number_open()
    yield
    while held:
        end()
    assert number_open() == before


def number_open():
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_process_that_nobody_could_be_told_about_is_ended():
    worker = Worker(lambda: None)
    worker.pid, worker._watch = 1, no_room
    with pytest.raises(RuntimeError):
        replacing.start(worker)
    assert worker.done == ["kill", "join"]


def no_room():
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("looks", [1, 3])
def test_a_worker_is_waited_for_until_it_is_built(looks):
    looked, worker = [], Worker()

    def is_over():
        looked.append(1)
        if len(looked) == looks:
            be_built()

    replacing.start(worker, is_over)
    assert (len(looked), worker.done) == (looks, ["watch"])


def test_a_worker_that_is_not_built_when_the_server_is_stopped_is_ended():
    looks, worker = iter([False, False, True]), Worker()
    with pytest.raises(NotBuilt, match="The server is stopped"):
        replacing.start(worker, partial(next, looks))
    assert worker.done == ["kill", "join"]


def test_a_worker_that_ends_before_it_is_built_takes_nobodys_place():
    with pytest.raises(NotBuilt, match="It ended before it was built"):
        replacing.start(Worker(lambda: None), lambda: False)


def test_a_worker_that_is_not_built_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(replacing, "BUILD_SECONDS", -1)
    worker = Worker()
    with pytest.raises(NotBuilt, match="It was not built within -1 seconds"):
        replacing.start(worker, lambda: False)
    assert worker.done == ["kill", "join"]


@pytest.mark.parametrize("is_over", [None, lambda: False])
def test_where_no_process_can_be_started_nothing_stays_open(monkeypatch, is_over):
    def no_fork():
        raise BlockingIOError(EAGAIN, "Resource temporarily unavailable")

    worker = Worker()
    worker.inner = multiprocessing.get_context("fork").Process()
    monkeypatch.setattr(os, "fork", no_fork)
    with pytest.raises(BlockingIOError):
        replacing.start(worker, is_over)
    assert (worker.done, replacing._held) == ([], [])


def test_a_worker_says_when_it_is_built(monkeypatch, tmp_path):
    monkeypatch.setenv("SKERRY_DATA", str(tmp_path))
    monkeypatch.setattr(server.Thread, "start", lambda _thread: None)
    looked_at, held_by_worker = os.pipe()
    replacing._held.append(held_by_worker)
    assert server._serve(lambda *_: [], {"url_path_prefix": None})
    assert (os.read(looked_at, 9), os.read(looked_at, 9)) == (b".", b"")
    os.close(looked_at)
