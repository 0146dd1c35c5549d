"""The pages of one ticket, without scripts."""

import re
from urllib.parse import quote

import pytest

from skerry.web.site.pages import conversation as pages
from tests.site.test_replies import reply, watch

# --- Reading ---------------------------------------------------------------------------------------


def test_a_ticket_is_shown_with_its_text_its_fields_and_its_people(surfing, ada, ticket):
    page = surfing(ada).get(ticket)
    assert page.status == 200
    assert "<em>stairs</em>" in page.source
    for said in ("#1", "Leak", "new", "opened this", "Ada", "wet", "nobody"):
        assert said in page.text


def test_changes_are_shown_in_words_with_names(surfing, ada, ben, roof, ticket):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Autumn"}}).item["id"]
    fields = {"state": "resolved", "assigned_user_id": ben.user_id, "milestone_id": milestone, "tag": "dry"}
    ada.put(ticket, {"ticket": {**fields, "title": "No leak", "importance": 0}})
    ben.put(ticket, {"ticket": {"assigned_user_id": None}})
    text = " ".join(surfing(ada).get(ticket).text.split())
    for said in (
        "State new → resolved",
        "Assignee nobody → Ben",
        "Assignee Ben → nobody",
        "Milestone none → Autumn",
        "Tags +dry −wet",
        "Title Leak → No leak",
        "Priority Medium → none",
    ):
        assert said in text


def test_text_of_strangers_is_escaped(surfing, ada, tickets):
    ada.post(tickets, {"ticket": {"title": "<b>x</b>", "body": "<script>alert(1)</script>", "tag": "'<i>'"}})
    page = surfing(ada).get(f"{tickets}/1")
    assert "<b>x" not in page.source
    assert "<script>alert" not in page.source
    assert "<i>" not in page.source


def test_a_ticket_that_is_missing_or_hidden_is_not_found(surfing, ada, cy, ticket, tickets):
    assert surfing(ada).get(f"{tickets}/77").status == 404
    assert surfing(cy).get(ticket).status == 404


# --- Long conversations ----------------------------------------------------------------------------


@pytest.fixture
def long(ada, ticket, monkeypatch):
    """The address of a ticket with eight comments, of which a page shows two."""
    monkeypatch.setattr(pages, "_ALL_SHOWN", 7)
    monkeypatch.setattr(pages, "_SHOWN", 2)
    for number in range(2, 10):
        ada.put(ticket, {"ticket": {"body": f"Comment {number}"}})
    return ticket


def numbers(page):
    """Return the versions that a page shows."""
    return [int(number) for number in re.findall(r'<article class="turn[^>]* id="v([0-9]+)"', page.source)]


@pytest.mark.parametrize(("language", "said"), [("en", "6 more"), ("de", "6 weitere")])
def test_a_long_conversation_shows_its_opening_and_its_newest_changes(surfing, ada, long, language, said):
    web = surfing(ada)
    web.cookies["skerry-language"] = language
    page = web.get(f"{long}?in=leak")
    assert (numbers(page), f"{long}?in=leak&at=7" in page.links) == ([1, 8, 9], True)
    assert said in page.text
    assert 'id="newest"' in page.source


def test_the_pages_of_a_long_conversation_follow_each_other(surfing, ada, long):
    web, shown = surfing(ada), {}
    for at in (7, 5, 3):
        page = web.get(f"{long}?at={at}")
        shown[at] = numbers(page), sorted(link for link in page.links if "?at=" in link)
        assert 'id="newest"' not in page.source
    assert shown[7] == ([1, 6, 7], [f"{long}?at=5"])
    assert shown[5] == ([1, 4, 5], [f"{long}?at=3", f"{long}?at=7"])
    assert shown[3] == ([1, 2, 3], [f"{long}?at=5"])
    assert long in web.get(f"{long}?at=7").links


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        ("0", [1, 2, 3]),
        ("1", [1, 2, 3]),
        ("4", [1, 3, 4]),
        ("9" * 18, [1, 8, 9]),
        ("9" * 19, [1, 8, 9]),
        ("²", [1, 8, 9]),
        ("-3", [1, 8, 9]),
    ],
)
def test_a_page_of_a_long_conversation_that_is_not_there_is_the_nearest(surfing, ada, long, at, shown):
    assert numbers(surfing(ada).get(f"{long}?at={quote(at)}")) == shown


def test_a_reply_on_an_earlier_page_leads_to_the_newest_one(surfing, ada, ben, long):
    web = surfing(ada)
    page = web.get(f"{long}?at=5")
    ben.put(long, {"ticket": {"body": "Meanwhile"}})
    refused = reply(web, long, page, body="Mine")
    assert (refused.status, numbers(refused)) == (412, [1, 9, 10])
    assert "Ben changed this while you were writing." in refused.text
    sent = reply(web, long, refused, body="Mine")
    assert (sent.status, numbers(sent)) == (200, [1, 10, 11])


# --- Watching and assigning ------------------------------------------------------------------------


