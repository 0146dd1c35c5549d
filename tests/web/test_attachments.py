"""Files attached to tickets and comments, over HTTP."""

import errno
import os
import re
from dataclasses import replace
from datetime import timedelta

import pytest

from skerry import app
from skerry.database import durability
from skerry.store.file_cleanup import clean_up
from skerry.web.log import Log
from tests.conftest import build_world
from tests.support.forms import KIND, field, file, form
from tests.web.test_avatars import picture


def attach(client, project_id, *files, title="Leak"):
    answer = client.send(
        "POST", f"/projects/{project_id}/tickets", raw=form(field("ticket[title]", title), *files), kind=KIND
    )
    assert answer.status == 201, answer.body
    return answer.item["number"]


def attached(client, project_id, number=1):
    return client.get(f"/projects/{project_id}/tickets/{number}").item.get("attachments", [])


def path_of(attachment):
    return re.sub(r"^http://[^/]+", "", attachment["url"]) + "!"


def keys(world):
    """Return the keys of the account's files, and the names of those that are still coming."""
    kept = {found.key for batch in world.instance.blobs.list_all() for found in batch}
    temporary_files = {path.name for path in world.instance.blobs.temporary_files.glob("upload-*")}
    return {key for key in kept if key.startswith(f"{world.account_id}/")} | temporary_files


@pytest.mark.matrix("both")
def test_a_ticket_is_opened_with_files(ada, roof):
    number = attach(ada, roof, file(b"one"), file(picture("PNG", (40, 30)), "roof.png", "image/png"))
    ticket = ada.get(f"/projects/{roof}/tickets/{number}").item
    text, image = ticket["attachments"]
    assert ticket["attachments_count"] == 2
    assert re.fullmatch(r"[0-9a-f]{40}", text["code"])
    assert (text["filename"], text["content_type"], text["size"]) == ("notes.txt", "text/plain", 3)
    assert (text["width"], text["height"]) == (None, None)
    assert (image["width"], image["height"], image["uploader_id"]) == (40, 30, ada.user_id)
    assert text["url"] == f"http://{ada.host}/attachments/{text['id']}/notes.txt"
    assert text["id"] < image["id"]
    assert text["created_at"] == ticket["versions"][0]["created_at"]


def test_a_part_named_for_a_ticket_contains_its_fields(ada, roof):
    # As browsers send new Blob([...], {type: "application/json"}) in FormData.
    title = file(b'{"title": "Leak", "tag": "rain"}', "blob", "application/json", part="ticket")
    answer = ada.send("POST", f"/projects/{roof}/tickets", raw=form(title, file(b"one")), kind=KIND)
    assert answer.status == 201, answer.body
    ticket = answer.item
    assert (ticket["title"], ticket["tag"], ticket["attachments_count"]) == ("Leak", "rain", 1)


@pytest.mark.matrix("both")
def test_pictures_have_an_element_of_their_own_in_xml_and_none_are_left_out(ada, roof):
    attach(ada, roof, file(), file(b"no picture", "a.png", "image/png"))
    attach(ada, roof, title="Nothing")
    xml = ada.get(f"/projects/{roof}/tickets/1.xml").body.decode()
    assert '<attachments type="array"><attachment type="Attachment">' in xml
    assert '<attachment-image type="Attachment">' in xml
    assert "<attachments " not in ada.get(f"/projects/{roof}/tickets/2.xml").body.decode()
    json = ada.get(f"/projects/{roof}/tickets/2.json").body.decode()
    assert '"attachments":[]' in json


@pytest.mark.parametrize("place", ["before", "after"])
@pytest.mark.parametrize(
    ("content_type", "document"),
    [
        ("application/json", '{"ticket":{"body":"See the file","state":"open"}}'),
        ("application/json", '{"body":"See the file","state":"open"}'),
        ("application/xml", "<ticket><body>See the file</body><state>open</state></ticket>"),
    ],
)
def test_the_other_fields_may_be_a_document_under_any_name(ada, roof, content_type, document, place):
    attach(ada, roof)
    parts = [field("anything", document, content_type), file()]
    body = form(*(parts if place == "before" else reversed(parts)))
    assert ada.send("PUT", f"/projects/{roof}/tickets/1", raw=body, kind=KIND).status == 200
    ticket = ada.get(f"/projects/{roof}/tickets/1").item
    assert (ticket["state"], ticket["versions"][1]["body"]) == ("open", "See the file")
    assert [found["filename"] for found in ticket["attachments"]] == ["notes.txt"]


@pytest.mark.parametrize("name", ["json", "xml"])
def test_a_document_that_comes_as_a_file_under_its_own_name_is_no_attachment(ada, roof, name):
    attach(ada, roof)
    documents = {
        "json": b'{"ticket":{"body":"See the file","state":"open"}}',
        "xml": b"<ticket><body>See the file</body><state>open</state></ticket>",
    }
    sent, kind = documents[name], f"application/{name}"
    body = form(file(sent, f"t.{name}", kind, part=name), file(sent, f"t.{name}", kind))
    assert ada.send("PUT", f"/projects/{roof}/tickets/1", raw=body, kind=KIND).status == 200
    ticket = ada.get(f"/projects/{roof}/tickets/1").item
    assert (ticket["state"], ticket["versions"][1]["body"]) == ("open", "See the file")
    assert [found["filename"] for found in ticket["attachments"]] == [f"t.{name}"]


