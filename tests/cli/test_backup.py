"""Backups and restores: a complete snapshot of one point in time."""

import io
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count
from threading import Event
from types import SimpleNamespace

import pytest

from skerry.database.database import Database
from skerry.errors import Conflict, NotFound, Unavailable
from skerry.files.blobs import Blobs
from skerry.files.folder import Folder
from skerry.store import accounts
from skerry.store.events import events
from skerry.store.people import avatars, people
from skerry.store.transfer import archive
from tests.cli.archives import (
    KINDS,
    account_named,
    content,
    differences,
    empty_place,
    lasting,
    names,
    opened,
    place_of,
)
from tests.cli.terminal import output
from tests.conftest import PASSWORD, World
from tests.mail.mails import address_of, mail, reply_to
from tests.support import migrated_databases
from tests.support.client import Upload, basic
from tests.support.instances import live, open_with_file, world_in
from tests.support.processes import PATIENCE, ROOT
from tests.support.resources import PICTURE
from tests.web import test_bulk_edit as bulk_edit

FURNISHED = (
    "bulk_edit_tickets",
    "bulk_edits",
    "incoming_mails",
    "invitations",
    "message_texts",
    "moved_tickets",
    "version_texts",
)
"""Tables that have rows only in a world that is furnished."""


def furnish(world, project_id):
    """Edit texts, move a ticket, take mails, and invite people."""
    ada, at = world.people["ada"], f"/projects/{project_id}"
    ada.put(f"{at}/tickets/1/versions/1", {"version": {"body": "Edited"}})
    (message,) = ada.get(f"{at}/messages").items
    ada.put(f"{at}/messages/{message['id']}", {"message": {"body": "Edited"}})
    cellar, attic = (
        ada.post("/projects", {"project": {"name": name}}).item["id"] for name in ("Cellar", "Attic")
    )
    ada.post(f"/projects/{cellar}/tickets", {"ticket": {"title": "Moved"}})
    bulk_edit.edit(ada, cellar, "1", f"project:{attic}")
    ada.post("/mail", mail(ada.email, reply_to(world, ada, project_id, 1), "Yes.\n\n> No?"))
    ada.post("/mail", mail("dora@example.net", address_of(world, project_id)))
    password = world.client(**basic(ada.email, PASSWORD))
    for email in ("dora@example.net", "emil@example.net"):
        made = password.post("/invitations", {"invitation": {"email": email, "role": "member"}}).item
    welcome = {"welcome": {"name": "Emil", "password": "a shed full of rope"}}
    assert world.client().post(f"/welcome/{made['url'].rpartition('/')[2]}", welcome).status == 200


@pytest.fixture(scope="module", params=[KINDS, KINDS[::-1]], ids="-".join)
def moved(request, tmp_path_factory):
    """A world where everything happened, its backup, and where that was restored and backed up again."""
    folder, (kind, other) = tmp_path_factory.mktemp("moved"), request.param
    source, target = folder / "source", empty_place(other, folder / "target")
    source.mkdir()
    world = world_in(source, migrated_databases.at(kind, source))
    project_id = live(world)
    assert world.people["ben"].put("/profile/avatar", Upload("avatar", PICTURE)).status == 200
    furnish(world, project_id)
    with world.write() as transaction:
        last = events.unread(transaction, "mail", 1000)[-1].number
    first, second = folder / "first.tar", folder / "second.tar"
    said = output(place_of(world), "backup", first), output(target, "restore", first)
    output(target, "backup", second)
    yield SimpleNamespace(
        world=world,
        project_id=project_id,
        last=last,
        target=target,
        said=said,
        first=first,
        second=second,
    )
    world.database.close()


def there(moved, instance):
    """Ada, where the backup was restored."""
    world = moved.world
    client = World(instance, io.StringIO(), world.account_id, world.host, "json").client
    return client(**world.people["ada"].headers)


def test_a_backup_restores_everything_into_either_database(moved):
    written, restored = moved.said
    assert "2 files to" in written
    assert restored.startswith("Restored the backup made at ")
    assert restored.count(": ok\n") == 17
    first = content(moved.first)
    assert len(first["tables/tickets.jsonl.gz"]) == 4
    assert [name for name in FURNISHED if len(first[f"tables/{name}.jsonl.gz"]) < 2] == []
    assert lasting(first) == lasting(content(moved.second))


