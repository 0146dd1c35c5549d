"""The cleanup of files that killed programs left behind."""

import errno
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from skerry.database import durability
from skerry.database.database import Database
from skerry.errors import Unavailable
from skerry.files.blobs import Blobs
from skerry.files.folder import Folder
from skerry.store import attachments
from skerry.store.attachments import key_of
from skerry.store.file_cleanup import clean_up
from skerry.store.people import avatars
from tests.support import migrated_databases

NOW = timedelta(0)
CODE, OTHER = "ab" * 20, "cd" * 20


@pytest.fixture
def blobs(world):
    """The files of an instance in which no other test has any."""
    blobs = world.instance.blobs
    blobs.remove(kept.key for batch in blobs.list_all() for kept in batch)
    return blobs


def keep(blobs, key):
    temporary_file = blobs.temporary_file(10, "")
    temporary_file.write(b"x")
    temporary_file.finish()
    blobs.keep(temporary_file, key)
    temporary_file.discard()


def keys(blobs):
    return {kept.key for batch in blobs.list_all() for kept in batch}


def attach(world, project_id, code):
    with world.write() as transaction:
        attachments.add(
            transaction,
            project_id=project_id,
            number=1,
            version=1,
            uploader_id=1,
            code=code,
            filename="a",
            content_type="text/plain",
            size=1,
            width=None,
            height=None,
        )


def test_no_file_is_removed_before_the_removal_of_its_row_is_durable(tmp_path, monkeypatch):
    def fails(_descriptor):
        raise OSError(errno.EIO, "input/output error")

    blobs, key = Blobs(tmp_path), key_of(1, CODE)
    keep(blobs, key)
    with closing(Database(migrated_databases.on_sqlite(tmp_path), blobs=blobs)) as database:
        monkeypatch.setattr(durability, "_FLUSH", fails)
        with pytest.raises(Unavailable):
            clean_up(database, blobs, NOW)
        assert keys(blobs) == {key}
        monkeypatch.undo()
        assert clean_up(database, blobs, NOW) == 1
    assert keys(blobs) == set()


def test_only_files_without_an_attachment_are_removed(world, blobs, roof):
    attach(world, roof, CODE)
    kept, alone = key_of(world.account_id, CODE), key_of(world.account_id, OTHER)
    nowhere = key_of(999_999, CODE)
    for key in (kept, alone, nowhere):
        keep(blobs, key)
    assert clean_up(world.database, blobs, NOW) == 2
    assert keys(blobs) == {kept}


def test_pictures_of_people_stay_and_belong_to_no_account(world, blobs):
    with world.write() as transaction:
        avatars.change(transaction, world.people["ben"].user_id, code=CODE, media_type="image/png", size=1)
    kept = key_of(avatars.SERVICE, CODE)
    for key in (kept, key_of(avatars.SERVICE, OTHER), key_of(world.account_id, CODE)):
        keep(blobs, key)
    assert clean_up(world.database, blobs, NOW) == 2
    assert keys(blobs) == {kept}
    world.people["ben"].delete("/profile/avatar")
    assert keys(blobs) == set()


def test_young_files_stay_because_their_row_may_be_on_its_way(world, blobs):
    keep(blobs, key_of(world.account_id, CODE))
    assert clean_up(world.database, blobs) == 0
    assert keys(blobs) == {key_of(world.account_id, CODE)}


def test_the_age_of_a_file_is_measured_by_the_clock_of_its_storage(world, blobs, monkeypatch):
    key = key_of(world.account_id, CODE)
    keep(blobs, key)
    behind = datetime.now(UTC) - timedelta(hours=2)
    os.utime(world.instance.settings.data / "blobs" / key, (behind.timestamp(), behind.timestamp()))
    monkeypatch.setattr(Folder, "now", lambda _folder: behind)
    assert (clean_up(world.database, blobs), keys(blobs)) == (0, {key})
    monkeypatch.setattr(Folder, "now", lambda _folder: behind + timedelta(hours=1))
    assert (clean_up(world.database, blobs), keys(blobs)) == (1, set())


def test_foreign_files_beside_ours_are_left_alone(world, blobs):
    for key in ("backup.tar", "7/notes", f"{world.account_id}/{CODE}.old", f"a/{CODE}", f"1/2/{CODE}"):
        keep(blobs, key)
    assert clean_up(world.database, blobs, NOW) == 0
    assert len(keys(blobs)) == 5


def test_a_broken_link_put_there_by_somebody_else_does_not_stop_the_cleanup(world, blobs):
    keep(blobs, key_of(world.account_id, CODE))
    link = world.instance.settings.data / "blobs" / "link"
    link.symlink_to(link)
    try:
        assert clean_up(world.database, blobs, NOW) == 1
    finally:
        link.unlink()


def test_one_process_at_a_time_cleans_up(world, blobs):
    world.instance.clean_up()  # what other tests left behind
    with blobs.alone() as first, blobs.alone() as second:
        assert (first, second) == (True, False)
        assert world.instance.clean_up() == 0
    keep(blobs, key_of(world.account_id, CODE))
    assert world.instance.clean_up() == 0


def test_the_cleanup_is_postponed_if_nothing_can_be_removed(world, blobs, monkeypatch):
    def refuse(*_of):
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as disk:
        disk.setattr(os, "unlink", refuse)
        blobs.temporary_file(10, "").discard()
        with pytest.raises(Unavailable):
            clean_up(world.database, blobs, NOW)
    assert clean_up(world.database, blobs, NOW) == 1