def test_a_button_begins_and_ends_watching(surfing, ada, ben, ticket):
    web = surfing(ben)
    page = watch(web, ticket)
    assert "Watching" in page.text
    assert ada.get(ticket).item["watchers_ids"] == sorted([ada.user_id, ben.user_id])
    watch(web, ticket)
    assert ada.get(ticket).item["watchers_ids"] == [ada.user_id]


def faces(page):
    """Return the names of the watchers in a page."""
    return re.findall('title="([^"]*)"', page.source.partition('class="faces">')[2].partition("</p>")[0])


def test_watchers_stand_in_the_order_of_their_names_as_people_do_everywhere(surfing, ada, ben, ticket):
    ada.put("/profile", {"user": {"name": "zoe"}})
    ben.put("/profile", {"user": {"name": "Zacharias"}})
    ada.put(ticket, {"ticket": {"multiple_watchers": [ada.user_id, ben.user_id]}})
    assert faces(surfing(ada).get(ticket)) == ["Zacharias", "zoe"]
    ada.put("/profile", {"user": {"name": "anna"}})
    assert faces(surfing(ada).get(ticket)) == ["anna", "Zacharias"]


def test_concurrent_watchers_are_both_kept(surfing, ada, ben, ticket):
    slow = surfing(ben)
    page = slow.get(ticket)
    ada.put(ticket, {"ticket": {"multiple_watchers": ""}})
    ada.put(ticket, {"ticket": {"watching": True}})
    slow.press(page, "watching")
    assert ada.get(ticket).item["watchers_ids"] == sorted([ada.user_id, ben.user_id])


def test_a_button_assigns_the_ticket_to_the_person_who_presses_it(surfing, ada, ben, ticket):
    web = surfing(ben)
    page = web.press(web.get(ticket), "Assign to me")
    assert "Assign to me" not in page.text
    assert ada.get(ticket).item["assigned_user_id"] == ben.user_id


# --- Who may do what -------------------------------------------------------------------------------


def test_a_stranger_in_a_public_project_comments_and_sets_nothing(surfing, ada, cy, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Fog"}})
    web = surfing(cy)
    page = web.get(f"/projects/{harbour}/tickets/1")
    assert "ticket[state]" not in page.source
    page = reply(web, "", page, body="I see it too")
    assert "I see it too" in page.text
    assert "/versions/2/edit" in page.source
    assert "/versions/1/edit" not in page.source


def test_nobody_is_asked_to_sign_in_to_reply(surfing, ada, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Fog"}})
    page = surfing().get(f"/projects/{harbour}/tickets/1")
    assert page.status == 200
    assert "Sign in to reply" in page.text
    assert "_seen" not in page.source


def test_an_archived_project_offers_no_forms(surfing, ada, roof, ticket):
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    page = surfing(ada).get(ticket)
    assert page.status == 200
    assert "archived and read-only" in page.text
    assert "/edit" not in page.source
    assert "_seen" not in page.source


# --- Texts rewritten and removed -------------------------------------------------------------------


def test_a_comment_is_rewritten_in_place(surfing, ada, ben, ticket):
    ben.put(ticket, {"ticket": {"body": "Typpo"}})
    web = surfing(ben)
    page = web.get(f"{ticket}/versions/2/edit")
    answer = web.submit(page, f"{ticket}/versions/2", follow=False, **{"version[body]": "Typo"})
    assert (answer.status, answer.headers["location"]) == (303, f"{ticket}#v2")
    assert ada.get(f"{ticket}/versions/2").item["body"] == "Typo"


def test_a_comment_that_was_rewritten_meanwhile_is_not_overwritten(surfing, ada, ben, ticket):
    web = surfing(ada)
    page = web.get(f"{ticket}/versions/1/edit")
    ben.put(f"{ticket}/versions/1", {"version": {"body": "Ben was here"}})
    page = web.submit(page, f"{ticket}/versions/1", **{"version[body]": "Ada was here"})
    assert page.status == 412
    assert "Ben was here" in page.text
    assert ("version[body]", "Ada was here") in page.form(f"{ticket}/versions/1").fields
    page = web.submit(page, f"{ticket}/versions/1")
    assert "Ada was here" in page.text


def test_a_stranger_cannot_rewrite_the_texts_of_others(surfing, ada, cy, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Fog"}})
    assert surfing(cy).get(f"/projects/{harbour}/tickets/1/versions/1/edit").status == 403


def test_a_comment_is_deleted_after_a_question(surfing, ada, ticket):
    ada.put(ticket, {"ticket": {"body": "Nonsense"}})
    web = surfing(ada)
    page = web.submit(web.get(f"{ticket}/versions/2/delete"), f"{ticket}/versions/2")
    assert (page.status, page.path) == (200, ticket)
    assert "Nonsense" not in page.text
    assert "Comment deleted by Ada" in page.text
    assert f"{ticket}/versions/2/delete" not in page.source


def test_a_ticket_is_deleted_after_a_question(surfing, ada, ticket, tickets):
    web = surfing(ada)
    answer = web.submit(web.get(f"{ticket}/delete"), ticket, follow=False)
    assert (answer.status, answer.headers["location"]) == (303, tickets)
    assert ada.get(ticket).status == 404
