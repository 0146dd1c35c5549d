"""Files that come with tickets and comments, and how they are fetched."""

import io
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from PIL import Image

from skerry import app
from skerry.store.sweeping import sweep
from skerry.web.hallway import Hallway
from skerry.web.log import Log
from tests.conftest import build_world
from tests.speaking import call

KIND = "multipart/form-data; boundary=edge"


@pytest.fixture
def limited(world, monkeypatch):
    """The world, with files of at most 1,000 bytes and texts of at most 2,000."""
    settings = replace(world.house.settings, upload_limit=1000, body_limit=2000)
    build = Hallway.__init__

    def with_limits(self, database, blobs, _settings, log, replica):
        build(self, database, blobs, settings, log, replica)

    monkeypatch.setattr(Hallway, "__init__", with_limits)
    house = app.build(world.house.settings, Log(stream=world.log))
    for voice in world.people.values():
        voice.application = house.application
    yield world
    house.database.close()


def field(name, value, content_type=None):
    kind = f"Content-Type: {content_type}\r\n" if content_type else ""
    return f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n{kind}\r\n{value}\r\n'.encode()


def file(content=b"hello", name="notes.txt", content_type="text/plain", part="ticket[attachment][]"):
    head = f'--edge\r\nContent-Disposition: form-data; name="{part}"; filename="{name}"\r\n'
    return f"{head}Content-Type: {content_type}\r\n\r\n".encode() + content + b"\r\n"


def form(*parts):
    return b"".join(parts) + b"--edge--\r\n"


def attach(voice, project_id, *files, title="Leak"):
    answer = voice.send(
        "POST", f"/projects/{project_id}/tickets", raw=form(field("ticket[title]", title), *files), kind=KIND
    )
    assert answer.status == 201, answer.body
    return answer.item["number"]


def attached(voice, project_id, number=1):
    return voice.get(f"/projects/{project_id}/tickets/{number}").item.get("attachments", [])


def path_of(attachment):
    return re.sub(r"^http://[^/]+", "", attachment["url"]) + "!"


def keys(world):
    """Give the keys of the account's files, and the names of those that are still coming."""
    kept = {found.key for batch in world.house.blobs.listed() for found in batch}
    spools = {path.name for path in world.house.blobs.spools.glob("upload-*")}
    return {key for key in kept if key.startswith(f"{world.account_id}/")} | spools


def picture(form, width, height):
    content = io.BytesIO()
    Image.new("RGB", (width, height)).save(content, form)
    return content.getvalue()


def test_a_ticket_is_opened_with_files(world, ada, roof):
    number = attach(ada, roof, file(b"one"), file(picture("PNG", 40, 30), "roof.png", "image/png"))
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


def test_a_form_that_can_only_be_posted_names_its_method_inside(ada, roof):
    attach(ada, roof)
    parts = [field("_method", "put"), field("ticket[body]", "Here"), file()]
    assert ada.send("POST", f"/projects/{roof}/tickets/1", raw=form(*parts), kind=KIND).status == 200
    assert len(attached(ada, roof)) == 1
    assert ada.send("POST", f"/projects/{roof}/tickets/1", raw=form(*parts[1:]), kind=KIND).status == 405
    assert len(attached(ada, roof)) == 1


def test_a_comment_may_bring_files(ada, roof):
    attach(ada, roof, file())
    body = form(field("version[body]", "One more"), file(name="more.txt"))
    assert ada.send("POST", f"/projects/{roof}/tickets/1/versions", raw=body, kind=KIND).status == 201
    assert [found["filename"] for found in attached(ada, roof)] == ["notes.txt", "more.txt"]


def test_a_version_counts_the_files_before_its_own(ada, roof):
    attach(ada, roof, file(), file())
    for _ in range(2):
        body = form(field("ticket[body]", "More"), file())
        ada.send("PUT", f"/projects/{roof}/tickets/1", raw=body, kind=KIND)
    ticket = ada.get(f"/projects/{roof}/tickets/1").item
    assert [version["attachments_count"] for version in ticket["versions"]] == [0, 2, 3]
    assert ticket["attachments_count"] == 4


