"""Terminals with and without an account in their data folder; installations to back up and restore."""

import io
import shutil
from contextlib import redirect_stdout

import pytest

from skerry.cli import commands
from tests.cli.archives import KINDS, account_named, empty_place, place_of
from tests.cli.hosted import packed
from tests.cli.terminal import PASSWORD, PROJECT, SETUP, Terminal, forget_places, with_token, world_at
from tests.conftest import make_instance
from tests.support import migrated_databases
from tests.support.instances import world_in
from tests.support.route_matrix import do_everything


@pytest.fixture
def bare(tmp_path, monkeypatch, capsys):
    """A terminal with an empty data folder."""
    return Terminal(tmp_path / "data", monkeypatch, capsys)


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """A data folder with an account, Ada who administers it, and a project of hers; and Ada's token."""
    folder = tmp_path_factory.mktemp("sample") / "data"
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as said:
        forget_places(patch)
        commands(["--data", str(folder), *SETUP, *PASSWORD], standalone_mode=False)
    token = said.getvalue().split()[-1]
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
    """Let a test go from each database to the other one where it has both ends, else run on SQLite.

    With the mark ``matrix("databases")`` a test of one end runs on each.
    """
    ends = [name for name in ("source", "target") if name in metafunc.fixturenames]
    mark = metafunc.definition.get_closest_marker("matrix")
    kinds = KINDS if mark and mark.args[0] == "databases" else KINDS[:1]
    runs = [KINDS, KINDS[::-1]] if len(ends) > 1 else [(kind,) for kind in kinds]
    if ends:
        metafunc.parametrize(ends, runs, ids=["-".join(run) for run in runs], indirect=True)


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
    who = ("--email", "ada@example.org", "--name", "Ada", "--password", "correct horse")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()):
        forget_places(patch)
        for words in (("init", "--account", "Small", *who), ("backup", str(folder / "small.tar"))):
            commands(["--data", str(folder / "small"), *words], standalone_mode=False)
    return folder


@pytest.fixture
def small(tmp_path, smallest):
    """The place of a small installation on SQLite, and an archive of it."""
    shutil.copytree(smallest, tmp_path, dirs_exist_ok=True)
    return empty_place("sqlite", tmp_path / "small"), tmp_path / "small.tar"


@pytest.fixture
def pair_place(tmp_path):
    """The place of an instance with two accounts in which every route was used, their names, and a host."""
    folder = tmp_path / "pair"
    folder.mkdir()
    instance, _log = make_instance(migrated_databases.at("sqlite", folder), folder)
    pair = do_everything(instance)
    names = [account_named(each.world) for each in (pair.here, pair.there)]
    yield (folder, instance.settings.database), *names, pair.here.world.host
    instance.database.close()