def test_an_import_restores_moved_tickets_and_earlier_texts_and_logins_of_one_account(moved):
    with opened(moved.target) as instance:
        ada, at = there(moved, instance), f"/projects/{moved.project_id}"
        ids = {each["name"]: each["id"] for each in ada.get("/projects").items}
        cellar, attic = ids["Cellar"], ids["Attic"]
        answer = ada.get(f"/projects/{cellar}/tickets/1")
        assert (answer.status, f"/projects/{attic}/tickets/1" in answer.headers["location"]) == (301, True)
        assert [each["body"] for each in ada.get(f"{at}/tickets/1/versions/1/texts").items] == [
            "*Water* – 😀"
        ]
        version = ada.get(f"{at}/tickets/1/versions/3").item
        assert (version["body"], version["quoted_body"]) == ("Yes.", "> No?")
        assert [each["email"] for each in ada.get("/administration/unused-mails").items] == [
            "dora@example.net"
        ]
        emil = basic("emil@example.net", "a shed full of rope")
        assert (
            World(instance, None, None, moved.world.host, "json").client(**emil).get("/profile").status == 200
        )


def test_pictures_of_people_come_along(moved):
    ben = moved.world.people["ben"]
    with moved.world.write() as transaction:
        found = avatars.one(transaction, ben.user_id)
    assert content(moved.first)[f"files/{found.key}"] == PICTURE
    assert "pictures of people: ok" in moved.said[1]
    with opened(moved.target) as instance:
        assert b"".join(instance.blobs.read(found.key, 0, len(PICTURE))) == PICTURE


def test_a_restored_instance_continues_where_the_old_one_stopped(moved):
    with opened(moved.target) as instance:
        ada, path = there(moved, instance), f"/projects/{moved.project_id}/tickets"
        (attached,) = ada.get(f"{path}/2").item["attachments"]
        url = attached["url"].removeprefix(f"http://{moved.world.host}")
        assert ada.raw(f"{url}!").body == b"\0\xff" * 1000
        assert ada.post(path, {"ticket": {"title": "Next"}}).item["number"] == 4


def test_a_number_of_an_event_means_nothing_in_a_restored_database(moved):
    with opened(moved.target) as instance:
        ada, last = there(moved, instance), moved.last
        gone = [ada.get(f"/events?after={number}") for number in (1, last, last + 5)]
        assert {answer.status for answer in gone} == {410}
        oldest = int(gone[0].headers["x-oldest-event"])
        found = ada.get(f"/events?after={oldest - 1}&limit={last}").items
        known = moved.world.people["ada"].get(f"/events?after=0&limit={last}").items
        assert [event["number"] - oldest for event in found] == [event["number"] - 1 for event in known]
        with instance.database.write(moved.world.account_id) as transaction:
            unread = events.unread(transaction, "mail", 1000)
        # What has happened in the restored database since, if anything has.
        assert all(event.number >= oldest + last for event in unread)


@contextmanager
def at_work(source):
    """Let two people write until the end; tell how many tickets one of them opened in their order."""
    ada, ben = source.people["ada"], source.people["ben"]
    line, heap = (ada.post("/projects", {"project": {"name": name}}).item["id"] for name in ("Line", "Heap"))
    source.join(heap, ben)
    begun, over, load = Event(), Event(), {}

    def one_after_another():
        for number in count(1):
            ada.post(f"/projects/{line}/tickets", {"ticket": {"title": f"Number {number}"}})
            ada.put(f"/projects/{line}/tickets/{number}", {"ticket": {"state": "resolved", "body": "Done"}})
            load["written"] = number
            if number == 5:
                begun.set()
            if over.is_set():
                break

    def come_and_go():
        numbers = []
        while not over.is_set():
            numbers.append(open_with_file(ben, heap, "Heap", b"x" * 5000))
            if len(numbers) > 3:
                assert ben.delete(f"/projects/{heap}/tickets/{numbers.pop(0)}").status == 200

    with ThreadPoolExecutor(2) as pool:
        workers = [pool.submit(work) for work in (one_after_another, come_and_go)]
        try:
            assert begun.wait(PATIENCE)
            yield load
        finally:
            over.set()
        for worker in workers:
            worker.result()