def test_a_removed_comment_takes_its_files_along(world, ada, roof):
    attach(ada, roof, file(name="first.txt"))
    for name in ("second.txt", "third.txt"):
        body = form(field("ticket[body]", "More"), file(name=name))
        ada.send("PUT", f"/projects/{roof}/tickets/1", raw=body, kind=KIND)
    assert len(keys(world)) == 3
    ada.delete(f"/projects/{roof}/tickets/1/versions/2")
    ticket = ada.get(f"/projects/{roof}/tickets/1").item
    assert [found["filename"] for found in ticket["attachments"]] == ["first.txt", "third.txt"]
    assert [version["attachments_count"] for version in ticket["versions"]] == [0, 1]
    assert (ticket["attachments_count"], len(keys(world))) == (2, 2)


@pytest.mark.parametrize("what", ["ticket", "project"])
def test_what_is_removed_takes_its_files_along(world, ada, roof, what):
    attach(ada, roof, file(), file())
    path = path_of(attached(ada, roof)[0])
    ada.delete(f"/projects/{roof}/tickets/1" if what == "ticket" else f"/projects/{roof}")
    assert keys(world) == set()
    assert ada.get(path).status == 404


def test_files_do_not_come_alone(world, ada, roof):
    attach(ada, roof)
    answer = ada.send("PUT", f"/projects/{roof}/tickets/1", raw=form(file()), kind=KIND)
    assert (answer.status, answer.errors) == (422, ["At least one other field must come with a file"])
    answer = ada.send("POST", f"/projects/{roof}/tickets", raw=form(file()), kind=KIND)
    assert (answer.status, answer.errors) == (422, ["Title can't be blank"])
    assert (attached(ada, roof), keys(world)) == ([], set())


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
        ("é", "_"),
        ("<script>.html", "_script_.html"),
    ],
)
def test_a_name_keeps_only_plain_characters(ada, roof, sent, kept):
    attach(ada, roof, file(name=sent))
    [attachment] = attached(ada, roof)
    assert attachment["filename"] == kept
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


def test_a_name_that_is_too_long_is_refused(world, ada, roof):
    body = form(field("ticket[title]", "Long"), file(name="a" * 256))
    answer = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND)
    assert (answer.status, answer.errors) == (422, ["Filename is too long (at most 255 characters)"])
    assert keys(world) == set()


def test_a_file_over_the_limit_is_named_and_nothing_is_kept(limited, ada, roof):
    body = form(field("ticket[title]", "Big"), file(b"x" * 1000), file(b"x" * 1001, "big.bin"))
    answer = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND)
    assert (answer.status, answer.errors) == (413, ["The file big.bin is too large (at most 1000 bytes)"])
    assert (ada.get(f"/projects/{roof}/tickets").items, keys(limited)) == ([], set())
    attach(ada, roof, file(b"x" * 1000))


def test_the_fields_beside_files_have_a_limit_of_their_own(limited, ada, roof):
    body = form(field("ticket[title]", "Big"), file(), field("ticket[body]", "x" * 2001))
    assert ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND).status == 413
    assert keys(limited) == set()


def test_there_are_at_most_fifty_files(world, ada, roof):
    attach(ada, roof, *[file()] * 50)
    body = form(field("ticket[title]", "Many"), *[file()] * 51)
    assert ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND).status == 413
    assert len(keys(world)) == 50


@pytest.mark.parametrize("way", ["announced", "chunked"])
def test_an_upload_that_breaks_off_leaves_nothing(world, ada, roof, way):
    body = form(field("ticket[title]", "Cut"), file(), file(b"x" * 10_000))
    headers = {"Host": ada.host, **ada.headers, "Content-Type": KIND}
    how = {"Content-Length": str(len(body))} if way == "announced" else {"Transfer-Encoding": "chunked"}
    for length in (200, 5000, len(body) - 10):
        cut = io.BytesIO(body[:length])
        path = f"/projects/{roof}/tickets.{ada.format}"
        answer = call(ada.application, "POST", path, body=cut, headers={**headers, **how})
        assert answer.status == 400
    assert (ada.get(f"/projects/{roof}/tickets").items, keys(world)) == ([], set())


