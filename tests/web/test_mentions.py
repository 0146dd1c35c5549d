"""Mentions in the texts of tickets: links and watchers."""

import pytest

from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.web.test_events import happened, last


def link(client, name):
    return f'<a href="/users/{client.user_id}" rel="nofollow noopener">@{name}</a>'


def opened(client, tickets, body):
    return client.post(tickets, {"ticket": {"title": "Leak", "body": body}}).item


def told(world, before):
    """Return what events after a number say of mentions."""
    return [event["changes"].get("mentions") for event in happened(world, before)]


def test_people_mentioned_in_a_new_ticket_are_linked_and_watch_it(world, ada, ben, tickets):
    before = last(world)
    made = opened(ada, tickets, "Look, @ben")
    assert made["body_html"] == f"<div><p>Look, {link(ben, 'ben')}</p></div>"
    assert made["watchers_ids"] == sorted([ada.user_id, ben.user_id])
    assert told(world, before) == [[None, str(ben.user_id)]]


@pytest.mark.matrix("both")
def test_people_mentioned_in_a_comment_watch(ada, ben, tickets):
    opened(ada, tickets, "It drips")
    assert ada.put(f"{tickets}/1", {"ticket": {"body": "`@ben`"}}).item["watchers_ids"] == [ada.user_id]
    after = ada.put(f"{tickets}/1", {"ticket": {"body": "@Ben", "multiple_watchers": str(ada.user_id)}}).item
    assert after["watchers_ids"] == sorted([ada.user_id, ben.user_id])


@pytest.mark.matrix("both")
def test_people_mentioned_in_a_quotation_do_not_watch_and_are_not_notified(world, ada, ben, tickets):
    before = last(world)
    made = opened(ada, tickets, "> @ben could you look?\n@ben\n\nI did it myself.")
    assert link(ben, "ben") in made["body_html"]
    assert made["watchers_ids"] == [ada.user_id]
    assert told(world, before) == [None]


@pytest.mark.matrix("both")
def test_an_edited_text_names_only_those_whom_it_did_not_name_before(world, ada, ben, tickets):
    opened(ada, tickets, "@ada saw it")
    before = last(world)
    for body in ("@ada saw it, @ben", "@ben and @ada saw it"):
        assert ada.put(f"{tickets}/1/versions/1", {"version": {"body": body}}).status == 200
    assert told(world, before) == [[None, str(ben.user_id)], None]
    assert ada.get(f"{tickets}/1").item["watchers_ids"] == sorted([ada.user_id, ben.user_id])
    assert [item["number"] for item in ben.get(f"{tickets}?q=watched:me").items] == [1]


def test_a_commit_names_people_too(ada, ben, roof, tickets):
    opened(ada, tickets, "It drips")
    commit = {"revision": "f00d1", "body": "Seal it, as @ben said [#1]"}
    assert ada.post(f"/projects/{roof}/changesets", {"changeset": commit}).status == 201
    ticket = ada.get(f"{tickets}/1").item
    assert ben.user_id in ticket["watchers_ids"]
    assert link(ben, "ben") in ticket["versions"][-1]["body_html"]


def test_naming_somebody_who_does_not_see_the_ticket_looks_like_naming_nobody(world, ada, cy, tickets):
    before = last(world)
    made = [opened(ada, tickets, f"Look, @{name}") for name in ("cy", "xy")]
    assert [each["body_html"] for each in made] == [
        "<div><p>Look, @cy</p></div>",
        "<div><p>Look, @xy</p></div>",
    ]
    assert made[0]["watchers_ids"] == made[1]["watchers_ids"] == [ada.user_id]
    assert told(world, before) == [None, None]
    forged = opened(ada, tickets, f"[@cy](/users/{cy.user_id})")
    assert forged["watchers_ids"] == [ada.user_id]


