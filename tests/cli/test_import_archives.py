"""The file of an import, in any packing: read completely or refused."""

import gzip
import io
import os
import subprocess
import sys
import tarfile

import pytest

from skerry.errors import Conflict
from skerry.store import disk_space
from skerry.store.transfer.archive import ArchiveError
from tests.cli.archives import exported
from tests.cli.hosted import packed, roof

PAST = b"\0" * 1024


@pytest.fixture
def archive(tmp_path):
    """The bytes of an archive as tar makes it, not packed."""
    return gzip.decompress(packed(tmp_path / "acme.tar.gz", roof()).read_bytes())


@pytest.fixture
def take(small, run, tmp_path):
    """Imports an archive of some bytes, exports everything, and gives the files of that."""

    def take_bytes(raw):
        (tmp_path / "given").write_bytes(raw)
        run(small[0], "import", tmp_path / "given")
        run(small[0], "export", tmp_path / "after.tar.gz", "--force")
        return exported(tmp_path / "after.tar.gz")

    return take_bytes


def is_whole(files):
    """Return whether everything of the roof is in an export."""
    folder = "projects/31-roof"
    names = ("milestones/5-dry.json", "tickets/12-it-leaks/ticket.json", "tickets/12-it-leaks/roof.txt")
    return all(f"{folder}/{name}" in files for name in names)


def unpack(archive, folder):
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")


def pack(folder, *words):
    """The bytes of an archive of what is in a folder, as a program packs it."""
    return subprocess.run(["tar", "-C", str(folder), "-c", *words], capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    "words",
    [
        ["--format=gnu", "./acme"],
        ["--format=ustar", "--sort=name", "acme"],
        ["--format=pax", "-z", "acme/users", "acme/projects"],
    ],
    ids=" ".join,
)
def test_an_archive_repacked_with_tar_is_accepted(archive, take, tmp_path, words):
    unpack(archive, tmp_path)
    assert is_whole(take(pack(tmp_path, *words)))


def test_an_archive_that_was_packed_in_pieces_is_read(archive, take):
    assert is_whole(take(gzip.compress(archive[:700]) + gzip.compress(archive[700:])))


def test_an_archive_comes_through_a_pipe(small, archive, run, tmp_path, monkeypatch):
    reading, writing = os.pipe()
    os.write(writing, gzip.compress(archive))
    os.close(writing)
    with os.fdopen(reading) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        assert " 1 ticket with" in run(small[0], "import", "-")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(small, run, tmp_path, kind):
    info = tarfile.TarInfo("acme/projects/31-roof/tickets/12-it-leaks/roof.txt.2")
    info.type, info.linkname = kind, "/etc/passwd"
    with pytest.raises(ArchiveError, match=r"roof.txt.2 is no plain file"):
        run(small[0], "import", packed(tmp_path / "acme.tar.gz", roof(), info))


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"no archive",
        lambda raw: gzip.compress(raw)[:-200],
        lambda raw: raw.rstrip(b"\0"),
        lambda raw: raw[: raw.index(b"acme/users/8")],
        lambda raw: raw[: raw.index(b"acme/users/8")] + b"x" * 512 + raw[raw.index(b"acme/users/8") :],
        lambda raw: raw + raw,
    ],
    ids=["none", "packed", "in a file", "between files", "in the middle", "two"],
)
def test_a_truncated_archive_is_refused(archive, take, damage):
    with pytest.raises(ArchiveError, match=r"archive cannot be (read|used)"):
        take(damage(archive))


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_input_that_would_fill_the_memory_is_refused(archive, take, kind):
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, 10 * 1024 * 1024
    with pytest.raises(ArchiveError, match="the description of a file is too long"):
        take(info.tobuf() + PAST * 10 * 1024 + archive)


@pytest.mark.parametrize("form", ["gnu", "pax"])
def test_a_sparse_file_in_an_archive_is_refused(archive, take, tmp_path, form):
    unpack(archive, tmp_path)
    os.truncate(tmp_path / "acme/projects/31-roof/tickets/12-it-leaks/roof.txt", 10_000_000)
    with pytest.raises(ArchiveError, match=r"roof.txt has holes"):
        take(pack(tmp_path, "--sparse", f"--format={form}", "acme"))


def test_an_archive_that_does_not_fit_is_refused(archive, take, monkeypatch):
    monkeypatch.setattr(disk_space, "_LEFT_FREE", 2**62)
    with pytest.raises(Conflict, match="must stay free"):
        take(archive)


def test_files_added_by_macos_are_ignored(take, tmp_path):
    names = ("milestones/._5-dry.json", "tickets/12-it-leaks/._ticket.json", "._project.json")
    beside = {f"projects/31-roof/{name}": b"\0\5\x16\7" for name in names}
    files = take(packed(tmp_path / "acme.tar.gz", roof(**beside)).read_bytes())
    assert is_whole(files)
    assert not [name for name in files if "._" in name]