def test_a_connection_that_is_lost_leaves_nothing(world, ada, roof):
    class Lost(io.BytesIO):
        def read(self, size=-1):
            if piece := super().read(size):
                return piece
            raise ConnectionResetError

    body = form(field("ticket[title]", "Cut"), file(b"x" * 100_000))[:70_000]
    headers = {"Host": ada.host, **ada.headers, "Content-Type": KIND, "Content-Length": "100500"}
    path = f"/projects/{roof}/tickets.{ada.format}"
    assert call(ada.application, "POST", path, body=Lost(body), headers=headers).status == 500
    assert keys(world) == set()
    world.log.truncate(0)


@pytest.mark.parametrize("who", ["cy", "nobody", "reader"])
def test_who_may_not_write_is_refused_before_the_body_is_read(world, ada, roof, who):
    world.people["reader"] = world.voice(**{"X-ServiceToken": world.token(ada.user_id, read_only=True)})
    voice, unread = world.people[who], io.BytesIO(form(field("ticket[title]", "No"), file()))
    headers = {"Host": voice.host, **voice.headers, "Content-Type": KIND, "Content-Length": "400"}
    path = f"/projects/{roof}/tickets.{voice.format}"
    answer = call(voice.application, "POST", path, body=unread, headers=headers)
    assert answer.status == {"cy": 404, "nobody": 401, "reader": 403}[who]
    assert (unread.tell(), keys(world)) == (0, set())


def test_strangers_may_attach_where_they_may_speak(cy, harbour):
    number = attach(cy, harbour, file())
    body = form(field("ticket[body]", "Another"), file(name="more.txt"))
    assert cy.send("PUT", f"/projects/{harbour}/tickets/{number}", raw=body, kind=KIND).status == 200
    assert len(attached(cy, harbour, number)) == 2


def test_a_refused_change_keeps_no_file(world, ada, cy, harbour):
    attach(ada, harbour)
    body = form(field("ticket[state]", "resolved"), file())
    assert cy.send("PUT", f"/projects/{harbour}/tickets/1", raw=body, kind=KIND).status == 403
    assert ada.send("PUT", f"/projects/{harbour}/tickets/9", raw=body, kind=KIND).status == 404
    stale = ada.send("PUT", f"/projects/{harbour}/tickets/1", raw=body, kind=KIND, If_Match='"old"')
    assert stale.status == 412
    assert (attached(ada, harbour), keys(world)) == ([], set())


def test_a_request_that_comes_again_keeps_its_file_once(world, ada, roof):
    body = form(field("ticket[title]", "Once"), file())
    for _ in range(2):
        answer = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND, Idempotency_Key="once")
        assert answer.status == 201
    assert (len(attached(ada, roof)), len(keys(world))) == (1, 1)
    other = form(field("ticket[title]", "Once"), file(b"HELLO"))
    answer = ada.send("POST", f"/projects/{roof}/tickets", raw=other, kind=KIND, Idempotency_Key="once")
    assert (answer.status, len(keys(world))) == (422, 1)


def test_whoever_sees_the_ticket_sees_its_files(world, ada, ben, cy, nobody, roof, harbour):
    attach(ada, roof, file(b"hidden"))
    attach(ada, harbour, file(b"open"))
    hidden, public = path_of(attached(ada, roof)[0]), path_of(attached(ada, harbour)[0])
    assert [voice.get(hidden).status for voice in (ada, ben, cy, nobody)] == [200, 200, 404, 401]
    assert [voice.get(public).body for voice in (ada, ben, cy, nobody)] == [b"open"] * 4
    token = world.token(ada.user_id, project_id=harbour)
    scoped = world.voice(**{"X-ServiceToken": token})
    assert [scoped.get(path).status for path in (hidden, public)] == [404, 200]


def test_a_file_is_found_by_its_id_and_its_name_in_its_own_account(world, ada, nobody, roof):
    attach(ada, roof, file())
    path = path_of(attached(ada, roof)[0])
    other = build_world(world.house, world.log, world.format).people["ada"]
    assert ada.get(path.replace("notes", "other")).status == 404
    assert ada.get("/attachments/999/notes.txt").status == 404
    assert ada.get("/attachments/x/notes.txt").status == 404
    assert nobody.get("/attachments/999/notes.txt").status == 401
    assert other.get(path).status == 404


