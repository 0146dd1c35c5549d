"""Watchers of tickets over HTTP."""

import pytest

from tests.web.test_administration import login
from tests.web.test_bulk_edit import edit, ticket, undo
from tests.web.test_commits import push

TICKET = {"ticket": {"title": "Leak"}}


def watchers(client, ticket):
    return client.get(ticket).item["watchers_ids"]


def of_versions(ticket):
    return [version["watchers_ids"] for version in ticket["versions"]]


def test_the_creator_and_the_assignee_watch_from_the_start(ada, ben, tickets):
    sent = {"ticket": {"title": "T", "assigned_user_id": ben.user_id}}
    assert ada.post(tickets, sent).item["watchers_ids"] == sorted([ada.user_id, ben.user_id])


def test_everyone_who_comments_watches(ada, ben, tickets):
    ada.post(tickets, TICKET)
    ben.put(f"{tickets}/1", {"ticket": {"state": "open"}})
    assert watchers(ada, f"{tickets}/1") == [ada.user_id]
    ben.put(f"{tickets}/1", {"ticket": {"body": "I see"}})
    assert watchers(ada, f"{tickets}/1") == sorted([ada.user_id, ben.user_id])


def test_commenting_through_versions_subscribes_too(ada, ben, tickets):
    ada.post(tickets, TICKET)
    ben.post(f"{tickets}/1/versions", {"version": {"body": "I see"}})
    assert watchers(ada, f"{tickets}/1") == sorted([ada.user_id, ben.user_id])


def test_a_new_assignee_watches(ada, ben, tickets):
    ada.post(tickets, TICKET)
    answer = ada.put(f"{tickets}/1", {"ticket": {"assigned_user_id": ben.user_id}})
    assert answer.item["watchers_ids"] == sorted([ada.user_id, ben.user_id])


@pytest.mark.matrix("both")
def test_watching_refers_to_the_caller(ada, ben, tickets):
    ada.post(tickets, TICKET)
    assert ben.put(f"{tickets}/1", {"ticket": {"watching": True}}).status == 200
    assert watchers(ada, f"{tickets}/1") == sorted([ada.user_id, ben.user_id])
    ada.put(f"{tickets}/1?watching=false")
    assert watchers(ada, f"{tickets}/1") == [ben.user_id]
    answer = ada.put(f"{tickets}/1", {"ticket": {"watching": "perhaps"}})
    assert (answer.status, answer.errors) == (422, ["Watching must be true or false"])


@pytest.mark.matrix("both")
def test_multiple_watchers_makes_the_set_equal(ada, ben, tickets):
    ada.post(tickets, TICKET)
    answer = ada.put(f"{tickets}/1", {"ticket": {"multiple_watchers": f"{ben.user_id}"}})
    assert answer.item["watchers_ids"] == [ben.user_id]
    both = f" {ben.user_id} ,{ada.user_id},{ben.user_id}"
    answer = ada.put(f"{tickets}/1", {"ticket": {"multiple_watchers": both}})
    assert answer.item["watchers_ids"] == sorted([ada.user_id, ben.user_id])
    assert ada.put(f"{tickets}/1", {"ticket": {"multiple_watchers": ""}}).item["watchers_ids"] == []


def test_multiple_watchers_makes_the_set_equal_even_of_who_comments(ada, ben, tickets):
    ada.post(tickets, TICKET)
    sent = {"ticket": {"body": "I go", "multiple_watchers": f"{ben.user_id}"}}
    assert ada.put(f"{tickets}/1", sent).item["watchers_ids"] == [ben.user_id]


def test_multiple_watchers_may_be_set_when_a_ticket_is_made(ada, ben, tickets):
    sent = {"ticket": {"title": "T", "multiple_watchers": f"{ada.user_id},{ben.user_id}"}}
    assert ada.post(tickets, sent).item["watchers_ids"] == sorted([ada.user_id, ben.user_id])


