"""Redirects from former addresses of moved tickets, and events in the former project."""

import pytest

from skerry.tracker.mail import reply_addresses
from tests.conftest import MAIL_HOST, PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import Mail
from tests.support.readers import read_events
from tests.web.test_bulk_edit import edit, ticket

BELOW = ("", "/versions", "/versions/1", "/mute", "/delete!", "/versions/1/edit!", "/versions/1/delete!", "!")


def place_of(answer):
    return answer.status, answer.headers.get("location"), answer.headers.get("cache-control")


@pytest.mark.matrix("both")
@pytest.mark.parametrize("below", BELOW)
def test_every_address_below_a_moved_ticket_leads_to_its_present_place(ada, damp, hull, below):
    edit(ada, damp, "1", "project:hull")
    old, new = (
        f"/projects/{project}-x/tickets/{number}-leak{below}" for project, number in ((damp, 1), (hull, 2))
    )
    new = new.replace("-x", "").replace("-leak", "")
    base = "" if below.endswith("!") else f"http://{ada.host}"
    for method in ("GET", "HEAD"):
        answer = ada.send(method, f"{old}?page=2&q=a%20b", Accept=None if base else "text/html")
        expected = f"{base}{ada.address(new)}?page=2&q=a%20b"
        assert place_of(answer) == (301, expected, "no-store")


@pytest.mark.matrix("both")
def test_writing_to_a_former_address_leads_on_with_the_same_method(ada, damp, hull):
    edit(ada, damp, "1", "project:hull")
    change, comment = {"ticket": {"state": "open"}}, {"version": {"body": "Drip"}}
    sent = [
        ("PUT", "", change),
        ("POST", "/versions", comment),
        ("PUT", "/versions/1", comment),
        ("DELETE", "/versions/1", None),
        ("PUT", "/mute", {"mute": {"muted": True}}),
        ("DELETE", "", None),
        ("PUT", "", {"ticket": {"title": " "}}),
        ("POST", "?_method=put", change),
    ]
    for method, below, data in sent:
        path, question, query = below.partition("?")
        answer = ada.send(method, f"/projects/{damp}/tickets/1{below}", data)
        there = f"http://{ada.host}{ada.address(f'/projects/{hull}/tickets/2{path}')}{question}{query}"
        assert place_of(answer) == (308, there, "no-store"), (method, below)
    assert ticket(ada, hull, 2)["state"] == "new"
    ada.put(f"/projects/{damp}", {"project": {"archived": True}})
    assert ada.put(f"/projects/{damp}/tickets/1", change).status == 308


@pytest.mark.matrix("both")
def test_only_people_who_see_both_projects_are_redirected(world, ada, ben, cy, nobody, damp, hull):
    edit(ada, damp, "1", "project:hull")
    for client, method in ((ben, "GET"), (ben, "PUT"), (ben, "DELETE")):
        moved, never = (client.send(method, f"/projects/{damp}/tickets/{number}") for number in (1, 999))
        assert (moved.status, moved.body) == (never.status, never.body)
        assert moved.headers.keys() == never.headers.keys()
    world.join(hull, ben)
    assert ben.get(f"/projects/{damp}/tickets/1").status == 301
    narrow = world.client(**{"X-ServiceToken": world.token(ben.user_id, project_id=damp)})
    assert narrow.get(f"/projects/{damp}/tickets/1").status == 404
    ada.put(f"/projects/{hull}", {"project": {"public": True}})
    assert (
        cy.get(f"/projects/{damp}/tickets/1").status,
        nobody.get(f"/projects/{damp}/tickets/1").status,
    ) == (404, 401)
    ada.put(f"/projects/{damp}", {"project": {"public": True}})
    assert nobody.get(f"/projects/{damp}/tickets/1").status == 301


@pytest.mark.matrix("both")
def test_a_token_without_the_scope_of_tickets_is_not_told_the_place(world, ada, damp, hull):
    edit(ada, damp, "1", "project:hull")
    for scope, status in (("tickets:read", 301), ("hooks:write", 403)):
        key = world.client(**{"X-ServiceToken": world.token(ada.user_id, scopes=scope)})
        answer = key.get(f"/projects/{damp}/tickets/1")
        assert (answer.status, "location" in answer.headers) == (status, status == 301), scope


@pytest.mark.matrix("databases")
def test_every_former_address_leads_to_the_last_place_until_the_ticket_is_deleted(ada, damp, hull, harbour):
    edit(ada, damp, "1", "project:hull")
    edit(ada, hull, "2", f"project:{harbour}")
    edit(ada, harbour, "1", f"project:{damp}")
    former = [(damp, 1), (hull, 2), (harbour, 1)]
    for project, number in former:
        answer = ada.get(f"/projects/{project}/tickets/{number}")
        assert answer.headers["location"].endswith(f"/projects/{damp}/tickets/5.json")
    ada.delete(f"/projects/{damp}/tickets/5")
    assert [ada.get(f"/projects/{project}/tickets/{number}").status for project, number in former] == [
        404
    ] * 3


@pytest.mark.matrix("databases")
def test_deleting_a_project_deletes_the_tickets_moved_into_it(ada, damp, hull):
    edit(ada, damp, "1", "project:hull")
    assert ada.delete(f"/projects/{hull}").status == 200
    assert ada.get(f"/projects/{damp}/tickets/1").status == 404
    made = ada.post(f"/projects/{damp}/tickets", {"ticket": {"title": "Next"}}).item
    assert made["number"] == 5