def versions_by_title(rows):
    """Return how many versions there are of tickets with each title."""
    return Counter(row[rows[0].index("title")] for row in rows[1:])


@pytest.mark.matrix("databases")
def test_a_backup_under_load_is_consistent(source, run, tmp_path):
    target = empty_place("sqlite", tmp_path / "target")
    with at_work(source) as load:
        run(place_of(source), "backup", tmp_path / "backup.tar")
    assert "lacks" not in run(target, "restore", tmp_path / "backup.tar")
    # One opens a ticket, changes it, opens the next: what is there is the beginning of that, without a gap.
    history = versions_by_title(content(tmp_path / "backup.tar")["tables/versions.jsonl.gz"])
    del history["Heap"]
    last = len(history)
    assert 5 <= last <= load["written"]
    assert set(history) == {f"Number {number}" for number in range(1, last + 1)}
    assert all(history[f"Number {number}"] == 2 for number in range(1, last))
    with opened(target) as instance:
        assert differences(instance) == []


def test_a_file_removed_during_a_backup_stays_until_the_backup_ends(source, run, tmp_path, monkeypatch):
    ada = source.people["ada"]
    project_id = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    number = open_with_file(ada, project_id, "Leak")
    size, seen = Blobs.size, []

    def delete_first(blobs, key):
        if not seen:
            assert ada.delete(f"/projects/{project_id}/tickets/{number}").status == 200
        seen.append(key)
        return size(blobs, key)

    monkeypatch.setattr(Blobs, "size", delete_first)
    run(place_of(source), "backup", tmp_path / "backup.tar")
    assert content(tmp_path / "backup.tar")[f"files/{seen[0]}"] == b"hello"


def test_a_missing_file_is_reported_and_left_out(source, run, heard, tmp_path):
    live(source)
    ben = source.people["ben"]
    assert ben.put("/profile/avatar", Upload("avatar", PICTURE)).status == 200
    source.instance.blobs.remove([kept.key for batch in source.instance.blobs.list_all() for kept in batch])
    said = heard(place_of(source), "backup", tmp_path / "b.tar")
    assert "0 files" in said.out
    assert "notes.txt, is missing or incomplete" in said.err
    assert f"user {ben.user_id}, the picture, is missing" in said.err
    target = empty_place("sqlite", tmp_path / "target")
    with pytest.raises(Conflict, match="differences: 2"):
        run(target, "restore", tmp_path / "b.tar")
    assert names(target) == ["First", *names(place_of(source))[1:]]


@pytest.mark.parametrize("command", ["backup", "export"])
def test_nothing_is_written_if_the_folder_of_the_files_is_missing(source, run, tmp_path, command):
    live(source)
    folder, path = source.instance.settings.data / "blobs", tmp_path / "written"
    words = ["--account", account_named(source)] if command == "export" else []
    run(place_of(source), command, path, *words)
    before = path.read_bytes()
    folder.rename(tmp_path / "away")
    # What checks whether a file can be kept makes a folder for it.
    source.instance.blobs.check()
    with pytest.raises(Unavailable) as refused:
        run(place_of(source), command, path, *words, "--force")
    assert str(refused.value.reason) == f"{folder}/{source.account_id}: No such file or directory"
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.glob("written*")] == ["written"]


def test_a_truncated_file_is_reported_and_left_out(source, heard, tmp_path, monkeypatch):
    live(source)
    piece = Folder.piece
    monkeypatch.setattr(Folder, "piece", lambda *what: piece(*what)[:-1])
    said = heard(place_of(source), "backup", tmp_path / "b.tar")
    assert "0 files" in said.out
    assert "notes.txt, is missing or incomplete" in said.err