@pytest.mark.matrix("both")
def test_multiple_watchers_may_be_a_list_or_the_text_of_one(ada, ben, tickets):
    ada.post(tickets, TICKET)
    both = sorted([ada.user_id, ben.user_id])
    for value in (both, str(both), f"[{both[0]},{both[1]}]"):
        ada.put(f"{tickets}/1", {"ticket": {"multiple_watchers": ""}})
        assert ada.put(f"{tickets}/1", {"ticket": {"multiple_watchers": value}}).item["watchers_ids"] == both


@pytest.mark.matrix("both")
def test_multiple_watchers_may_be_an_xml_array(ada, ben, tickets):
    ada.post(tickets, TICKET)
    items = f"<id>{ada.user_id}</id><id>{ben.user_id}</id>"
    sent = f'<ticket><multiple-watchers type="array">{items}</multiple-watchers></ticket>'.encode()
    answer = ada.put(f"{tickets}/1", raw=sent, kind="application/xml")
    assert answer.item["watchers_ids"] == sorted([ada.user_id, ben.user_id])


def test_multiple_watchers_may_stand_beside_the_ticket(ada, ben, tickets):
    ada.post(tickets, TICKET)
    beside = b'{"multiple_watchers": [%d], "ticket": {"state": "open"}}' % ben.user_id
    answer = ada.put(f"{tickets}/1", raw=beside, kind="application/json")
    assert (answer.item["watchers_ids"], answer.item["state"]) == ([ben.user_id], "open")


def test_multiple_watchers_may_be_a_parameter_of_the_query_or_of_a_form(ada, ben, tickets):
    ada.post(tickets, TICKET)
    answer = ada.put(f"{tickets}/1?multiple_watchers={ben.user_id}", {"ticket": {"state": "open"}})
    assert answer.item["watchers_ids"] == [ben.user_id]
    form = f"multiple_watchers={ada.user_id}&ticket[state]=new".encode()
    answer = ada.put(f"{tickets}/1", raw=form, kind="application/x-www-form-urlencoded")
    assert answer.item["watchers_ids"] == [ada.user_id]


def test_multiple_watchers_may_be_all_that_is_sent(ada, ben, tickets):
    ada.post(tickets, TICKET)
    answer = ada.put(f"{tickets}/1?multiple_watchers={ben.user_id}")
    assert (answer.status, answer.item["watchers_ids"], answer.item["version"]) == (200, [ben.user_id], 2)
    form = f"multiple_watchers={ada.user_id}".encode()
    answer = ada.put(f"{tickets}/1", raw=form, kind="application/x-www-form-urlencoded")
    assert (answer.status, answer.item["watchers_ids"]) == (200, [ada.user_id])


def test_people_who_cannot_see_the_project_cannot_watch(ada, ben, cy, tickets):
    ada.post(tickets, TICKET)
    for stranger in (cy.user_id, 999_999, 10**17):
        sent = {"ticket": {"title": "No", "multiple_watchers": f"{ben.user_id},{stranger}"}}
        answer = ada.put(f"{tickets}/1", sent)
        assert answer.status == 422
        problem = "cannot be people who cannot see this project"
        assert answer.errors == [f"Multiple watchers {problem}: {stranger}"]
    ticket = ada.get(f"{tickets}/1").item
    assert (ticket["title"], ticket["watchers_ids"]) == ("Leak", [ada.user_id])


def test_members_of_the_account_may_watch_a_public_project(world, ada, harbour):
    dan = world.person("dan", "member")
    ada.post(f"/projects/{harbour}/tickets", TICKET)
    sent = {"ticket": {"multiple_watchers": [dan.user_id]}}
    assert ada.put(f"/projects/{harbour}/tickets/1", sent).item["watchers_ids"] == [dan.user_id]


@pytest.mark.parametrize("value", ["soon", "1;2", "-1", "1.5", "1" * 30, "٣", "1, two", "--"])
def test_an_invalid_list_of_ids_is_refused(ada, tickets, value):
    ada.post(tickets, TICKET)
    answer = ada.put(f"{tickets}/1", {"ticket": {"multiple_watchers": value}})
    assert answer.status == 422
    assert answer.errors[0].startswith("Multiple watchers")
    assert watchers(ada, f"{tickets}/1") == [ada.user_id]


