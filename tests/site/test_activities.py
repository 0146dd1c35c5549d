"""The pages of recent activity."""

import pytest

from tests.support.browser_client import query_of
from tests.support.forms import KIND, field, file, form


@pytest.fixture
def busy(ada, ben, roof, tickets):
    """A project in which Ben opened three tickets and Ada changed them in bulk."""
    for number in range(3):
        ben.post(tickets, {"ticket": {"title": f"Leak {number}"}})
    edit = {"bulk_edit": {"query": "all", "command": "state:resolved"}}
    assert ada.post(f"/projects/{roof}/bulk_edit", edit).status == 200
    return f"/projects/{roof}/activity"


def test_a_bulk_edit_is_one_line(surfing, ben, roof, busy):
    web = surfing(ben)
    for address in (busy, "/activity", "/", f"/projects/{roof}"):
        page = web.get(address)
        assert page.text.count("Ada changed 3 tickets") == 1, address
        assert f"/projects/{roof}/bulk_edits/1" in page.links
        assert page.text.count("Ben opened") == 3, address
        assert '</a><span class="quiet' not in page.source, address
    assert len(ben.get(busy).items) == 6


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"state": "hold"}, "Ada closed #1 Leak as hold"),
        ({"state": "open", "tag": "dry"}, "Ada changed #1 Leak: State → open, Tags +dry −wet"),
        ({"importance": 3}, "Ada changed #1 Leak: Priority → High"),
        (
            {"title": "Drip", "due_on": "2027-01-31"},
            "Ada changed #1 Drip: Title → Drip, Due on → Jan 31, 2027",
        ),
    ],
)
def test_a_changed_ticket_says_what_became_of_it(surfing, ada, ben, ticket, fields, said):
    ada.put(ticket, {"ticket": fields})
    web, project = surfing(ben), ticket.partition("/tickets")[0]
    for address in ("/activity", f"{project}/activity", project, "/"):
        assert said in web.get(address).text, address


def test_files_without_a_text_are_told_as_files(surfing, ada, roof, tickets, ticket):
    pictures = [file(name=f"{name}.txt") for name in ("roof", "stairs")]
    for sent in (pictures[:1], pictures):
        assert ada.send("PUT", ticket, raw=form(field("ticket[body]", ""), *sent), kind=KIND).status == 200
    text = surfing(ada).get(f"/projects/{roof}/activity").text
    assert "Ada added a file to #1 Leak" in text
    assert "Ada added 2 files to #1 Leak" in text
    assert "Ada changed" not in text


def test_a_link_is_told_on_both_of_its_tickets_but_not_to_whom_the_other_is_hidden(
    surfing, ada, cy, ticket, tickets, harbour
):
    other = ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Pier"}}).item
    ada.post(tickets, {"ticket": {"title": "Drip"}})
    for kind, to in (("blocks", "2"), ("relates-to", f"harbour#{other['number']}")):
        assert ada.post(f"{ticket}/links", {"link": {"kind": kind, "ticket": to}}).status == 201
    text = surfing(ada).get("/activity").text
    for said in ("#1 Leak: Blocks +#2", "#2 Drip: Blocked by +#1", "#1 Leak: Relates to +harbour#1"):
        assert f"Ada changed {said}" in text
    assert "Ada changed #1 Pier: Relates to +roof#1" in text
    assert "Relates to" not in surfing(cy).get("/activity").text


def test_an_assignee_is_named_and_nobody_is_a_word_in_german_too(surfing, ada, ben, ticket):
    web = surfing(ben)
    web.cookies["skerry-language"] = "de"
    ada.put(ticket, {"ticket": {"assigned_user_id": ben.user_id}})
    assert "Zugewiesen an → Ben" in web.get("/activity").text
    ada.put(ticket, {"ticket": {"assigned_user_id": ""}})
    assert "Zugewiesen an → niemand" in web.get("/activity").text


def test_what_a_ticket_that_is_private_now_became_is_told_to_nobody_else(surfing, ada, cy, harbour):
    tickets = f"/projects/{harbour}/tickets"
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    ada.put(f"{tickets}/1", {"ticket": {"tag": "wet"}})
    assert "+wet" in surfing(cy).get("/activity").text
    ada.put(f"{tickets}/1", {"ticket": {"private": True}})
    assert "wet" not in surfing(cy).get("/activity").text


def test_activity_is_filtered_by_a_form(surfing, ada, ben, roof, busy):
    web = surfing(ben)
    page = web.submit(web.get(busy), busy, "get", user_id=ada.user_id)
    assert ("Ada changed 3 tickets" in page.text, "Ben opened" in page.text) == (True, False)
    assert query_of(page.path)["user_id"] == str(ada.user_id)
    page = web.submit(page, busy, "get", kind="message")
    assert "No matches." in page.text
    page = web.submit(web.get("/activity"), "/activity", "get", project_id=roof, user_id=ben.user_id)
    assert ("Ada changed" in page.text, page.text.count("Ben opened")) == (False, 3)
    assert web.get(f"{busy}?kind=cake").status == 422


def test_pages_of_filtered_activity_keep_the_filter(surfing, ben, tickets, busy):
    for number in range(30):
        ben.post(tickets, {"ticket": {"title": f"Drip {number}"}})
    page = surfing(ben).get(f"{busy}?user_id={ben.user_id}")
    assert f"?user_id={ben.user_id}&page=2" in page.links
    assert "Leak 0" in surfing(ben).get(f"{busy}?user_id={ben.user_id}&page=9").text


def test_strangers_read_the_activity_of_public_projects_without_people_to_choose(surfing, cy, harbour):
    page = surfing(cy).get("/activity")
    assert (page.status, 'name="user_id"' in page.source) == (200, False)
    assert surfing().get(f"/projects/{harbour}/activity?kind=ticket").status == 200
