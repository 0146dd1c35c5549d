"""How long a worker that starts is waited for."""

import os
from functools import partial
from pathlib import Path

import pytest

from skerry import replacing, server

held: list[int] = []


def hold():
    """Keep what a worker inherits, as one does that is not built."""
    held.append(os.dup(replacing._held[0]))


def let_go():
    os.close(held.pop())


@pytest.fixture(autouse=True)
def _nothing_stays_open():
    before = number_open()
    yield
    while held:
        let_go()
    assert number_open() == before


def number_open():
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize(("looks", "happens"), [(1, let_go), (3, let_go), (1, None), (3, None)])
def test_a_worker_is_waited_for_until_it_is_built_or_all_is_over(looks, happens):
    looked = []

    def is_over():
        looked.append(1)
        if len(looked) == looks and happens:
            happens()
        return len(looked) == looks and not happens

    replacing.start(hold, is_over)
    assert len(looked) == looks


def test_a_worker_that_is_built_at_once_is_not_waited_for():
    replacing.start(lambda: None, partial(pytest.fail, "it is waited for"))


def test_a_worker_that_is_not_built_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(replacing, "BUILD_SECONDS", -1)
    replacing.start(hold, lambda: False)


def test_a_worker_lets_go_when_it_is_built(monkeypatch, tmp_path):
    monkeypatch.setenv("SKERRY_DATA", str(tmp_path))
    monkeypatch.setattr(server.Thread, "start", lambda _thread: None)
    replacing._held.append(os.dup(0))
    assert server._serve(lambda *_: [], {"url_path_prefix": None})
    assert replacing._held == []