def test_a_form_that_can_only_be_posted_names_its_method_inside(ada, roof):
    attach(ada, roof)
    parts = [field("_method", "put"), field("ticket[body]", "Here"), file()]
    assert ada.send("POST", f"/projects/{roof}/tickets/1", raw=form(*parts), kind=KIND).status == 200
    assert len(attached(ada, roof)) == 1
    assert ada.send("POST", f"/projects/{roof}/tickets/1", raw=form(*parts[1:]), kind=KIND).status == 405
    assert len(attached(ada, roof)) == 1


def test_a_comment_may_have_files(ada, roof):
    attach(ada, roof, file())
    body = form(field("version[body]", "One more"), file(name="more.txt"))
    assert ada.send("POST", f"/projects/{roof}/tickets/1/versions", raw=body, kind=KIND).status == 201
    assert [found["filename"] for found in attached(ada, roof)] == ["notes.txt", "more.txt"]


@pytest.mark.matrix("both")
def test_a_version_counts_the_files_before_its_own(ada, roof):
    attach(ada, roof, file(), file())
    for _ in range(2):
        body = form(field("ticket[body]", "More"), file())
        ada.send("PUT", f"/projects/{roof}/tickets/1", raw=body, kind=KIND)
    ticket = ada.get(f"/projects/{roof}/tickets/1").item
    assert [version["attachments_count"] for version in ticket["versions"]] == [0, 2, 3]
    assert ticket["attachments_count"] == 4


@pytest.mark.matrix("both")
def test_a_removed_comment_takes_its_files_along(world, ada, roof):
    attach(ada, roof, file(name="first.txt"))
    for name in ("second.txt", "third.txt"):
        body = form(field("ticket[body]", "More"), file(name=name))
        ada.send("PUT", f"/projects/{roof}/tickets/1", raw=body, kind=KIND)
    assert len(keys(world)) == 3
    ada.delete(f"/projects/{roof}/tickets/1/versions/2")
    ticket = ada.get(f"/projects/{roof}/tickets/1").item
    assert [found["filename"] for found in ticket["attachments"]] == ["first.txt", "third.txt"]
    assert [version["attachments_count"] for version in ticket["versions"]] == [0, 1, 1]
    assert (ticket["attachments_count"], len(keys(world))) == (2, 2)


@pytest.mark.matrix("both")
def test_files_are_added_to_a_text_that_is_edited(ada, roof):
    attach(ada, roof, file(name="first.txt"))
    ticket = f"/projects/{roof}/tickets/1"
    ada.send("PUT", ticket, raw=form(field("ticket[body]", "More"), file(name="third.txt")), kind=KIND)
    for body in ("See the second", "See the second"):
        sent = form(field("version[body]", body), file(name="second.txt"))
        assert ada.send("PUT", f"{ticket}/versions/1", raw=sent, kind=KIND).status == 200
    found = ada.get(ticket).item
    names = ["first.txt", "second.txt", "second.txt", "third.txt"]
    assert [each["filename"] for each in found["attachments"]] == names
    assert [version["attachments_count"] for version in found["versions"]] == [0, 3]
    assert found["attachments_count"] == 4
    assert len(ada.get(f"{ticket}/versions/1/texts").items) == 0
    alone = ada.send("PUT", f"{ticket}/versions/1", raw=form(file()), kind=KIND)
    assert (alone.status, alone.errors) == (422, ["At least one other field must come with a file"])


@pytest.mark.matrix("both")
@pytest.mark.parametrize("what", ["ticket", "project"])
def test_deleting_something_deletes_its_files(world, ada, roof, what):
    attach(ada, roof, file(), file())
    path = path_of(attached(ada, roof)[0])
    ada.delete(f"/projects/{roof}/tickets/1" if what == "ticket" else f"/projects/{roof}")
    assert keys(world) == set()
    assert ada.get(path).status == 404


@pytest.mark.parametrize("what", ["ticket", "project"])
def test_files_stay_where_the_disk_may_not_have_heard_of_their_removal(world, monkeypatch, ada, roof, what):
    attach(ada, roof, file())
    kept = keys(world)

    def refuse(_descriptor):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(durability, "_FLUSH", refuse)
    path = f"/projects/{roof}/tickets/1" if what == "ticket" else f"/projects/{roof}"
    assert (ada.delete(path).status, keys(world)) == (503, kept)