def test_a_form_on_a_page_from_before_the_move_is_redirected(world, ada, damp, hull):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    page = web.get(f"/projects/{damp}/tickets/1")
    edit(ada, damp, "1", "project:hull")
    old = f"/projects/{damp}/tickets/1"
    answer = web.submit(page, old, "put", follow=False, **{"ticket[body]": "Typed before"})
    assert answer.status == 308
    assert answer.headers["location"].startswith(f"/projects/{hull}/tickets/2?beside=")


@pytest.mark.matrix("both")
def test_both_projects_hear_of_a_move_and_strangers_to_the_other_not_where(world, ada, ben, cy, damp, hull):
    world.join(hull, cy)
    edit(ada, damp, "1", "project:hull")
    moved = [event for event in ada.get("/events?limit=100").items if event["type"] == "ticket.moved"]
    assert [(event["project_id"], event["subject_id"]) for event in moved] == [(damp, 1), (hull, 2)]
    assert all(event["changes"]["project_id"] == [damp, hull] for event in moved)
    assert all(event["changes"]["number"] == [1, 2] for event in moved)
    for client, project, number in ((ben, damp, 1), (cy, hull, 2)):
        (event,) = [each for each in client.get("/events?limit=100").items if each["type"] == "ticket.moved"]
        assert (event["project_id"], event["subject_id"], event["version"]) == (project, number, 2)
        assert "project_id" not in event["changes"]
        assert "number" not in event["changes"]
        below = client.get(f"/projects/{project}/events?limit=100").items
        assert "ticket.moved" in [each["type"] for each in below]


@pytest.fixture
def hear(world):
    def read():
        read_events(world)

    return read


@pytest.mark.matrix("both")
def test_a_comment_right_before_a_move_still_notifies_everybody(world, ada, ben, damp, hull, hear):
    hear()
    world.join(hull, ben)
    ada.put(f"/projects/{damp}/tickets/1", {"ticket": {"body": "@Ben could you look?"}})
    edit(ada, damp, "1", "project:hull")
    edit(ada, hull, "2", f"project:{damp}")
    hear()
    (told,) = ben.get("/notifications").items
    assert (told["reason"], told["ticket"]["project_id"], told["ticket"]["number"]) == ("mention", damp, 5)


@pytest.mark.matrix("both")
def test_an_answer_to_an_old_mail_reaches_the_moved_ticket_with_the_rights_of_now(
    world, ada, ben, damp, hull
):
    with world.write() as transaction:
        to = reply_addresses.reply_address(transaction, damp, 1, ben.user_id, MAIL_HOST)

    def answered(number):
        text = (
            f"From: {ben.email}\nTo: {to}\nSubject: Re: Leak\nMessage-ID: <a{number}@x.example>\n\nI did it\n"
        )
        return ada.post("/mail", Mail(text.encode())).item

    edit(ada, damp, "1", "project:hull")
    assert (answered(1)["result"], ticket(ada, hull, 2)["version"]) == ("refused", 2)
    world.join(hull, ben)
    found = answered(2)
    assert (found["result"], found["project_id"], found["number"]) == ("comment", hull, 2)
    assert ticket(ada, hull, 2)["versions"][-1]["body"] == "I did it"


@pytest.mark.matrix("both")
def test_a_commit_with_an_old_number_reaches_the_ticket_if_its_author_works_there(ada, ben, damp, hull):
    edit(ada, damp, "1", "project:hull")
    changesets = f"/projects/{damp}/changesets"
    for client, revision in ((ben, "a1"), (ada, "b2")):
        body = "[#1 state:hold] fixes #2, see #3"
        assert client.post(changesets, {"changeset": {"revision": revision, "body": body}}).status == 201
    found = ticket(ada, hull, 2)
    assert (found["state"], found["version"]) == ("hold", 3)
    assert found["versions"][2]["body"] == "(from [b2]) [roof#1 state:hold] fixes roof#2, see roof#3"
    assert ticket(ada, damp, 2)["state"] == "resolved"
    named = ada.get(f"{changesets}/b2/tickets").items
    places = sorted((each["project_id"], each["number"]) for each in named)
    assert places == [(damp, 2), (damp, 3), (hull, 2)]


@pytest.mark.matrix("both")
def test_a_commit_acts_on_tickets_of_other_projects_if_its_author_works_there(ada, ben, damp, hull):
    changesets = f"/projects/{damp}/changesets"
    for client, revision in ((ben, "a1"), (ada, "b2")):
        body = "[hull#1 #2 state:hold] fixes HULL#1, roof#2 and #3"
        assert client.post(changesets, {"changeset": {"revision": revision, "body": body}}).status == 201
    found = ticket(ada, hull, 1)
    assert [each["state"] for each in found["versions"]] == ["new", "hold", "resolved"]
    assert (
        found["versions"][1]["body"]
        == "(from [b2]) [hull#1 roof#2 state:hold] fixes HULL#1, roof#2 and roof#3"
    )
    assert [ticket(ada, damp, number)["version"] for number in (2, 3)] == [5, 3]
    named = ada.get(f"{changesets}/b2/tickets").items
    assert {(each["project_id"], each["number"]) for each in named} == {(damp, 2), (damp, 3), (hull, 1)}
