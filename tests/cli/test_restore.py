"""Restores replace everything or nothing, and only from complete backups."""

import gzip
import io
import json
import shutil
from contextlib import closing, contextmanager

import pytest

from skerry import app
from skerry.database.database import Database
from skerry.errors import Conflict, Unavailable
from skerry.files import folder_lock
from skerry.store import accounts
from skerry.store.transfer import archive, rebuild, restore
from skerry.store.transfer.archive import ArchiveError
from tests.cli.archives import KINDS, differences, empty_place, names, opened, place_of
from tests.cli.terminal import output
from tests.support import migrated_databases
from tests.support.instances import open_with_file, world_in


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A folder with an installation on SQLite that has two files, and archives from after each."""
    folder = tmp_path_factory.mktemp("house")
    place = folder / "source"
    place.mkdir()
    world = world_in(place, migrated_databases.at("sqlite", place))
    project_id = world.people["ada"].post("/projects", {"project": {"name": "Roof"}}).item["id"]
    for title in ("first", "second"):
        open_with_file(world.people["ada"], project_id, title)
        output(place_of(world), "backup", folder / f"{title}.tar")
    world.database.close()
    return folder


@pytest.mark.matrix("databases")
def test_existing_data_is_replaced_only_by_force(source, run, small):
    ada = source.people["ada"]
    open_with_file(ada, ada.post("/projects", {"project": {"name": "Roof"}}).item["id"], "Leak")
    source.database.close()
    before = names(place_of(source))
    with pytest.raises(Conflict, match="--force replaces"):
        run(place_of(source), "restore", small[1])
    assert names(place_of(source)) == before
    assert "attachments of files: ok" in run(place_of(source), "restore", small[1], "--force")
    assert names(place_of(source)) == ["Small"]
    assert list(source.instance.blobs.list_all()) == []


def test_files_without_a_database_are_not_nothing(small, run, tmp_path):
    target = empty_place("sqlite", tmp_path / "target")
    kept = target[0] / "blobs" / "1" / ("ab" * 20)
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"x")
    with pytest.raises(Conflict, match="file storage is not empty"):
        run(target, "restore", small[1])
    run(target, "restore", small[1], "--force")
    assert not kept.exists()


def test_files_without_a_database_stay_when_a_restore_fails_and_it_says_why(small, run, tmp_path):
    target = empty_place("sqlite", tmp_path / "target")
    kept = target[0] / "blobs" / "1" / ("ab" * 20)
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"x")
    twice = tmp_path / "twice.tar"
    double_accounts(small[1], twice)
    with pytest.raises(ArchiveError, match="does not accept a row of accounts"):
        run(target, "restore", twice, "--force")
    assert kept.exists()


@pytest.mark.matrix("databases")
def test_a_row_that_does_not_fit_changes_nothing(source, run, small, tmp_path):
    source.database.close()
    place, twice = place_of(source), tmp_path / "twice.tar"
    before, listed = names(place), {path.name for path in place[0].iterdir()}
    double_accounts(small[1], twice)
    with pytest.raises(ArchiveError, match="does not accept a row of accounts"):
        run(place, "restore", twice, "--force")
    assert names(place) == before
    assert {path.name for path in place[0].iterdir()} - listed <= {"serving.lock"}


@pytest.mark.matrix("databases")
def test_a_restore_that_fails_leaves_the_files_of_the_database_that_is_there(target, run, house, monkeypatch):
    files, renewed = target[0] / "blobs", rebuild.rebuilt

    @contextmanager
    def cut_off(database):
        with renewed(database) as connection:
            yield connection
        raise Unavailable

    def failing(module, name, value, *words):
        with monkeypatch.context() as broken:
            broken.setattr(module, name, value)
            with pytest.raises(Unavailable):
                run(target, "restore", *words)
        return [path for path in files.rglob("*") if path.is_file()]

    assert failing(restore, "_copy", copies_and_fails, house / "first.tar") == []
    # All is done then, and the database is the one of the archive.
    (kept,) = failing(rebuild, "rebuilt", cut_off, house / "first.tar")
    assert failing(restore, "_copy", copies_and_fails, house / "second.tar", "--force") == [kept]
    with opened(target) as instance:
        assert differences(instance) == []


def copies_and_fails(*asked, copy=restore._copy):
    copy(*asked)
    raise Unavailable


def fails(*_asked):
    raise Unavailable


@pytest.mark.parametrize("is_odd", [True, False])
def test_a_restore_that_fails_leaves_each_file_as_it_was(house, run, tmp_path, monkeypatch, is_odd):
    target, forged = empty_place("sqlite", tmp_path / "target"), tmp_path / "forged.tar"
    shutil.copytree(house / "source", target[0])
    with (
        archive.opened(house / "first.tar") as members,
        forged.open("wb") as file,
        archive.writing(file) as writer,
    ):
        for name, member in members:
            if not name.startswith("manifest"):
                with writer.member(name) as temporary_file:
                    temporary_file.write(b"other" if name.startswith(archive.FILES) else member.read())
        if is_odd:
            with writer.member(f"{archive.FILES}odd"):
                pass
    if not is_odd:
        monkeypatch.setattr(restore, "_index", fails)
    with pytest.raises(ArchiveError if is_odd else Unavailable):
        run(target, "restore", forged, "--force")
    kept = [path.read_bytes() for path in (target[0] / "blobs").rglob("*") if path.is_file()]
    assert kept == [b"hello"] * 2


# What the reader of archives refuses, no database sees; what it lets through, each driver refuses itself.
@pytest.mark.parametrize(
    ("kind", "value"), [("sqlite", True), ("sqlite", 10**30), *((kind, "\ud800") for kind in KINDS)]
)
def test_a_value_that_no_row_holds_changes_nothing(run, small, tmp_path, kind, value):
    target = empty_place(kind, tmp_path / "target")
    odd = tmp_path / "odd.tar"
    change_accounts(small[1], odd, lambda columns, row: [columns, [value, *row[1:]]])
    with pytest.raises(ArchiveError, match=r"does not fit|does not accept a row"):
        run(target, "restore", odd)
    assert sorted(path.name for path in target[0].iterdir()) == ["serving.lock"]


def test_an_invalid_table_is_refused_with_a_sentence(run, small, tmp_path):
    target = empty_place("sqlite", tmp_path / "target")
    odd = tmp_path / "odd.tar"
    change_accounts(small[1], odd, lambda *_: [["id"], [1]])
    with pytest.raises(ArchiveError, match="does not fit"):
        run(target, "restore", odd)


@pytest.mark.parametrize(
    "lines",
    [
        [5, [1]],
        [["id"], None],
        [["id"], {}],
        [["id"], [1, 2]],
        [[["id"]], [1]],
        [["id"], [[1]]],
        [["id"], [{}]],
    ],
)
def test_rows_that_are_none_are_refused_in_words(lines):
    packed = gzip.compress("\n".join(map(json.dumps, lines)).encode())
    with pytest.raises(ArchiveError, match="does not fit"):
        list(archive.rows(io.BytesIO(packed)))


@pytest.mark.parametrize("text", [b"no JSON", b"[1", b'["\xff"]', b"[" * 100_000])
def test_rows_that_cannot_be_read_are_refused_in_words(text):
    with pytest.raises(ArchiveError, match=r"The archive cannot be read: \S"):
        list(archive.rows(io.BytesIO(gzip.compress(text))))


def test_a_table_that_cannot_be_read_is_refused_in_words(run, small, tmp_path):
    target = empty_place("sqlite", tmp_path / "target")
    odd = tmp_path / "odd.tar"
    write_like(small[1], odd, ("tables/accounts.jsonl.gz", b"nothing that was packed"))
    with pytest.raises(ArchiveError, match=r"The archive cannot be read: \S"):
        run(target, "restore", odd)


def test_an_error_of_the_program_is_not_blamed_on_the_archive(target, run, small, monkeypatch):
    def fails(*_asked):
        raise ValueError("This is no word")

    monkeypatch.setattr(restore, "_index", fails)
    with pytest.raises(ValueError, match=r"^This is no word$"):
        run(target, "restore", small[1])


def test_an_archive_that_lacks_a_table_replaces_nothing(run, small, tmp_path):
    target = small[0]
    nothing = tmp_path / "nothing.tar"
    write_like(small[1], nothing)
    with pytest.raises(ArchiveError, match="does not fit: its table account_logins is missing"):
        run(target, "restore", nothing, "--force")
    assert names(target) == ["Small"]


def write_like(path, written, *more):
    """Write an archive that says of itself what another one does, and has some members."""
    with archive.opened(path) as members:
        about = next((name, file.read()) for name, file in members)
    with written.open("wb") as file, archive.writing(file) as writer:
        for name, content in (about, *more):
            with writer.member(name) as temporary_file:
                temporary_file.write(content)


def double_accounts(path, twice):
    """Copy an archive, with every account in it two times."""
    change_accounts(path, twice, lambda columns, row: [columns, row, row])


def change_accounts(path, changed, change):
    """Copy an archive of one account, with other lines in the table of accounts."""
    with archive.opened(path) as members, changed.open("wb") as file, archive.writing(file) as writer:
        for name, member in members:
            if archive.table_name(name) == "accounts":
                with writer.member(name) as temporary_file, gzip.open(temporary_file, "wt") as lines:
                    lines.writelines(f"{json.dumps(line)}\n" for line in change(*archive.rows(member)))
            elif not name.startswith("manifest"):
                with writer.member(name) as temporary_file:
                    temporary_file.write(member.read())


def test_nothing_is_replaced_while_a_server_is_running(small, run):
    place, path = small
    folder_lock.lock_shared(place[0])
    with pytest.raises(Conflict, match="stop it first"):
        run(place, "restore", path, "--force")
    assert names(place) == ["Small"]


def test_a_file_of_sqlite_that_is_in_use_is_not_replaced(small, run):
    place, path = small
    with closing(Database(place[1])) as database, database.read() as transaction:
        accounts.list_all(transaction)
        with pytest.raises(Conflict, match="in use"):
            run(place, "restore", path, "--force")


def test_a_damaged_database_is_replaced_by_force(small, run):
    place, path = small
    (place[0] / "skerry.sqlite3").write_bytes(b"this is no database, but long enough to be one " * 50)
    run(place, "restore", path, "--force")
    assert names(place) == ["Small"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_is_kept_and_its_target_is_replaced(small, run, tmp_path, is_there):
    place, path = small
    link, elsewhere = place[0] / "skerry.sqlite3", tmp_path / "elsewhere"
    link.rename(elsewhere)
    link.symlink_to(elsewhere)
    if not is_there:
        elsewhere.unlink()
    run(place, "restore", path, "--force")
    assert (link.is_symlink(), names(place), names((place[0], f"sqlite:///{elsewhere}"))) == (
        True,
        ["Small"],
        ["Small"],
    )


def test_a_server_removes_what_a_killed_restore_has_left(small, monkeypatch):
    folder, url = small[0]
    monkeypatch.setenv("SKERRY_DATA", str(folder))
    monkeypatch.setenv("SKERRY_DATABASE_URL", url)
    monkeypatch.setattr(app.Thread, "start", lambda _thread: None)
    for ending in ("", "-journal", "-writer"):
        (folder / f"skerry.sqlite3.part{ending}").write_bytes(b"half of it")
    assert app.serve()
    assert list(folder.glob("*.part*")) == []
    assert names(small[0]) == ["Small"]


def test_a_server_is_known_to_work_on_its_folder(small, monkeypatch):
    folder, url = small[0]
    monkeypatch.setenv("SKERRY_DATA", str(folder))
    monkeypatch.setenv("SKERRY_DATABASE_URL", url)
    monkeypatch.setattr(app.Thread, "start", lambda _thread: None)
    assert app.serve()
    with pytest.raises(Conflict, match="stop it first"), folder_lock.lock_exclusive(folder):
        pass
