"""Texts of tickets that were moved, and references to tickets of other projects."""

import pytest

from skerry.tracker.texts.rerendering import rerender
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.web.test_bulk_edit import edit, ticket
from tests.web.test_events import happened

IN_ROOF = '<a href="/projects/{}/tickets/2" title="In roof: ticket #2" rel="nofollow noopener">roof#2</a>'


@pytest.fixture
def moved(ada, damp, hull):
    """A ticket with a comment, both edited once, that was moved to another project."""
    at = f"/projects/{damp}/tickets/1"
    ada.put(f"{at}/versions/1", {"version": {"body": "Like #2, `#2`"}})
    ada.put(f"{at}/versions/1", {"version": {"body": "Like #2, `#2`, #99, color: #333"}})
    ada.put(at, {"ticket": {"body": "[#2] and me, #1"}})
    edit(ada, damp, "1", "project:hull")
    return f"/projects/{hull}/tickets/2"


@pytest.mark.matrix("both")
def test_references_in_a_moved_ticket_keep_their_meaning(world, ada, damp, hull, moved):
    found = ada.get(moved).item
    assert found["body"] == "Like roof#2, `#2`, #99, color: #333"
    assert found["versions"][1]["body"].startswith("[roof#2] and me, roof#1")
    assert IN_ROOF.format(damp) in found["body_html"]
    assert f'href="/projects/{hull}/tickets/99"' in found["body_html"]
    earlier = ada.get(f"{moved}/versions/1/texts").items
    assert "Like roof#2, `#2`" in [text["body"] for text in earlier]
    assert all(version["updated_at"] == version["created_at"] for version in found["versions"][1:])
    assert "version.updated" not in [event["type"] for event in happened(world)[-3:]]
    before = found["body_html"], found["versions"][1]["body_html"]
    for _ in rerender(world.database):
        pass
    again = ada.get(moved).item
    assert (again["body_html"], again["versions"][1]["body_html"]) == before
    assert ada.get(f"/projects/{hull}/tickets?q=roof").items[0]["number"] == 2


@pytest.mark.matrix("both")
def test_references_to_hidden_projects_are_plain_text(world, ada, cy, damp, hull, moved):
    world.join(hull, cy)
    seen, hidden = ada.get(moved), cy.get(moved)
    assert hidden.item["body"] == seen.item["body"]
    assert "roof#2, <code>" in hidden.item["body_html"]
    for client, path in ((cy, moved), (cy, f"{moved}/versions"), (cy, f"/projects/{hull}/tickets")):
        assert f"/projects/{damp}/" not in client.get(path).body.decode()
    assert cy.get(moved, **{"If-None-Match": hidden.headers["etag"]}).status == 304
    assert cy.get(moved, **{"If-None-Match": seen.headers["etag"]}).status == 200
    change = {"ticket": {"importance": 3}}
    assert cy.put(moved, change, **{"If-Match": hidden.headers["etag"]}).status == 200
    for client, count in ((cy, 0), (ada, 1)):
        web = WebClient(world.instance.application, world.host)
        web.sign_in(client.email, PASSWORD)
        assert web.get(moved).source.count(f'href="/projects/{damp}/tickets/1"') == count


@pytest.mark.matrix("both")
def test_only_projects_that_its_author_sees_are_linked_in_a_text(world, ada, cy, damp, hull, harbour):
    for client, count in ((ada, 1), (cy, 0)):
        path = f"/projects/{harbour}/tickets"
        made = client.post(
            path, {"ticket": {"title": "Look", "body": f"See roof#2, 77-roof#2 or {damp}-x#2"}}
        )
        said = ada.get(f"{path}/{made.item['number']}").item["body_html"]
        assert (said.count(">roof#2</a>"), said.count(f">{damp}-x#2</a>")) == (count, count)


@pytest.mark.matrix("databases")
def test_an_edit_keeps_what_a_text_linked_before(world, ada, cy, damp, hull, moved):
    world.join(hull, cy)
    assert cy.put(f"{moved}/versions/1", {"version": {"body": "Just like roof#2"}}).status == 200
    assert IN_ROOF.format(damp) in ada.get(moved).item["body_html"]
    ada.post("/projects", {"project": {"name": "Roof"}})
    ada.put(f"{moved}/versions/1", {"version": {"body": "Quite like roof#2"}})
    assert IN_ROOF.format(damp) in ada.get(moved).item["body_html"]
    edit(ada, damp, "2", "project:hull")
    assert ticket(ada, hull, 3) is not None


def test_a_word_of_several_projects_has_the_id_before_it(ada, damp, hull):
    ada.post("/projects", {"project": {"name": "Roof"}})
    ada.put(f"/projects/{damp}/tickets/1", {"ticket": {"body": "See #2"}})
    edit(ada, damp, "1", "project:hull")
    assert ticket(ada, hull, 2)["versions"][1]["body"] == f"See {damp}-roof#2"
