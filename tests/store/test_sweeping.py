"""What killed programs leave behind."""

import errno
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from skerry.errors import Unavailable
from skerry.store import attachments
from skerry.store.attachments import key_of
from skerry.store.engine import durability
from skerry.store.engine.database import Database
from skerry.store.files.blobs import Blobs
from skerry.store.files.cleanup import clean_up
from skerry.store.files.folder import Folder
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


def test_nothing_is_removed_while_the_disk_does_not_take_that_its_row_has_gone(tmp_path, monkeypatch):
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


def test_how_old_a_file_is_is_told_by_the_clock_of_its_storage(world, blobs, monkeypatch):
    key = key_of(world.account_id, CODE)
    keep(blobs, key)
    behind = datetime.now(UTC) - timedelta(hours=2)
    os.utime(world.instance.settings.data / "blobs" / key, (behind.timestamp(), behind.timestamp()))
    monkeypatch.setattr(Folder, "now", lambda _folder: behind)
    assert (clean_up(world.database, blobs), keys(blobs)) == (0, {key})
    monkeypatch.setattr(Folder, "now", lambda _folder: behind + timedelta(hours=1))
    assert (clean_up(world.database, blobs), keys(blobs)) == (1, set())


def test_what_somebody_else_put_beside_the_files_is_left_alone(world, blobs):
    for key in ("backup.tar", "7/notes", f"{world.account_id}/{CODE}.old", f"a/{CODE}", f"1/2/{CODE}"):
        keep(blobs, key)
    assert clean_up(world.database, blobs, NOW) == 0
    assert len(keys(blobs)) == 5


def test_a_link_of_somebody_else_that_leads_nowhere_keeps_nobody_from_sweeping(world, blobs):
    keep(blobs, key_of(world.account_id, CODE))
    link = world.instance.settings.data / "blobs" / "link"
    link.symlink_to(link)
    try:
        assert clean_up(world.database, blobs, NOW) == 1
    finally:
        link.unlink()


def test_a_house_is_swept_by_one_process_at_a_time(world, blobs):
    world.instance.clean_up()  # what other tests left behind
    with blobs.alone() as first, blobs.alone() as second:
        assert (first, second) == (True, False)
        assert world.instance.clean_up() == 0
    keep(blobs, key_of(world.account_id, CODE))
    assert world.instance.clean_up() == 0


def test_a_disk_that_lets_nothing_be_removed_puts_the_sweep_off(world, blobs, monkeypatch):
    def refuse(*_of):
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as disk:
        disk.setattr(os, "unlink", refuse)
        blobs.temporary_file(10, "").discard()
        with pytest.raises(Unavailable):
            clean_up(world.database, blobs, NOW)
    assert clean_up(world.database, blobs, NOW) == 1
