"""Archives of all kinds, as tools of every system pack them."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from skerry.errors import SkerryError
from skerry.store.transfer import compression
from skerry.store.transfer.archive import ArchiveError
from tests.cli.archives import account_named, place_of
from tests.cli.hosted import packed, roof

CLUTTER = {"__MACOSX/acme/._plan.json": b"x", "acme/projects/.DS_Store": b"x", "acme/Thumbs.db": b"x"}


def unpacked(path):
    with tarfile.open(path) as tar:
        return {info.name: tar.extractfile(info).read() for info in tar}


def zipped(files, **options):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content, **options)
    return raw.getvalue()


def tarred(files):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return raw.getvalue()


PACKERS = {
    "tar": tarred,
    "tar.gz": lambda files: gzip.compress(tarred(files)),
    "tar.bz2": lambda files: bz2.compress(tarred(files)),
    "tar.xz": lambda files: lzma.compress(tarred(files), preset=9),
    "tar.xz in two streams": lambda files: _halves(lzma.compress, tarred(files)),
    "tar.bz2 in two streams": lambda files: _halves(bz2.compress, tarred(files)),
    "zip": zipped,
    "stored zip": lambda files: zipped(files, compress_type=zipfile.ZIP_STORED),
    "zip of lzma": lambda files: zipped(files, compress_type=zipfile.ZIP_LZMA),
}


def _halves(pack, raw):
    return pack(raw[:5000]) + pack(raw[5000:])


@pytest.fixture
def files(tmp_path):
    return unpacked(packed(tmp_path / "made.tar.gz", roof()))


@pytest.fixture
def take(run, source, tmp_path):
    """Imports the bytes of an archive, whatever its name."""

    def take_bytes(raw):
        (tmp_path / "given").write_bytes(raw)
        return run(place_of(source), "import", tmp_path / "given", "--account", account_named(source))

    return take_bytes


@pytest.mark.parametrize("kind", PACKERS)
def test_every_kind_of_archive_is_read_by_its_content(take, files, kind):
    said = take(PACKERS[kind]({**files, **CLUTTER}))
    assert "Imported 1 project, 1 ticket with 2 versions, 2 people and 1 file." in said
    assert "unknown kind" not in said


@pytest.mark.parametrize("outer", ["backup/", "./home/ada/projects/2026/", "Übersicht: alles/users/", None])
@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_the_files_of_an_archive_may_be_in_any_folder_or_none(take, files, outer, kind):
    moved = {(outer or "") + (name if outer else name.partition("/")[2]): files[name] for name in files}
    assert "Imported 1 project, 1 ticket with 2 versions, 2 people and 1 file." in take(PACKERS[kind](moved))


def test_names_written_on_windows_are_read(take, files):
    assert "Imported 1 project" in take(zipped({name.replace("/", "\\"): files[name] for name in files}))


def link(files):
    info = zipfile.ZipInfo("acme/projects/31-roof/tickets/12-it-leaks/passwd")
    info.external_attr = 0o120777 << 16
    return zipped({**files, info: b"/etc/passwd"})


def locked(files):
    raw = bytearray(zipped(files))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = raw.find(mark)
        raw[start + place] |= 1
    return bytes(raw)


def short(files):
    """A zip file with a file that claims to be far longer than it is."""
    raw = bytearray(zipped({**files, "acme/roof.txt": b"wet"}))
    entry = raw.rfind(b"PK\x01\x02")
    raw[entry + 24 : entry + 28] = b"\0\0\1\0"
    return bytes(raw)


HOSTILE = {
    "a file that is too short": (short, r"cannot be read: acme/roof\.txt: unexpected end of data"),
    "a link": (link, "passwd is no plain file"),
    "a password": (locked, "has a password"),
    "a way out": (lambda files: zipped({**files, "acme/../../x": b""}), "its name leads elsewhere"),
    "a way out of Windows": (lambda files: zipped({**files, "..\\x": b""}), "its name leads elsewhere"),
    "a root": (lambda files: zipped({**files, "/etc/passwd": b""}), "its name leads elsewhere"),
    "half a zip": (lambda files: zipped(files)[:-300], "cannot be read"),
    "half an xz": (lambda files: lzma.compress(tarred(files))[:-300], "cannot be read"),
    "half a bz2": (lambda files: bz2.compress(tarred(files))[:-300], "cannot be read"),
    "a damaged zip": (lambda files: zipped(files).replace(b"\x00", b"\x01", 400)[:-4], "cannot be "),
    "a damaged xz": (lambda files: lzma.compress(tarred(files)).replace(b"\x00", b"\x01"), "cannot be "),
    "a damaged bz2": (lambda files: bz2.compress(tarred(files))[:200] + b"x" * 500, "cannot be read"),
    "an empty zip": (lambda _: zipped({}), r"This is not an export.*--from"),
    "a text": (lambda _: b"Dear all", r"reads a tar archive.* or a zip file.*--from"),
    "zstd": (lambda _: b"\x28\xb5\x2f\xfd" + bytes(range(256)) * 9, "reads a tar archive.* or a zip file"),
    "a 7z file": (lambda _: b"7z\xbc\xaf\x27\x1c" + b"x" * 900, "reads a tar archive.* or a zip file"),
    "a packed text": (lambda _: gzip.compress(b"Dear all"), "reads a tar archive.* or a zip file"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_or_damaged_archive_is_refused_with_a_sentence(take, source, files, name):
    make, match = HOSTILE[name]
    with pytest.raises((ArchiveError, SkerryError), match=match):
        take(make(files))
    assert source.people["ada"].get("/projects").items == []


def test_compression_bombs_are_stopped_by_the_limits_on_files_disk_and_memory(take, files, monkeypatch):
    claims = []
    monkeypatch.setattr(compression, "check_disk_space", lambda _folder, size=0: claims.append(size))
    take(zipped({**files, "acme/zeros": bytes(1_000_000)}))
    assert max(claims) == 1_000_000
    monkeypatch.setattr("skerry.store.transfer.unpacking.MAX_MEMBERS", 3)
    with pytest.raises(ArchiveError, match="has more than 3 files"):
        take(zipped(files))
    monkeypatch.setattr(compression, "_MAX_MEMORY", 2**20)
    with pytest.raises(ArchiveError, match="cannot be read"):
        take(lzma.compress(tarred(files), preset=9))


def test_a_folder_is_refused_with_the_kinds_that_are_read(run, source, tmp_path):
    with pytest.raises(ArchiveError, match=r"is a folder\. An import reads a tar archive"):
        run(place_of(source), "import", tmp_path, "--account", account_named(source))