def test_only_tickets_and_comments_take_files(world, ada):
    answer = ada.send("POST", "/projects", raw=form(field("project[name]", "Roof"), file()), kind=KIND)
    assert (answer.status, answer.errors) == (415, ["Files cannot be sent to this address"])
    assert keys(world) == set()


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("Dach & Rinne.jpg", "Dach___Rinne.jpg"),
        ("C:\\\\photos\\\\roof.png", "roof.png"),
        ("../../etc/passwd", "passwd"),
        ("..", "__"),
        ("é", "é"),
        ("План 2.pdf", "План_2.pdf"),
        ("e\u0301t\u00e9.txt", "\u00e9t\u00e9.txt"),
        ("\u0915\u094d\u200d\u0937.txt", "\u0915\u094d\u200d\u0937.txt"),
        ("gpj\u202e.exe", "gpj.exe"),
        ("\U0001f4f7.png", "_.png"),
        ("\u3164.png", "_.png"),
        ("CON.txt", "_CON.txt"),
        ("dots...", "dots___"),
        ("<script>.html", "_script_.html"),
    ],
)
def test_a_name_keeps_the_letters_and_digits_of_all_scripts(ada, roof, sent, kept):
    attach(ada, roof, file(name=sent))
    [attachment] = attached(ada, roof)
    assert attachment["filename"] == kept
    assert attachment["url"].isascii()
    assert ada.get(path_of(attachment)).body == b"hello"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("image/pjpeg", "image/pjpeg"),
        ("TEXT/Plain; charset=utf-8", "text/plain"),
        ("nonsense", "application/octet-stream"),
        ("a/b<c", "application/octet-stream"),
    ],
)
def test_a_type_is_what_the_sender_says_if_it_can_be_one(ada, roof, sent, kept):
    attach(ada, roof, file(content_type=sent))
    assert attached(ada, roof)[0]["content_type"] == kept


def test_strangers_may_attach_where_they_may_speak(cy, harbour):
    number = attach(cy, harbour, file())
    body = form(field("ticket[body]", "Another"), file(name="more.txt"))
    assert cy.send("PUT", f"/projects/{harbour}/tickets/{number}", raw=body, kind=KIND).status == 200
    assert len(attached(cy, harbour, number)) == 2


def test_a_repeated_request_stores_its_file_once(world, ada, roof):
    body = form(field("ticket[title]", "Once"), file())
    for _ in range(2):
        answer = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND, Idempotency_Key="once")
        assert answer.status == 201
    assert (len(attached(ada, roof)), len(keys(world))) == (1, 1)
    other = form(field("ticket[title]", "Once"), file(b"HELLO"))
    answer = ada.send("POST", f"/projects/{roof}/tickets", raw=other, kind=KIND, Idempotency_Key="once")
    assert (answer.status, len(keys(world))) == (422, 1)


@pytest.mark.matrix("both")
def test_a_cleanup_keeps_every_attached_file(world, ada, roof):
    attach(ada, roof, file())
    clean_up(world.database, world.instance.blobs, timedelta(0))
    assert ada.get(path_of(attached(ada, roof)[0])).body == b"hello"


@pytest.mark.parametrize(("refused", "status"), [(["unlink"], 201), (["unlink", "fsync"], 503)])
def test_a_full_disk_is_not_reported_as_an_internal_error(world, monkeypatch, ada, roof, refused, status):
    def refuse(*_of):
        raise OSError(errno.EROFS, "Read-only file system")

    body = form(field("ticket[title]", "Leak"), file())
    with monkeypatch.context() as disk:
        for name in refused:
            disk.setattr(os, name, refuse)
        answer = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND)
    assert answer.status == status
    assert len(ada.get(f"/projects/{roof}/tickets").items) == (1 if status == 201 else 0)
    world.instance.blobs.remove_temporary_files(timedelta(0))
    assert not list(world.instance.blobs.temporary_files.glob("upload-*"))


def test_files_live_in_a_bucket_as_well(bucket, sqlite_instance):
    instance, log = sqlite_instance
    settings = replace(instance.settings, blobs=bucket)
    with app.build(settings, Log(stream=log)) as remote:
        world = build_world(remote, log)
        ada = world.people["ada"]
        project_id = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
        attach(ada, project_id, file(b"0123456789"))
        path = path_of(attached(ada, project_id)[0])
        assert ada.get(path).body == b"0123456789"
        assert ada.get(path, Range="bytes=2-3").body == b"23"
        assert len(keys(world)) == 1
        ada.delete(f"/projects/{project_id}")
        assert keys(world) == set()


def test_a_ticket_is_not_created_while_the_bucket_is_unreachable(world, monkeypatch, ada, roof):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    settings = replace(world.instance.settings, blobs="s3://nowhere")
    with app.build(settings, Log(stream=world.log)) as remote:
        ada.application = remote.application
        body = form(field("ticket[title]", "Away"), file())
        answer = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND)
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")
        assert (
            ada.get(f"/projects/{roof}/tickets").items,
            list(remote.blobs.temporary_files.glob("upload-*")),
        ) == (
            [],
            [],
        )
