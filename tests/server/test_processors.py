"""How many processors a server finds, and with how many processes it serves."""

import os

import pytest

from skerry import processes, server
from tests.support.processes import serving, until
from tests.support.small_server import SmallServer


@pytest.mark.parametrize(
    ("limit", "usable"),
    [
        ("max 100000\n", 6),
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("10000 100000\n", 1),
        ("6400000 100000\n", 6),
        ("0 0\n", 6),
        ("", 6),
        (None, 6),
    ],
)
def test_a_container_may_have_fewer_processors_than_the_machine(tmp_path, monkeypatch, limit, usable):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(6), raising=False)
    container = tmp_path / "cpu.max"
    if limit is not None:
        container.write_text(limit)
    assert processes.usable_processors(container) == usable


def test_a_server_has_a_worker_for_each_processor_that_it_may_use(tmp_path):
    wanted = min(processes.usable_processors(), server.MAX_WORKERS)
    with serving(tmp_path, None, kind=SmallServer) as program:
        until(lambda: len(program.workers()) == wanted, "all workers")
    one = str(min(os.sched_getaffinity(0)))
    with serving(tmp_path, None, kind=SmallServer, before=("taskset", "--cpu-list", one)) as program:
        until(lambda: len(program.workers()) == 1, "the only worker")
