"""Refused files: too many, too large, incomplete or not allowed."""

import io
from dataclasses import replace

import pytest

from skerry import app
from skerry.web.log import Log
from tests.support.client import NeverRead, call
from tests.support.forms import KIND, field, file, form
from tests.web.test_attachments import attach, attached, keys

pytestmark = pytest.mark.matrix("formats")


@pytest.fixture
def limited(world):
    """The world, with files of at most 1,000 bytes and texts of at most 2,000."""
    settings = replace(world.instance.settings, upload_limit=1000, body_limit=2000)
    instance = app.build(settings, Log(stream=world.log))
    for client in world.people.values():
        client.application = instance.application
    yield world
    instance.database.close()


def test_files_need_another_field(world, ada, roof):
    attach(ada, roof)
    answer = ada.send("PUT", f"/projects/{roof}/tickets/1", raw=form(file()), kind=KIND)
    assert (answer.status, answer.errors) == (422, ["At least one other field must come with a file"])
    answer = ada.send("POST", f"/projects/{roof}/tickets", raw=form(file()), kind=KIND)
    assert (answer.status, answer.errors) == (422, ["Title can't be blank"])
    assert (attached(ada, roof), keys(world)) == ([], set())


def test_a_long_name_keeps_its_extension(ada, roof):
    for number, name in enumerate(("a" * 300 + ".txt", "\u044f" * 200 + ".pdf", "b" * 256), 1):
        body = form(field("ticket[title]", "Long"), file(name=name))
        made = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND).item
        [kept] = ada.get(f"/projects/{roof}/tickets/{made['number']}").item["attachments"]
        assert len(kept["filename"].encode()) == 180, number
        assert kept["filename"][-4:] == name[-4:]


def test_a_file_whose_name_is_invisible_gets_one_that_can_be_clicked(ada, roof):
    names = {"\ufe0f": "_\ufe0f", "\u0301\u200d": "_\u0301\u200d", "\u0301.txt": "\u0301.txt"}
    body = form(field("ticket[title]", "Marks"), *[file(name=name) for name in names])
    made = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND).item
    kept = ada.get(f"/projects/{roof}/tickets/{made['number']}").item["attachments"]
    assert [file["filename"] for file in kept] == list(names.values())


def test_a_file_over_the_limit_is_named_and_nothing_is_kept(limited, ada, roof):
    body = form(field("ticket[title]", "Big"), file(b"x" * 1000), file(b"x" * 1001, "big.bin"))
    answer = ada.send("POST", f"/projects/{roof}/tickets", raw=body, kind=KIND)
    assert (answer.status, answer.errors) == (413, ["The file big.bin is too large (at most 1 kB)"])
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
def test_a_caller_without_permission_is_refused_before_the_body_is_read(world, ada, roof, who):
    world.people["reader"] = world.client(**{"X-ServiceToken": world.token(ada.user_id, read_only=True)})
    client = world.people[who]
    headers = {"Host": client.host, **client.headers, "Content-Type": KIND, "Content-Length": "400"}
    path = f"/projects/{roof}/tickets.{client.format}"
    answer = call(client.application, "POST", path, body=NeverRead(), headers=headers)
    assert answer.status == {"cy": 404, "nobody": 401, "reader": 403}[who]
    assert keys(world) == set()


def test_a_refused_change_keeps_no_file(world, ada, cy, harbour):
    attach(ada, harbour)
    body = form(field("ticket[state]", "resolved"), file())
    assert cy.send("PUT", f"/projects/{harbour}/tickets/1", raw=body, kind=KIND).status == 403
    assert ada.send("PUT", f"/projects/{harbour}/tickets/9", raw=body, kind=KIND).status == 404
    stale = ada.send("PUT", f"/projects/{harbour}/tickets/1", raw=body, kind=KIND, If_Match='"old"')
    assert stale.status == 412
    assert (attached(ada, harbour), keys(world)) == ([], set())