@pytest.mark.parametrize(
    ("said", "name", "served", "way"),
    [
        ("image/png", "a.png", "image/png", "inline"),
        ("image/pjpeg", "a.jpg", "image/jpeg", "inline"),
        ("image/svg+xml", "a.svg", "application/octet-stream", "attachment"),
        ("text/html", "a.html", "application/octet-stream", "attachment"),
        ("text/plain", "a.json", "application/octet-stream", "attachment"),
    ],
)
def test_only_plain_pictures_are_shown_and_nothing_can_run(ada, roof, said, name, served, way):
    attach(ada, roof, file(b"<script>alert(1)</script>", name, said))
    answer = ada.get(path_of(attached(ada, roof)[0]))
    assert answer.headers["content-type"] == served
    assert answer.headers["content-disposition"] == f'{way}; filename="{name}"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"


@pytest.fixture
def digits(ada, roof):
    """The address of a file of ten digits."""
    attach(ada, roof, file(b"0123456789"))
    return path_of(attached(ada, roof)[0])


@pytest.mark.parametrize(
    ("wanted", "body", "range_"),
    [
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=-3", b"789", "bytes 7-9/10"),
        ("bytes=-99", b"0123456789", "bytes 0-9/10"),
        ("bytes=8-99", b"89", "bytes 8-9/10"),
    ],
)
def test_a_part_of_a_file_can_be_fetched(ada, digits, wanted, body, range_):
    answer = ada.get(digits, Range=wanted)
    assert (answer.status, answer.body) == (206, body)
    assert (answer.headers["content-range"], answer.headers["content-length"]) == (range_, str(len(body)))


@pytest.mark.parametrize("wanted", ["bytes=10-", "bytes=5-2", "bytes=-0", "bytes=-", "bytes=a", "bytes=1-2x"])
def test_a_part_that_is_not_there_is_refused(ada, digits, wanted):
    answer = ada.get(digits, Range=wanted)
    assert (answer.status, answer.headers["content-range"]) == (416, "bytes */10")
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize("wanted", ["lines=1-2", "bytes=0-1,4-5", "bytes=" + "9" * 5000 + ",1-2"])
def test_what_is_not_one_part_is_the_whole_file(ada, digits, wanted):
    answer = ada.get(digits, Range=wanted)
    assert (answer.status, answer.body) == (200, b"0123456789")


def test_a_part_is_given_only_of_the_file_that_the_caller_has_begun(ada, digits):
    whole = ada.get(digits)
    for mark in (whole.headers["etag"], whole.headers["last-modified"]):
        assert ada.get(digits, Range="bytes=1-2", If_Range=mark).body == b"12"
    assert ada.get(digits, Range="bytes=1-2", If_Range='"other"').body == b"0123456789"


def test_a_file_says_what_it_is_without_being_sent(ada, digits):
    whole, head = ada.get(digits), ada.send("HEAD", digits, Range="bytes=1-2")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "10")
    assert head.headers["accept-ranges"] == "bytes"
    assert head.headers["etag"] == whole.headers["etag"]
    again = ada.get(digits, If_None_Match=whole.headers["etag"])
    assert (again.status, again.body) == (304, b"")


def test_an_empty_file_is_sent_as_one(ada, roof):
    attach(ada, roof, file(b""))
    answer = ada.get(path_of(attached(ada, roof)[0]))
    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "0")


def test_a_file_whose_bytes_are_lost_is_missing(world, ada, roof):
    attach(ada, roof, file())
    world.house.blobs.remove(keys(world))
    assert ada.get(path_of(attached(ada, roof)[0])).status == 404


def test_a_sweep_leaves_every_attached_file_alone(world, ada, roof):
    attach(ada, roof, file())
    sweep(world.database, world.house.blobs, timedelta(0))
    assert ada.get(path_of(attached(ada, roof)[0])).body == b"hello"


@pytest.mark.xdist_group("s3")
def test_files_live_in_a_bucket_as_well(bucket, sqlite_house):
    house, log = sqlite_house
    settings = replace(house.settings, blobs=bucket)
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


def test_a_bucket_that_is_away_is_said_and_leaves_no_ticket(world, monkeypatch, ada, roof):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    settings = replace(world.house.settings, blobs="s3://nowhere")
    with app.build(settings, Log(stream=world.log)) as remote:
        ada.application = remote.application
        body = form(field("ticket[title]", "Away"), file())
        answer = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND)
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")
        assert (ada.get(f"/projects/{roof}/tickets").items, list(remote.blobs.spools.glob("upload-*"))) == (
            [],
            [],
        )
