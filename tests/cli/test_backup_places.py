"""Backups in a folder or a bucket: they are complete and verified, and old ones are removed only then."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from skerry.files.blobs import Blobs
from skerry.store.transfer import backup_places
from tests.cli.archives import empty_place, names, place_of
from tests.cli.terminal import PASSWORD, SETUP, Terminal, output
from tests.support.processes import PATIENCE, ROOT

OLD = [f"skerry-2020010{day}T030000Z.tar" for day in range(1, 5)]
FOREIGN = ["skerry-20200101T030000Z.tar.gpg", "skerry-notes.tar", "other.tar"]


@pytest.fixture
def terminal(tmp_path, monkeypatch, capsys):
    terminal = Terminal(tmp_path / "data", monkeypatch, capsys)
    terminal.good(*SETUP, *PASSWORD)
    return terminal


class FolderOfTests:
    def __init__(self, folder):
        self.folder, self.place = folder, str(folder)
        folder.mkdir()

    def put(self, name):
        (self.folder / name).write_bytes(b"old")

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class BucketOfTests:
    def __init__(self, bucket, folder):
        # Beside the prefix of the others' files, which they list.
        self.place = f"{bucket.rpartition('/')[0]}/backups"
        self.blobs = Blobs(folder, self.place)
        self.blobs.remove(self.names())

    def put(self, name):
        file = self.blobs.temporary_file(10, "")
        file.write(b"old")
        file.finish()
        self.blobs.keep(file, name)
        file.discard()

    def names(self):
        return sorted(file.key for batch in self.blobs.list_all() for file in batch)


@pytest.fixture(params=["folder", "bucket"])
def kept(request, tmp_path):
    if request.param == "folder":
        return FolderOfTests(tmp_path / "backups")
    return BucketOfTests(request.getfixturevalue("bucket"), tmp_path / "other")


def fill(kept):
    for name in (*OLD, *FOREIGN):
        kept.put(name)


def new(kept):
    """The names of the backups that a test made."""
    return [name for name in kept.names() if name not in (*OLD, *FOREIGN)]


def test_the_newest_backup_of_a_place_is_restored(terminal, kept, tmp_path):
    fill(kept)
    assert f" to {kept.place}/skerry-20" in terminal.good("backup", "--to", kept.place)
    (name,) = new(kept)
    assert kept.names() == sorted([*OLD, *FOREIGN, name])
    listed = terminal.good("backups", kept.place, "--max-age", "1").splitlines()
    assert [line.split()[0] for line in listed] == [*OLD, name]
    for number, last in enumerate(("latest", name)):
        terminal.folder = tmp_path / f"restored-{number}"
        assert "Restored the backup made at" in terminal.good("restore", f"{kept.place}/{last}")
        assert names((terminal.folder, f"sqlite:///{terminal.folder}/skerry.sqlite3")) == ["Lighthouse"]
        assert list(terminal.folder.rglob("upload-*")) == []


def test_only_the_oldest_backups_of_ours_are_removed(terminal, kept):
    fill(kept)
    said = terminal.good("backup", "--to", kept.place, "--keep", "3")
    assert said.endswith("Removed 2 older backups.\n")
    (name,) = new(kept)
    assert kept.names() == sorted([*OLD[2:], *FOREIGN, name])
    assert list(terminal.folder.rglob("upload-*")) == []


def test_the_new_backup_stays_though_a_wrong_clock_named_others_later(terminal, kept):
    late = "skerry-29990101T000000Z.tar"
    kept.put(late)
    terminal.good("backup", "--to", kept.place, "--keep", "1")
    assert late not in kept.names()
    assert len(new(kept)) == 1


def test_a_backup_that_is_damaged_on_its_way_is_refused_and_removes_nothing(terminal, kept, monkeypatch):
    fill(kept)
    keep = Blobs.keep
    verified = backup_places.archive.verified

    def cut(blobs, file, key):
        os.truncate(file.path, file.path.stat().st_size - 512)
        keep(blobs, file, key)
        file.path.write_bytes(b"what was sent")

    def cut_here(path):
        os.truncate(path, path.stat().st_size // 2)
        verified(path)

    if isinstance(kept, BucketOfTests):
        monkeypatch.setattr(Blobs, "keep", cut)
        assert "is not the one that was sent" in terminal.bad("backup", "--to", kept.place, "--keep", "1")
    else:
        monkeypatch.setattr(backup_places.archive, "verified", cut_here)
        assert "The archive" in terminal.bad("backup", "--to", kept.place, "--keep", "1")
    assert kept.names() == sorted([*OLD, *FOREIGN])


def test_a_full_disk_removes_nothing(terminal, kept, monkeypatch):
    fill(kept)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("skerry.store.transfer.archive.Writer.finish", full)
    assert terminal.bad("backup", "--to", kept.place, "--keep", "1") == "No space left on device"
    assert kept.names() == sorted([*OLD, *FOREIGN])
    assert list(terminal.folder.rglob("upload-*")) == []


def test_a_killed_backup_leaves_nothing_that_counts_and_the_next_one_tidies_up(terminal, kept):
    fill(kept)
    script = (
        "import os, signal, sys\n"
        "from skerry.store.transfer import archive\n"
        "archive.Writer.finish = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from skerry.__main__ import run\n"
        "run()\n"
    )
    words = ["--data", str(terminal.folder), "backup", "--to", kept.place, "--keep", "1"]
    program = subprocess.run([sys.executable, "-c", script, *words], cwd=ROOT, timeout=PATIENCE, check=False)
    assert program.returncode == -signal.SIGKILL
    assert [name for name in kept.names() if name.endswith(".tar")] == sorted({*OLD, *FOREIGN} - {FOREIGN[0]})
    with suppress(AttributeError):
        assert list(kept.folder.glob("*.part")) != []
    terminal.good("backup", "--to", kept.place, "--keep", "9")
    assert len(new(kept)) == 1


@pytest.mark.parametrize("place", ["nowhere", "gs://bucket", "s3://", "s3://nowhere/backups"])
def test_a_place_that_cannot_be_used_is_named(terminal, request, place):
    if place.startswith("s3://n"):
        request.getfixturevalue("bucket")
    for words in (("backup", "--to", place), ("backups", place), ("restore", f"{place}/latest")):
        assert place.rstrip("/") in terminal.bad(*words)


def test_a_refused_key_is_reported(terminal, bucket, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    said = terminal.bad("backup", "--to", f"{bucket}/backups", "--keep", "1")
    assert said.startswith(f"Backups cannot be read at {bucket}/backups: ")
    assert "another" not in said


def test_a_place_without_a_recent_backup_is_reported(terminal, kept):
    assert terminal.bad("backups", kept.place) == f"There are no backups in {kept.place}"
    assert terminal.bad("restore", f"{kept.place}/latest") == f"There are no backups in {kept.place}"
    kept.put(OLD[0])
    code, listed, said = terminal.run(*terminal.places(), "backups", kept.place, "--max-age", "2")
    assert (code, listed.split()[0]) == (1, OLD[0])
    assert said == f"skerry: The newest backup in {kept.place} is older than 2 days\n"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("a.tar", "--to", "b"),
        ("a.tar", "--keep", "3"),
        ("--to", "b", "--force"),
        ("--to", "b", "--keep", "0"),
    ],
)
def test_options_that_do_not_fit_are_refused(terminal, words):
    assert terminal.bad("backup", *words)


@pytest.fixture
def instance_and_log(own_instance):
    """A backup is that of all accounts, and other tests damage theirs."""
    return own_instance


@pytest.mark.matrix("databases")
def test_both_databases_are_backed_up_to_a_place(world, tmp_path):
    kept = FolderOfTests(tmp_path / "backups")
    output(place_of(world), "backup", "--to", kept.place)
    restored = empty_place("sqlite", tmp_path / "restored")
    assert "Restored the backup made at" in output(restored, "restore", f"{kept.place}/latest")
