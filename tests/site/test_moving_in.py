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
    def send(content, name="roof.csv", kind="csv", people=None, **more):
        fields = {"import[kind]": kind, **{f"import[{field}]": said for field, said in more.items()}}
        files = [file(content, name, KIND, "file")]
        files += [] if people is None else [file(people, "people.csv", KIND, "import[people]")]
        return web.submit(web.get("/imports"), "/imports", files=files, **fields)

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
    assert "left out: Colour" in page.text
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
    assert "left out: Colour" not in page.text
    assert ada.get(place).item["state"] == "checked"
    assert "Colour = tags" in ada.get(place).item["columns"]


def test_a_table_with_long_and_many_headings_can_be_checked_again(web, ada, upload, work):
    wide = ",".join(["x" * 9_000, *(f"Colour {number}" for number in range(1_500)), "Title"])
    place = upload(f"{wide}\n{',' * 1_500},It leaks\n".encode()).path
    work()
    assert "being checked" in web.submit(web.get(place), place, "put").text
    work()
    found = ada.get(place).item
    assert (found["state"], found["error"]) == ("checked", "")
    assert "Title = title" in found["columns"]


def test_headings_that_look_odd_in_a_list_of_columns_keep_their_meaning(web, ada, upload, work):
    place = upload(b'#,"Due\ndate",Title,Title,#x\n7,2026-02-03,One,Two,red\n').path
    work()
    web.submit(web.get(place), place, "put", **{"column[c4]": "tags"})
    work()
    assert ada.get(place).item["columns"] == "# = number\nDue date = due\nTitle = title\n#x = tags"
    web.submit(web.get(place), f"{place}/start")
    work()
    ticket = ada.get(f"/projects/{ada.get(place).item['project_ids'][0]}/tickets/7").item
    assert (ticket["title"], ticket["due_on"], ticket["tag"]) == ("One", "2026-02-03", "red")


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


def zipped(files):
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"redmine/{name}", content if isinstance(content, str) else json.dumps(content))
    return packed.getvalue()


def test_answers_of_redmine_come_in_one_file(web, ada, upload, work):
    place = upload(zipped({**red.ANSWERS, **red.FILES}), "redmine.zip", "redmine").path
    work()
    page = web.get(place)
    assert "the texts are in Textile" in page.text
    assert "private note, which only some people could read: #7" in page.text
    web.submit(page, f"{place}/start")
    work()
    assert {"Roof", "Wall"} <= {each["name"] for each in ada.get("/projects").items}


def test_what_redmine_does_not_say_is_said_with_the_upload_and_changed_later(web, ada, upload, work):
    issue = red.issue(3, description="*Wet*, see #2", journals=[])
    content = zipped({"issues.json": {"issues": [issue]}})
    place = upload(content, "a.zip", "redmine", markup="markdown", address="https://red.example").path
    work()
    page = web.get(place)
    assert "the address of Redmine is https://red.example" in page.text
    assert "the texts are in" not in page.text
    web.submit(page, place, "put", **{"import[markup]": "textile", "import[address]": ""})
    work()
    assert "the answers do not have the address of Redmine" in web.get(place).text
    web.submit(web.get(place), f"{place}/start")
    work()
    (project_id,) = ada.get(place).item["project_ids"]
    assert ada.get(f"/projects/{project_id}/tickets/3").item["body"] == "**Wet**, see #2"


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "cp1252"])
def test_people_come_from_a_file_as_spreadsheets_save_it(web, ada, upload, work, charset):
    table = b"title,author\nIt leaks,J\xc3\xb6rg\nPaint,Emil\n"
    place = upload(table, people="key;email\nJörg;joerg@new.example\n".encode(charset)).path
    work()
    assert ada.get(place).item["people"] == "key;email\nJörg;joerg@new.example\n"
    both = "Jörg;joerg@new.example\nEmil;emil@new.example"
    web.submit(web.get(place), place, "put", **{"import[people]": both})
    work()
    web.submit(web.get(place), f"{place}/start")
    work()
    (project_id,) = ada.get(place).item["project_ids"]
    tickets = ada.get(f"/projects/{project_id}/tickets").items
    assert {each["creator_name"] for each in tickets} == {"Jörg", "Emil"}
    assert ada.get("/people/placeholders").items == []


def test_a_list_of_people_that_cannot_be_read_is_refused_at_once(web, upload):
    page = upload(TABLE, people=b"id,email\nben,nowhere\n")
    assert "Line 2 of the list of people, column 2, must be an e-mail address" in page.text
    page = upload(TABLE, "a.zip", "redmine", markup="org")
    assert "Markup must be textile or markdown" in page.text
    page = upload(TABLE, "a.zip", "redmine", address="red.example")
    assert "Address must be" in page.text
