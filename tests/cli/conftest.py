"""Terminals with and without an account in their data folder; installations to back up and restore."""

import pytest

from skerry.cli import commands
from tests.cli.archives import KINDS, empty_place
from tests.cli.terminal import PASSWORD, PROJECT, SETUP, Terminal, world
from tests.houses import world_in


@pytest.fixture
def bare(tmp_path, monkeypatch, capsys):
    """A terminal with an empty data folder."""
    return Terminal(tmp_path / "data", monkeypatch, capsys)


@pytest.fixture
def terminal(bare):
    """A terminal with an account, Ada who administers it, and a project of hers."""
    bare.token = bare.good(*SETUP, *PASSWORD).split()[-1]
    with world(bare) as here:
        assert here.voice(**{"X-ServiceToken": bare.token}).post("/projects", PROJECT).status == 201
    return bare


@pytest.fixture
def heard(monkeypatch, capsys):
    """Runs a command at a place and gives what it says and complains about; what it raises is raised."""
    for name in ("SKERRY_DATA", "SKERRY_DATABASE_URL"):
        monkeypatch.setenv(name, "")  # so that what commands set is taken back

    def run(place, *words):
        folder, url = place
        commands(["--data", str(folder), "--database", url, *map(str, words)], standalone_mode=False)
        return capsys.readouterr()

    return run


@pytest.fixture
def run(heard):
    """Runs a command as ``heard`` does and gives what it says."""
    return lambda *words: heard(*words).out


@pytest.fixture(params=KINDS)
def source(request, tmp_path):
    """A house of its own, empty but for the cast."""
    folder, url = empty_place(request.param, tmp_path / "source")
    folder.mkdir()
    world = world_in(folder, url)
    yield world
    world.database.close()


@pytest.fixture(params=KINDS)
def target(request, tmp_path):
    """The place of an installation that is not there yet."""
    return empty_place(request.param, tmp_path / "target")


@pytest.fixture
def small(tmp_path, run):
    """The place of a small installation on SQLite, and an archive of it."""
    place = empty_place("sqlite", tmp_path / "small")
    who = ("--email", "ada@example.org", "--name", "Ada", "--password", "correct horse")
    run(place, "init", "--account", "Small", *who)
    run(place, "backup", tmp_path / "small.tar")
    return place, tmp_path / "small.tar"