def test_rows_are_read_in_pages_without_a_gap(tmp_path, run):
    place = empty_place("sqlite", tmp_path / "data")
    run(place, "migrate")
    with closing(Database(place[1])) as database, database.write() as transaction:
        accounts.add(transaction, "One", None)
        transaction.account_id = 1
        for number in range(1, 302):
            people.join_account(transaction, number, "member")
    run(place, "backup", tmp_path / "backup.tar")
    rows = content(tmp_path / "backup.tar")["tables/account_members.jsonl.gz"]
    assert [row[1] for row in rows[1:]] == list(range(1, 302))


def test_an_existing_file_is_overwritten_only_by_force(small, run):
    place, path = small
    path.write_bytes(b"precious")
    with pytest.raises(Conflict, match="already exists"):
        run(place, "backup", path)
    assert path.read_bytes() == b"precious"
    run(place, "backup", path, "--force")
    assert archive.verified(path).schema
    assert path.stat().st_mode & 0o777 == 0o600


def test_two_backups_do_not_write_the_same_file_at_once(small, run):
    place, path = small
    with archive.created(path, overwrite=True) as file:
        file.write(b"the first")
        with pytest.raises(Conflict, match="is being written by another program"):
            run(place, "backup", path, "--force")
    assert path.read_bytes() == b"the first"


def test_remains_of_a_killed_backup_do_not_get_in_the_way(small, run):
    place, path = small
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(b"not whole")
    run(place, "backup", path, "--force")
    assert archive.verified(path).schema
    assert not part.exists()


def test_a_pipe_is_not_replaced_by_a_file(small, run, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for force in ((), ("--force",)):
        with pytest.raises(Conflict, match="is not a regular file"):
            run(small[0], "backup", pipe, *force)
    assert pipe.is_fifo()


def test_the_target_of_a_link_is_overwritten_and_not_the_link(small, run, tmp_path):
    place, path = small
    path.write_bytes(b"old")
    link = tmp_path / "link.tar"
    link.symlink_to(path)
    run(place, "backup", link, "--force")
    assert link.is_symlink()
    assert archive.verified(path).schema


def test_a_backup_that_fails_leaves_no_file(source, run, tmp_path, monkeypatch):
    live(source)

    def away(_blobs, _key):
        raise Unavailable("The files are away")

    monkeypatch.setattr(Blobs, "size", away)
    with pytest.raises(Unavailable, match="The files are away"):
        run(place_of(source), "backup", tmp_path / "backup.tar")
    assert list(tmp_path.glob("backup.tar*")) == []


def test_an_archive_can_go_through_a_pipe(small, tmp_path, monkeypatch, run):
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def tell(self):
            raise OSError

    pipe = Pipe()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, write_through=True))
    run(small[0], "backup", "-")
    (tmp_path / "piped.tar").write_bytes(pipe.getvalue())
    assert content(tmp_path / "piped.tar") == content(small[1])
    assert archive.verified(tmp_path / "piped.tar").format == 1


def test_a_backup_does_not_write_to_a_closed_standard_output(small, run, monkeypatch):
    # Python has none then, and what replaces it, as here, takes everything.
    monkeypatch.setattr(sys, "__stdout__", None)
    with pytest.raises(Conflict, match="Standard output is closed; name a file"):
        run(small[0], "backup", "-")


@pytest.mark.faults
def test_a_backup_process_does_not_write_to_a_closed_standard_output(small):
    words = (sys.executable, "-m", "skerry", "--data", str(small[0][0]))
    closed = ("sh", "-c", 'exec "$@" >&-', "sh", *words, "backup", "-")
    done = subprocess.run(closed, check=False, cwd=ROOT, timeout=PATIENCE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, b"skerry: Standard output is closed; name a file\n")


def test_a_missing_installation_cannot_be_backed_up(run, tmp_path):
    place = empty_place("sqlite", tmp_path / "nothing")
    with pytest.raises(NotFound, match="no data folder"):
        run(place, "backup", tmp_path / "backup.tar")
    place[0].mkdir()
    with pytest.raises(Conflict, match="nothing to back up"):
        run(place, "backup", tmp_path / "backup.tar")
    assert not (tmp_path / "backup.tar").exists()
