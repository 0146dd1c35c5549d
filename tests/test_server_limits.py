"""How many connections a server takes, and how many files it opens."""

import resource
import subprocess
import sys

import pytest

from skerry import server
from tests.programs import ROOT, START_PATIENCE


@pytest.mark.parametrize(
    ("files", "room"),
    [
        (4096, 4096 - server.OTHER_FILES),
        (1_000_000, server.MOST_CONNECTIONS),
        (600, 300),
        (resource.RLIM_INFINITY, server.MOST_CONNECTIONS),
    ],
)
def test_a_worker_takes_as_many_connections_as_files_may_be_open(monkeypatch, files, room):
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (files, files))
    assert server._room_for_connections() == room


def test_a_server_opens_as_many_files_as_the_system_lets_it():
    said = """if True:
        import resource
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, most))
        from skerry import server
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, most)
    """
    subprocess.run([sys.executable, "-c", said], check=True, timeout=START_PATIENCE, cwd=ROOT)
