"""How long a worker that starts is waited for."""

import os
from errno import EAGAIN
from pathlib import Path

import pytest

from skerry import replacing, server
from skerry.replacing import NotBuilt

held: list[int] = []


def hold():
    """Keep what a worker inherits, as one does that is not built."""
    held.append(os.dup(replacing._held[0]))


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


@pytest.mark.parametrize(("looks", "happens"), [(1, be_built), (3, be_built), (1, None), (3, None)])
def test_a_worker_is_waited_for_until_it_is_built_or_all_is_over(looks, happens):
    looked = []

    def is_over():
        looked.append(1)
        if len(looked) == looks and happens:
            happens()
        return len(looked) >= looks and not happens

    replacing.start(hold, is_over)
    assert len(looked) >= looks


def test_a_worker_that_ends_before_it_is_built_takes_nobodys_place():
    with pytest.raises(NotBuilt, match="It ended before it was built"):
        replacing.start(lambda: None, lambda: False)


def test_a_worker_that_is_not_built_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(replacing, "BUILD_SECONDS", -1)
    with pytest.raises(NotBuilt, match="It was not built within -1 seconds"):
        replacing.start(hold, lambda: False)


def test_where_no_process_can_be_started_nothing_stays_open():
    def begin():
        raise BlockingIOError(EAGAIN, "Resource temporarily unavailable")

    with pytest.raises(NotBuilt, match="Resource temporarily unavailable"):
        replacing.start(begin, lambda: False)
    assert replacing._held == []


def test_a_worker_says_when_it_is_built(monkeypatch, tmp_path):
    monkeypatch.setenv("SKERRY_DATA", str(tmp_path))
    monkeypatch.setattr(server.Thread, "start", lambda _thread: None)
    looked_at, held_by_worker = os.pipe()
    replacing._held.append(held_by_worker)
    assert server._serve(lambda *_: [], {"url_path_prefix": None})
    assert (os.read(looked_at, 9), os.read(looked_at, 9)) == (b".", b"")
    os.close(looked_at)
