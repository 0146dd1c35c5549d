"""What moves in is there once and whole: after a kill in the middle, and after an export."""

import signal
import subprocess
import sys

import pytest

from tests.cli.archives import differences, empty_place, exported, opened
from tests.cli.sources import octo, red
from tests.cli.test_exports import plain
from tests.support.processes import PATIENCE, ROOT

ACCOUNT = ("--account", "Acme")
DYING = """
import os, signal
from skerry import cli
from skerry.transfer.sources.layout import ProjectWriter

add, added = ProjectWriter._add_ticket, []

def add_one(*given):
    if added:
        os.kill(os.getpid(), signal.SIGKILL)
    added.append(add(*given))

ProjectWriter._add_ticket = add_one
cli.main()
"""
"""The program, killed between the first and the second ticket of a source."""


@pytest.fixture
def made(tmp_path, run):
    """Makes a place with an account and nobody in it."""

    def new(name):
        place = empty_place("sqlite", tmp_path / name)
        run(place, "migrate")
        run(place, "account", "add", ACCOUNT[1], "--host", "acme.example")
        return place

    return new


@pytest.fixture
def export(run, tmp_path):
    """Exports the account of a place and gives its files, without when people came."""

    def files(place):
        path = tmp_path / "export.tar.gz"
        run(place, "export", path, *ACCOUNT, "--force")
        with opened(place) as instance:
            assert differences(instance) == []
        found = {name: plain(content) for name, content in exported(path).items()}
        for name, content in found.items():
            if name.endswith("/user.json"):
                del content["details"]["created_at"]
        return found

    return files


@pytest.fixture
def exports(write):
    """What two trackers export."""
    return {
        "github": write(octo.ANSWERS, "github"),
        "redmine": write({**red.ANSWERS, **red.FILES}, "redmine"),
    }


@pytest.mark.parametrize("kind", ["github", "redmine"])
def test_a_move_that_is_killed_between_two_tickets_is_whole_the_next_time(kind, exports, made, run, export):
    broken, other = made("broken"), made("other")
    words = ("import", "--from", kind, exports[kind], *ACCOUNT)
    at = [*map(str, ("--data", broken[0], "--database", broken[1], *words))]
    dying = subprocess.run([sys.executable, "-c", DYING, *at], check=False, cwd=ROOT, timeout=PATIENCE)
    assert dying.returncode == -signal.SIGKILL
    left = export(broken)
    assert not [name for name in left if name.startswith(("projects/", "users/"))]
    said = [run(place, *words) for place in (broken, other)]
    assert said[0] == said[1]
    assert export(broken) == export(other)


def test_what_came_from_redmine_comes_back_from_an_export(exports, made, run, export, tmp_path):
    first, second = made("first"), made("second")
    run(first, "import", "--from", "redmine", exports["redmine"], *ACCOUNT)
    files = export(first)
    run(second, "import", tmp_path / "export.tar.gz", *ACCOUNT)
    again = export(second)
    assert files.keys() == again.keys()
    for name, content in files.items():
        assert content == again[name], name
