"""Terminals with and without an account in their data folder; installations to back up and restore."""

import shutil

import pytest

from skerry.cli import commands
from tests.cli.archives import account_named, empty_place, place_of
from tests.cli.hosted import packed
from tests.cli.terminal import (
    PASSWORD,
    PROJECT,
    SETUP,
    Terminal,
    forget_places,
    output,
    with_token,
    world_at,
)
from tests.support import migrated_databases
from tests.support.instances import world_in
from tests.support.matrix import RUNS


@pytest.fixture
def bare(tmp_path, monkeypatch, capsys):
    """A terminal with an empty data folder."""
    return Terminal(tmp_path / "data", monkeypatch, capsys)


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """A data folder with an account, Ada who administers it, and a project of hers; and Ada's token."""
    folder = tmp_path_factory.mktemp("sample") / "data"
    token = output(empty_place("sqlite", folder), *SETUP, *PASSWORD).split()[-1]
    with world_at(folder) as here:
        assert here.client(**with_token(token)).post("/projects", PROJECT).status == 201
    return folder, token


@pytest.fixture
def terminal(bare, sample):
    """A terminal with the data of the sample."""
    folder, bare.token = sample
    shutil.copytree(folder, bare.folder)
    return bare


@pytest.fixture
def heard(monkeypatch, capsys):
    """Runs a command at a place and gives what it says and complains about; what it raises is raised."""
    forget_places(monkeypatch)

    def run(place, *words):
        folder, url = place
        commands(["--data", str(folder), "--database", url, *map(str, words)], standalone_mode=False)
        return capsys.readouterr()

    return run


@pytest.fixture
def run(heard):
    """Runs a command as ``heard`` does and gives what it says."""
    return lambda *words: heard(*words).out


def pytest_generate_tests(metafunc):
    """Let a test of a source or a target run on the databases that its mark ``matrix`` names."""
    mark = metafunc.definition.get_closest_marker("matrix")
    kinds = dict.fromkeys(kind for kind, _ in RUNS[mark.args[0] if mark else "json"])
    for end in {"source", "target"}.intersection(metafunc.fixturenames):
        metafunc.parametrize(end, kinds, indirect=True)


@pytest.fixture
def source(request, tmp_path):
    """An instance of its own, empty but for the cast."""
    folder = tmp_path / "source"
    folder.mkdir()
    world = world_in(folder, migrated_databases.at(request.param, folder))
    yield world
    world.database.close()


@pytest.fixture
def take(source, run, tmp_path):
    """Imports an archive of some files into the world's account and gives what is said."""

    def take_files(files, *words):
        path = packed(tmp_path / "acme.tar.gz", files)
        return run(place_of(source), "import", path, "--account", account_named(source), *words)

    return take_files


@pytest.fixture
def target(request, tmp_path):
    """The place of an installation that is not there yet."""
    return empty_place(request.param, tmp_path / "target")


@pytest.fixture(scope="session")
def smallest(tmp_path_factory):
    """A folder with a small installation on SQLite and an archive of it."""
    folder = tmp_path_factory.mktemp("smallest")
    place = empty_place("sqlite", folder / "small")
    output(place, *SETUP, *PASSWORD, "--account", "Small")
    output(place, "backup", folder / "small.tar")
    return folder


@pytest.fixture
def small(tmp_path, smallest):
    """The place of a small installation on SQLite, and an archive of it."""
    shutil.copytree(smallest, tmp_path, dirs_exist_ok=True)
    return empty_place("sqlite", tmp_path / "small"), tmp_path / "small.tar"
