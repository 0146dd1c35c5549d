"""Damaged backups are refused with a sentence before anything changes."""

import tarfile

import pytest

from skerry.store.schema import SchemaError
from skerry.store.transfer import archive
from skerry.store.transfer.archive import About, ArchiveError
from tests.cli.archives import empty_place


def refused(run, tmp_path, path, why):
    """Return the condition that an archive is refused before anything is made."""
    target = empty_place("sqlite", tmp_path / "target")
    with pytest.raises((ArchiveError, SchemaError), match=why):
        run(target, "restore", path)
    assert not target[0].exists()


def test_a_byte_that_changed_in_any_member_is_noticed(small, run, tmp_path):
    _, path = small
    whole = path.read_bytes()
    with tarfile.open(path) as tar:
        places = [member.offset_data + member.size // 2 for member in tar]
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        refused(run, tmp_path, path, "damaged|cannot be read")
    assert len(places) > 20


def test_a_truncated_archive_is_detected(small, run, tmp_path):
    _, path = small
    whole = path.read_bytes()
    with tarfile.open(path) as tar:
        end = tar.getmember("manifest.jsonl.gz").offset_data
    for length in (0, 1, 511, 512, 700, 1024, end // 2 // 512 * 512, end - 512, end, end + 10):
        path.write_bytes(whole[:length])
        refused(run, tmp_path, path, "is incomplete|cannot be read")


def test_a_file_that_is_no_archive_is_reported(run, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"no archive, but long enough to be one " * 100)
    refused(run, tmp_path, path, "cannot be read")
    with tarfile.open(path, "w") as tar:
        tar.addfile(tarfile.TarInfo("something"))
    refused(run, tmp_path, path, "not a Skerry archive")


def test_an_archive_of_a_newer_program_is_refused_in_words(run, tmp_path):
    path = tmp_path / "newer.tar"
    for about, why in (
        (About("9999", "skerry 9", "2030-01-01"), "The archive has schema 9999, which is newer"),
        (About("0026", "skerry 9", "2030-01-01", format=2), "has form 2, this program reads 1"),
    ):
        with path.open("wb") as file, archive.writing(file) as writer:
            writer.about(about)
        refused(run, tmp_path, path, why)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_a_text_in_place_of_a_file_is_refused(run, tmp_path, kind):
    path = tmp_path / "link.tar"
    with tarfile.open(path, "w") as tar:
        link = tarfile.TarInfo("about.json")
        link.type, link.linkname = kind, "/etc/passwd"
        tar.addfile(link)
    refused(run, tmp_path, path, "^The archive is damaged: about.json is no file")


@pytest.mark.parametrize(
    "headers",
    [
        {"GNU.sparse.map": f"{10**13},0", "GNU.sparse.size": f"{10**13}"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": f"{10**13}"},
        {"size": "-1024"},
        {"size": f"{2**70}"},
    ],
)
def test_an_impossible_size_is_refused_in_words(run, tmp_path, headers):
    path = tmp_path / "large.tar"
    large = tarfile.TarInfo("about.json")
    large.pax_headers = headers
    path.write_bytes(large.tobuf(tarfile.PAX_FORMAT) + bytes(1024))
    refused(run, tmp_path, path, r"The archive (cannot be read: \w|is damaged|is incomplete)")


def test_a_member_that_leads_back_to_itself_is_refused(run, tmp_path):
    path, back, further = tmp_path / "round.tar", tarfile.TarInfo("files/1"), tarfile.TarInfo("files/1")
    with path.open("wb") as file, archive.writing(file) as writer:
        writer.about(About("0026", "skerry 9", "2030-01-01"))
    back.size = -tarfile.BLOCKSIZE
    size_of_all = tarfile.TarInfo.create_pax_global_header({"GNU.sparse.realsize": "1"})
    about = path.read_bytes()[: 2 * tarfile.BLOCKSIZE]
    further.pax_headers = {"size": str(-3 * tarfile.BLOCKSIZE)}
    for member in (size_of_all + back.tobuf(tarfile.GNU_FORMAT), further.tobuf(tarfile.PAX_FORMAT)):
        path.write_bytes(about + member + bytes(1024))
        # From Python 3.14 on tarfile itself looks whether it goes back, or ends there.
        refused(
            run, tmp_path, path, "(damaged: files/1 is no file|cannot be read: invalid offset|is incomplete)"
        )


def test_a_name_that_claims_a_huge_length_is_refused_in_words(run, tmp_path):
    path = tmp_path / "long.tar"
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 10**13
    path.write_bytes(name.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    refused(run, tmp_path, path, r"The archive cannot be read: \w")


def test_an_archive_that_is_nested_without_end_is_refused(run, tmp_path):
    path = tmp_path / "deep.tar"
    with (
        path.open("wb") as file,
        archive.writing(file) as writer,
        writer.member("about.json") as temporary_file,
    ):
        temporary_file.write(b"[" * 100_000)
    refused(run, tmp_path, path, "cannot be read")


def test_names_that_lead_elsewhere_are_refused(run, tmp_path):
    path = tmp_path / "elsewhere.tar"
    for name in ("../outside", "files/../outside", "files/1/" + "A" * 40, "tables/users; DROP.jsonl.gz"):
        with path.open("wb") as file, archive.writing(file) as writer:
            writer.about(About("0026", "skerry 9", "2030-01-01"))
            with writer.member(name) as temporary_file:
                temporary_file.write(b"")
        with pytest.raises(ArchiveError, match="does not fit"):
            run(empty_place("sqlite", tmp_path / "target"), "restore", path)
