"""Files, in a folder and in a bucket."""

import errno
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from shutil import copyfileobj

import pytest

from skerry import settings
from skerry.errors import NotFound, TooLarge, Unavailable
from skerry.files import bucket as buckets
from skerry.files import folder as folder_module
from skerry.files.blobs import Blobs
from skerry.files.storage import PIECE
from skerry.settings import SettingError

KEY = "7/" + "ab" * 20
HELD = """
import sys, time
from pathlib import Path
from skerry.files.blobs import Blobs
temporary_file = Blobs(Path(sys.argv[1])).temporary_file(100, "")
temporary_file.write(b"half")
temporary_file.file.flush()
print(temporary_file.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(params=["folder", "bucket"])
def blobs(request, tmp_path):
    place = request.getfixturevalue("bucket") if request.param == "bucket" else ""
    yield (blobs := Blobs(tmp_path, place))
    blobs.remove(kept.key for batch in blobs.list_all() for kept in batch)


def spooled(blobs, content):
    temporary_file = blobs.temporary_file(100_000_000, "too large")
    for begin in range(0, len(content), 65536):
        temporary_file.write(content[begin : begin + 65536])
    temporary_file.finish()
    return temporary_file


def keep(blobs, key, content):
    temporary_file = spooled(blobs, content)
    try:
        blobs.keep(temporary_file, key)
    finally:
        temporary_file.discard()


def keys(blobs):
    return {kept.key for batch in blobs.list_all() for kept in batch}


def test_a_stored_file_is_read_whole_and_in_part(blobs):
    keep(blobs, KEY, b"0123456789")
    assert b"".join(blobs.read(KEY, 0, 10)) == b"0123456789"
    assert b"".join(blobs.read(KEY, 3, 5)) == b"34"
    assert list(blobs.temporary_files.glob("upload-*")) == []


def test_the_names_of_a_file_and_of_new_folders_above_it_are_brought_to_the_disk(tmp_path, monkeypatch):
    synced, folder = [], Blobs(tmp_path)
    monkeypatch.setattr(folder_module, "fsync", synced.append)
    keep(folder, KEY, b"first")
    assert synced == [tmp_path / "blobs" / "7", tmp_path / "blobs", tmp_path]
    synced.clear()
    keep(folder, f"{KEY}1", b"second")
    assert synced == [tmp_path / "blobs" / "7"]


def test_the_name_of_a_folder_that_another_process_made_is_brought_to_the_disk(tmp_path, monkeypatch):
    def ended(_path):
        raise OSError

    synced = []
    monkeypatch.setattr(folder_module, "fsync", ended)
    with pytest.raises(Unavailable):
        keep(Blobs(tmp_path), KEY, b"first")
    monkeypatch.setattr(folder_module, "fsync", synced.append)
    keep(Blobs(tmp_path), f"{KEY}1", b"second")
    assert synced == [tmp_path / "blobs" / "7", tmp_path / "blobs", tmp_path]


@pytest.fixture
def on_two_disks(tmp_path, monkeypatch):
    replace = Path.replace

    def between(path, target):
        if path.parent.name == "uploads":
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", between)
    return Blobs(tmp_path)


def test_files_may_be_on_another_disk_than_what_is_still_coming(on_two_disks, tmp_path, monkeypatch):
    copy, fsync, synced = copyfileobj, os.fsync, []

    def copied(*what):
        copy(*what)
        assert not (tmp_path / "blobs" / KEY).exists()

    def noted(number):
        fsync(number)
        synced.append(os.fstat(number).st_size)

    monkeypatch.setattr(folder_module, "copyfileobj", copied)
    monkeypatch.setattr(os, "fsync", noted)
    keep(on_two_disks, KEY, b"content" * PIECE)
    assert keys(on_two_disks) == {KEY}
    assert synced.count(7 * PIECE) == 2
    assert b"".join(on_two_disks.read(KEY, 0, 7 * PIECE)) == b"content" * PIECE
    assert (tmp_path / "blobs" / KEY).stat().st_mode & 0o777 == 0o600
    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_file_that_the_other_disk_refuses_leaves_nothing_there(on_two_disks, monkeypatch):
    def full(*_files):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder_module, "copyfileobj", full)
    with pytest.raises(Unavailable):
        keep(on_two_disks, KEY, b"content")
    assert keys(on_two_disks) == set()


def test_a_large_file_travels_in_pieces(blobs, monkeypatch):
    monkeypatch.setattr(buckets, "PART", 5 * 1024 * 1024)
    content = os.urandom(12 * 1024 * 1024 + 7)
    keep(blobs, KEY, content)
    pieces = list(blobs.read(KEY, 1, len(content)))
    assert b"".join(pieces) == content[1:]
    assert len(pieces) > 1
    assert max(map(len, pieces)) <= PIECE


def test_an_empty_file_is_a_file(blobs):
    keep(blobs, KEY, b"")
    assert list(blobs.read(KEY, 0, 0)) == []
    assert keys(blobs) == {KEY}


def test_the_place_of_a_file_is_there_though_the_file_is_gone(blobs):
    keep(blobs, KEY, b"x")
    blobs.remove([KEY])
    blobs.check_container(KEY)


def test_a_missing_bucket_is_reported_as_unavailable(bucket, tmp_path):
    with pytest.raises(Unavailable):
        Blobs(tmp_path, f"{bucket.replace('files', 'nowhere')}").check_container(KEY)


@pytest.mark.parametrize(("left", "start"), [(b"", 0), (b"01234", 2), (b"01234", 5), (b"01234", 7)])
def test_a_truncated_file_is_not_mistaken_for_the_whole(blobs, left, start):
    keep(blobs, KEY, left)
    with pytest.raises(NotFound, match="no longer complete"):
        list(blobs.read(KEY, start, 10))


def test_a_removed_file_is_gone_and_can_be_removed_again(blobs):
    other = "7/" + "cd" * 20
    keep(blobs, KEY, b"x")
    keep(blobs, other, b"y")
    assert keys(blobs) == {KEY, other}
    blobs.remove([KEY])
    blobs.remove([KEY, other])
    assert keys(blobs) == set()
    with pytest.raises(NotFound):
        list(blobs.read(KEY, 0, 1))


def test_a_storage_that_works_passes_its_check_and_holds_nothing_after_it(blobs):
    blobs.check()
    assert keys(blobs) == set()


def test_the_clock_of_the_storage_says_when_files_came(blobs):
    before = blobs.now()
    keep(blobs, KEY, b"x")
    ((kept,),) = blobs.list_all()
    # Many buckets know whole seconds only.
    assert before.replace(microsecond=0) <= kept.since <= blobs.now() + timedelta(seconds=1)


def test_a_byte_too_many_is_refused(tmp_path):
    temporary_file = Blobs(tmp_path).temporary_file(3, "cat.png is too large")
    temporary_file.write(b"123")
    with pytest.raises(TooLarge, match=r"cat\.png is too large"):
        temporary_file.write(b"4")
    temporary_file.discard()
    assert list(tmp_path.rglob("upload-*")) == []


def test_a_full_disk_is_reported_and_leaves_nothing_behind(tmp_path, monkeypatch):
    def refuse(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    temporary_file = Blobs(tmp_path).temporary_file(10, "")
    temporary_file.write(b"x")
    with pytest.raises(Unavailable):
        temporary_file.finish()
    temporary_file.discard()
    assert list(tmp_path.rglob("upload-*")) == []


def test_a_bucket_that_does_not_respond_is_reported_as_unavailable(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    blobs = Blobs(tmp_path, "s3://nowhere")
    with pytest.raises(Unavailable, match=r"Files cannot be stored at s3://nowhere: .*: Connection refused$"):
        blobs.check()
    assert list(tmp_path.rglob("upload-*")) == []


def test_an_upload_that_was_killed_is_swept_and_one_that_lives_is_not(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HELD, tmp_path], stdout=subprocess.PIPE, text=True
    ) as program:
        path = program.stdout.readline().strip()
        blobs = Blobs(tmp_path)
        assert blobs.remove_temporary_files(timedelta(0)) == 0
        program.send_signal(signal.SIGKILL)
        program.wait()
    assert os.path.exists(path)  # noqa: PTH110 - a text
    assert blobs.remove_temporary_files(timedelta(hours=1)) == 0
    assert blobs.remove_temporary_files(timedelta(0)) == 1
    assert not os.path.exists(path)  # noqa: PTH110 - a text


def test_a_spool_of_somebody_else_keeps_nobody_from_sweeping(tmp_path, monkeypatch):
    blobs = Blobs(tmp_path)
    blobs.temporary_files.mkdir()
    for name in ("upload-1", "upload-of-root", "upload-3"):
        (blobs.temporary_files / name).touch()
    opened = Path.open

    def refused(path, *mode):
        if path.name == "upload-of-root":
            raise PermissionError
        return opened(path, *mode)

    monkeypatch.setattr(Path, "open", refused)
    assert blobs.remove_temporary_files(timedelta(0)) == 2


@pytest.mark.parametrize("place", ["", "s3://bucket", "s3://bucket/some/prefix/", "s3://bucket/für alle"])
def test_the_setting_names_a_bucket_or_nothing(place):
    assert settings.load({"SKERRY_BLOBS": place}).blobs == place.rstrip("/")


@pytest.mark.parametrize("place", ["/srv/files", "s3://", "https://bucket", "s3://bucket?region=x"])
def test_a_setting_for_something_else_is_refused(place):
    with pytest.raises(SettingError, match="SKERRY_BLOBS must be s3://bucket"):
        settings.load({"SKERRY_BLOBS": place})