def test_a_stranger_who_comments_on_a_public_ticket_watches_it_and_cannot_subscribe_others(ada, cy, harbour):
    ticket = f"/projects/{harbour}/tickets/1"
    cy.post(f"/projects/{harbour}/tickets", TICKET)
    assert watchers(ada, ticket) == [cy.user_id]
    sent = {"ticket": {"body": "And", "multiple_watchers": [ada.user_id]}}
    assert cy.put(ticket, sent).status == 403
    assert watchers(ada, ticket) == [cy.user_id]


# --- What versions say of them ---------------------------------------------------------------------


@pytest.mark.matrix("both")
def test_each_version_shows_who_watched_after_it(ada, ben, tickets):
    ada.post(tickets, TICKET)
    both = sorted([ada.user_id, ben.user_id])
    spoken = ben.post(f"{tickets}/1/versions", {"version": {"body": "I see"}}).item
    for sent in ({"multiple_watchers": ""}, {"state": "open"}, {"assigned_user_id": ben.user_id}):
        ada.put(f"{tickets}/1", {"ticket": sent})
    shown = ada.get(f"{tickets}/1").item
    assert of_versions(shown) == [[ada.user_id], both, [], [], [ben.user_id]]
    assert ada.get(f"{tickets}/1/versions").items == shown["versions"]
    assert spoken == ada.get(f"{tickets}/1/versions/2").item == shown["versions"][1]


def test_the_first_version_shows_who_watched_from_the_start(ada, ben, tickets):
    ada.post(tickets, {"ticket": {"title": "T", "assigned_user_id": ben.user_id}})
    ada.post(tickets, {"ticket": {"title": "T", "multiple_watchers": ""}})
    assert of_versions(ada.get(f"{tickets}/1").item) == [sorted([ada.user_id, ben.user_id])]
    assert of_versions(ada.get(f"{tickets}/2").item) == [[]]


@pytest.mark.matrix("both")
def test_versions_of_bulk_edits_and_of_their_way_back_show_who_watched_after_them(ada, ben, damp):
    undo(ada, edit(ada, damp, "1", "responsible:ben"))
    both = sorted([ada.user_id, ben.user_id])
    assert of_versions(ticket(ada, damp)) == [[ada.user_id], both, both]


def test_each_version_that_a_commit_makes_shows_who_watched_after_it(ada, ben, damp):
    push(ada, damp, "[#1 tagged:dry] [#1 responsible:ben]")
    push(ben, damp, "Fixes #2", revision="f00d2")
    both = sorted([ada.user_id, ben.user_id])
    assert of_versions(ticket(ada, damp)) == [[ada.user_id], [ada.user_id], both]
    assert of_versions(ticket(ada, damp, 2)) == [[ada.user_id], both]


@pytest.mark.matrix("both")
def test_the_version_of_a_move_shows_who_watches_there_and_those_before_stay_as_they_were(
    ada, ben, damp, hull
):
    ben.put(f"/projects/{damp}/tickets/1", {"ticket": {"body": "I see"}})
    edit(ada, damp, "1", "project:hull")
    moved = ticket(ada, hull, 2)
    assert of_versions(moved) == [[ada.user_id], sorted([ada.user_id, ben.user_id]), [ada.user_id]]
    assert moved["watchers_ids"] == [ada.user_id]


@pytest.mark.matrix("both")
def test_people_removed_from_the_account_stay_watchers(ada, ben, leak):
    ben.put(leak, {"ticket": {"body": "I see"}})
    before = ada.get(leak).item
    admin = login(ada, ada.email)
    assert admin.delete(f"/people/{ben.user_id}").status == 200
    after = ada.get(leak).item
    assert (after["watchers_ids"], of_versions(after)) == (before["watchers_ids"], of_versions(before))
    assert after["watchers_ids"] == of_versions(after)[1] == sorted([ada.user_id, ben.user_id])
