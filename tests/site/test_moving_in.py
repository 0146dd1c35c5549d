"""Imports on a page: upload, look at the report, import, and remove again."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from skerry.background import Background, Held
from skerry.tracker.moving_in import KINDS
from skerry.transfer.sources.registry import SOURCES
from skerry.transfer.uploaded import Sender
from tests.cli.sources import red
from tests.support.forms import file

TABLE = b"id,Summary,Status,Colour\n3,It leaks,open,red\n5,Paint,done,blue\n"
KIND = "text/csv"


def fail(error):
    raise error


@pytest.fixture
def work(world):
    """Return a function that does what waits, as a server does in the background."""
    instance = world.instance
    background = Background(instance.database, {}, lambda *_: None)

    def run():
        background.renew()
        Sender(instance.database, instance.blobs, fail).send(background.held)

    yield run
    background.stop()


@pytest.fixture
def web(surfing, ada):
    return surfing(ada)


@pytest.fixture
def upload(web):
    def send(content, name="roof.csv", kind="csv"):
        fields = {"import[kind]": kind}
        return web.submit(
            web.get("/imports"), "/imports", files=[file(content, name, KIND, "file")], **fields
        )

    return send


@pytest.fixture
def imported(web, upload, work):
    page = upload(TABLE)
    work()
    place = page.path
    web.submit(web.get(place), f"{place}/start")
    work()
    return place


def test_a_table_is_checked_before_it_is_imported(web, ada, upload, work):
    before = len(ada.get("/projects").items)
    page = upload(TABLE)
    assert "being checked" in page.text
    work()
    page = web.get(page.path)
    assert "1 column: Colour" in page.text
    assert "Nothing has been imported yet." in page.text
    assert len(ada.get("/projects").items) == before


def test_a_checked_table_is_imported_once(web, ada, imported):
    page = web.get(imported)
    (project,) = [each for each in ada.get("/projects").items if each["name"] == "roof"]
    assert f"/projects/{project['id']}" in page.links
    assert ada.get(f"/projects/{project['id']}/tickets/5").item["title"] == "Paint"


def test_columns_that_were_guessed_wrong_are_changed_on_the_page(web, ada, upload, work):
    place = upload(TABLE).path
    work()
    web.submit(web.get(place), place, "put", **{"column[c4]": "tags"})
    work()
    page = web.get(place)
    assert "Colour" not in page.text.split("Columns")[0].split("Lost")[-1]
    assert "Colour = tags" in ada.get(place).item["columns"]


def test_what_was_imported_is_removed_while_it_is_unchanged(web, ada, imported):
    page = web.submit(web.get(imported), imported, "delete")
    assert page.path == "/imports"
    assert "No imports yet." in page.text
    assert "roof" not in [each["name"] for each in ada.get("/projects").items]


def test_what_somebody_has_changed_is_not_removed(web, ada, imported):
    (project_id,) = ada.get(imported).item["project_ids"]
    assert ada.put(f"/projects/{project_id}/tickets/5", {"ticket": {"title": "Paint it"}}).status == 200
    page = web.submit(web.get(imported), imported, "delete")
    assert "roof has been changed since the import" in page.text
    assert ada.get(f"/projects/{project_id}").status == 200


def test_a_file_that_cannot_be_used_fails_with_a_sentence(web, upload, work):
    place = upload(b"no archive", "roof.tar.gz", "archive").path
    work()
    page = web.get(place)
    assert "The archive cannot be read" in page.text


def test_only_administrators_import(surfing, ben, cy):
    assert [surfing(each).get("/imports").status for each in (ben, cy)] == [403, 403]


def test_an_import_that_is_stopped_begins_again(web, ada, upload, work, world):
    place = upload(TABLE).path
    work()
    web.submit(web.get(place), f"{place}/start")
    held = Held("another")
    held.note(frozenset([world.account_id]), float("inf"))
    sender = Sender(world.instance.database, world.instance.blobs, fail)
    # Its lease is not this holder's, so what it does is not noted; the project is there once.
    sender.send(held)
    assert ada.get(place).item["state"] == "running"
    work()
    assert ada.get(place).item["state"] == "done"
    assert [each["name"] for each in ada.get("/projects").items].count("roof") == 1


def test_every_source_can_be_uploaded():
    assert set(KINDS) == {"archive", *SOURCES}


def test_answers_of_redmine_come_in_one_file(web, ada, upload, work):
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, content in {**red.ANSWERS, **red.FILES}.items():
            archive.writestr(f"redmine/{name}", content if isinstance(content, str) else json.dumps(content))
    place = upload(packed.getvalue(), "redmine.zip", "redmine").path
    work()
    page = web.get(place)
    assert "the texts are in Textile" in page.text
    assert "private note, which only some could read: #7" in page.text
    web.submit(page, f"{place}/start")
    work()
    assert {"Roof", "Wall"} <= {each["name"] for each in ada.get("/projects").items}
