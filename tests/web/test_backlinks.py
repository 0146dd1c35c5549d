"""Tickets that are named in texts of others."""

import pytest

from skerry.store import backlinks as store
from skerry.tracker import backlinks
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.readers import read_events
from tests.web.test_bulk_edit import edit

pytestmark = pytest.mark.matrix("databases")


@pytest.fixture
def naming(world):
    """Return the titles of the tickets that a page says name a ticket, after all events were read."""

    def titles(somebody, path):
        read_events(world)
        web = WebClient(world.instance.application, world.host)
        web.sign_in(somebody.email, PASSWORD)
        page = web.get(path)
        assert page.status == 200
        _, _, rest = page.source.partition("<dt>Mentioned in</dt>")
        card = rest.partition("</dd>")[0]
        return [title for title in ("Leak", "Wall", "Door", "Hull") if f"<bdi>{title}</bdi>" in card]

    return titles


def add(somebody, project_id, title, body=""):
    made = somebody.post(f"/projects/{project_id}/tickets", {"ticket": {"title": title, "body": body}})
    return f"/projects/{project_id}/tickets/{made.item['number']}"


def test_a_ticket_shows_which_descriptions_and_comments_name_it(ada, roof, naming):
    leak = add(ada, roof, "Leak", "Me, #1, and `#2`")
    wall, door = add(ada, roof, "Wall", "Wet by #1"), add(ada, roof, "Door")
    assert naming(ada, leak) == ["Wall"]
    ada.post(f"{door}/versions", {"version": {"body": "See #1 and #1, #99"}})
    assert naming(ada, leak) == ["Wall", "Door"]
    assert naming(ada, wall) == []


def test_what_a_text_no_longer_says_is_not_shown(ada, roof, naming):
    leak, wall = add(ada, roof, "Leak"), add(ada, roof, "Wall", "Wet by #1")
    door = add(ada, roof, "Door")
    ada.post(f"{door}/versions", {"version": {"body": "See #1"}})
    assert naming(ada, leak) == ["Wall", "Door"]
    ada.put(f"{wall}/versions/1", {"version": {"body": "Dry"}})
    ada.delete(f"{door}/versions/2")
    assert naming(ada, leak) == []
    ada.put(f"{wall}/versions/1", {"version": {"body": "Wet by #1 again"}})
    assert naming(ada, leak) == ["Wall"]
    ada.delete(wall)
    assert naming(ada, leak) == []


def test_a_ticket_that_names_another_from_a_hidden_project_is_not_shown(world, ada, ben, roof, naming):
    leak = add(ada, roof, "Leak")
    hidden = ada.post("/projects", {"project": {"name": "Hidden"}}).item["id"]
    add(ada, hidden, "Hull", f"Like {roof}-roof#1")
    assert naming(ada, leak) == ["Hull"]
    assert naming(ben, leak) == []


def test_tickets_that_move_are_still_named_and_still_name_others(ada, roof, naming):
    leak, wall = add(ada, roof, "Leak"), add(ada, roof, "Wall", "Wet by #1")
    other = ada.post("/projects", {"project": {"name": "Other"}}).item["id"]
    assert naming(ada, leak) == ["Wall"]
    edit(ada, roof, "number:1", "project:Other")
    moved = f"/projects/{other}/tickets/1"
    assert naming(ada, moved) == ["Wall"]
    edit(ada, roof, "number:2", "project:Other")
    assert naming(ada, moved) == ["Wall"]
    ada.put(f"/projects/{other}/tickets/2", {"ticket": {"body": "Dry"}})
    assert naming(ada, moved) == ["Wall"]
    assert ada.get(wall).status in (301, 308)


def test_only_the_first_of_many_are_shown_with_how_many_there_are(world, ada, roof, naming, monkeypatch):
    monkeypatch.setattr(backlinks, "SHOWN", 1)
    leak = add(ada, roof, "Leak")
    for title in ("Wall", "Door"):
        add(ada, roof, title, "Wet by #1")
    assert naming(ada, leak) == ["Door"]
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    assert "and 1 more" in web.get(leak).text


def test_a_text_names_so_many_tickets_and_no_more(world, ada, roof, monkeypatch, naming):
    monkeypatch.setattr(backlinks, "MAX_NAMED", 2)
    paths = [add(ada, roof, title) for title in ("Leak", "Wall", "Door")]
    add(ada, roof, "Hull", "#1 #2 #3")
    assert [naming(ada, path) for path in paths] == [["Hull"], ["Hull"], []]
    assert store.LINKED in paths[0]