def test_people_from_outside_name_members_of_a_public_project_only(world, ben, cy, harbour):
    world.person("eve", "member")
    tickets = f"/projects/{harbour}/tickets"
    made = opened(cy, tickets, "@ben @eve")
    assert made["body_html"] == f"<div><p>{link(ben, 'ben')} @eve</p></div>"
    assert made["watchers_ids"] == sorted([ben.user_id, cy.user_id])
    named = opened(ben, tickets, "@ben @eve")
    assert link(world.people["eve"], "eve") in named["body_html"]


@pytest.mark.matrix("both")
def test_guests_who_take_part_in_a_public_project_are_completed_and_named(world, ada, cy, harbour):
    tickets = f"/projects/{harbour}/tickets"
    suggest = f"/projects/{harbour}/mentions/suggest?q=c"
    assert ada.get(suggest).items == []
    assert "@cy" in opened(ada, tickets, "@cy")["body_html"]
    opened(cy, tickets, "It drips")
    assert [item["text"] for item in ada.get(suggest).items] == ["@Cy"]
    before = last(world)
    made = opened(ada, tickets, "Look, @cy")
    assert link(cy, "cy") in made["body_html"]
    assert made["watchers_ids"] == sorted([ada.user_id, cy.user_id])
    assert told(world, before) == [[None, str(cy.user_id)]]


def test_guests_of_one_project_are_not_named_in_another(ada, cy, roof, harbour):
    opened(cy, f"/projects/{harbour}/tickets", "It drips")
    assert ada.get(f"/projects/{roof}/mentions/suggest?q=c").items == []
    assert ada.put(f"/projects/{harbour}", {"project": {"public": False}}).status == 200
    assert ada.get(f"/projects/{harbour}/mentions/suggest?q=c").items == []


def test_a_task_is_ticked_in_a_text_that_names_somebody(ada, ben, tickets):
    opened(ada, tickets, "- [ ] @ben\n- [ ] tiles")
    after = ada.put(f"{tickets}/1/versions/1", {"version": {"tick": 1}}).item
    assert (after["body"], link(ben, "ben") in after["body_html"]) == ("- [x] @ben\n- [ ] tiles", True)


def test_messages_and_previews_link_people_too(ada, ben, roof):
    message = ada.post(f"/projects/{roof}/messages", {"message": {"title": "Hi", "body": "@ben"}}).item
    preview = ada.post(f"/projects/{roof}/preview", {"preview": {"body": "@ben"}}).item
    assert message["body_html"] == preview["body_html"] == f"<div><p>{link(ben, 'ben')}</p></div>"


@pytest.mark.matrix("both")
def test_mentions_are_completed_with_those_who_may_see_the_ticket(world, ada, ben, cy, roof, harbour):
    world.person("eve", "member")
    for project, client, typed, texts in (
        (roof, ada, "", ["@Ada", "@Ben"]),
        (roof, ben, "b", ["@Ben"]),
        (roof, ada, "c", []),
        (harbour, ada, "", ["@Ada", "@Ben", "@Eve"]),
        (harbour, cy, "", ["@Ada", "@Ben"]),
    ):
        found = client.get(f"/projects/{project}/mentions/suggest?q={typed}").items
        assert [item["text"] for item in found] == texts
        assert {(item["start"], item["end"]) for item in found} <= {(0, len(typed))}
    assert cy.get(f"/projects/{roof}/mentions/suggest").status == 404
    assert world.people["nobody"].get(f"/projects/{harbour}/mentions/suggest").status == 401


def test_mentions_are_no_links_for_readers_who_see_nobody(world, ada, ben, cy, harbour):
    opened(ada, f"/projects/{harbour}/tickets", "Look, @ben")
    for client, leads in ((ada, True), (cy, False)):
        web = WebClient(world.instance.application, world.host)
        web.sign_in(client.email, PASSWORD)
        page = web.get(f"/projects/{harbour}/tickets/1")
        assert "Look, @ben" in page.text
        assert (f'href="/users/{ben.user_id}" rel' in page.source) is leads
