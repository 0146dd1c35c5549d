"""How many connections a server takes, how many files it opens, and how many threads it has."""

import resource
import subprocess
import sys

import pytest

from skerry import server
from tests.support.processes import ROOT, START_PATIENCE


@pytest.mark.parametrize(
    ("files", "room"),
    [
        (4096, 4096 - server.OTHER_FILES),
        (1_000_000, server.MAX_CONNECTIONS),
        (600, 300),
        (resource.RLIM_INFINITY, server.MAX_CONNECTIONS),
    ],
)
def test_a_worker_takes_as_many_connections_as_files_may_be_open(monkeypatch, files, room):
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (files, files))
    monkeypatch.setattr(resource, "setrlimit", lambda _which, _limits: None)
    assert server._room_for_connections() == room


def test_a_worker_may_open_as_many_files_as_the_system_lets_it():
    said = """if True:
        import resource
        from skerry import server
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, most))
        server._room_for_connections()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, most)
    """
    subprocess.run([sys.executable, "-c", said], check=True, timeout=START_PATIENCE, cwd=ROOT)
