"""Pages that are updated while others make changes."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import in_sight
from tests.support.processes import until


@pytest.fixture
def tickets(ada, roof):
    for number in (1, 2):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}"}})
    return f"/projects/{roof}/tickets"


def streaming(page, path):
    """Open an address in a new tab and return the tab once it follows events."""
    with page.expect_response("**/events.json*") as found:
        page.goto(path)
    assert found.value.status == 200
    return page


def test_a_new_ticket_appears_in_a_list_and_is_marked(opened, ada, ben, tickets):
    page = streaming(opened(ada, path=None), tickets)
    page.locator(".pick").last.check()
    ben.post(tickets, {"ticket": {"title": "Smoke"}})
    page.locator(".ticket.fresh", has_text="Smoke").wait_for()
    assert page.locator(".ticket.fresh").count() == 1
    assert page.locator(".pick:checked").count() == 1
    assert page.locator("#total").text_content().endswith("3 tickets")


def test_a_changed_ticket_moves_up_and_is_marked(opened, ada, ben, tickets):
    page = streaming(opened(ada, path=None), tickets)
    ben.put(f"{tickets}/1", {"ticket": {"state": "hold"}})
    page.locator(".ticket.fresh", has_text="Leak 1").get_by_text("hold").wait_for()


def test_the_focus_in_a_list_stays_when_rows_are_added(opened, ada, ben, tickets):
    page = streaming(opened(ada, path=None), tickets)
    page.get_by_role("link", name="Leak 1").focus()
    ben.post(tickets, {"ticket": {"title": "Smoke"}})
    page.locator(".ticket.fresh").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Leak 1"


def test_new_changes_are_told_where_one_looks_in_a_long_ticket(opened, ada, ben, tickets):
    ada.post(f"{tickets}/1/versions", {"version": {"body": "Wet\n\n" * 60}})
    page = streaming(opened(ada, path=None), f"{tickets}/1")
    ben.put(f"{tickets}/1", {"ticket": {"state": "hold"}})
    note = page.locator("[data-news]")
    note.wait_for()
    assert in_sight(note)
    note.get_by_role("link", name="Show").click()
    expect(page.locator("#fact-state")).to_have_text("hold")


def test_a_person_who_writes_sees_changes_at_once_and_keeps_the_draft(opened, ada, ben, tickets):
    page = streaming(opened(ada, path=None), f"{tickets}/1")
    page.get_by_role("textbox", name="Comment").fill("I looked")
    ben.put(f"{tickets}/1", {"ticket": {"body": "So did I"}})
    page.get_by_role("link", name="Show").click()
    page.locator(".turn.fresh", has_text="So did I").wait_for()
    assert page.get_by_role("textbox", name="Comment").input_value() == "I looked"
    assert page.get_by_role("link", name="Show").is_hidden()


def test_a_draft_can_be_saved_after_the_changes_were_shown(opened, ada, ben, tickets):
    page = streaming(opened(ada, path=None), f"{tickets}/1")
    page.get_by_role("textbox", name="Comment").fill("I looked")
    ben.put(f"{tickets}/1", {"ticket": {"tag": "wet", "body": "So did I"}})
    page.get_by_role("link", name="Show").click()
    page.locator(".turn.fresh").wait_for()
    with page.expect_navigation():
        page.get_by_role("button", name="Comment", exact=True).click()
    shown = ada.get(f"{tickets}/1").item
    assert (shown["tag"], shown["versions"][-1]["body"]) == ("wet", "I looked")


def test_a_form_without_input_takes_the_current_values(opened, ada, ben, tickets):
    page = streaming(opened(ada, path=None), f"{tickets}/1")
    ben.put(f"{tickets}/1", {"ticket": {"state": "hold"}})
    page.get_by_role("link", name="Show").click()
    page.locator(".turn.fresh").wait_for()
    assert page.locator("#fact-state").inner_text() == "hold"
    page.get_by_role("textbox", name="Comment").fill("I see")
    with page.expect_navigation():
        page.get_by_role("button", name="Comment", exact=True).click()
    assert ada.get(f"{tickets}/1").item["state"] == "hold"


def test_the_first_ticket_of_a_project_appears(opened, ada, ben, roof):
    page = streaming(opened(ada, path=None), f"/projects/{roof}/tickets")
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Smoke"}})
    page.locator(".ticket", has_text="Smoke").wait_for()


def test_a_change_made_while_the_page_of_its_ticket_loads_is_announced(opened, ada, ben, tickets):
    page, held = streaming(opened(ada, path=None), tickets), []
    page.evaluate("document.addEventListener('happened', () => (document.title = 'heard'))")
    read = "(url) => fetch(url, { headers: { Accept: 'text/html' } }).then((found) => found.text())"
    text = page.evaluate(read, f"{tickets}/1")
    page.route(f"**{tickets}/1", lambda route: held.append(route))  # noqa: PLW0108 - it takes functions alone
    with page.expect_request(f"**{tickets}/1"):
        page.get_by_role("link", name="Leak 1").click()
    ben.put(f"{tickets}/1", {"ticket": {"body": "So did I"}})
    until(lambda: page.title() == "heard", "the event")
    held[0].fulfill(body=text, content_type="text/html")
    page.get_by_text("New changes.").wait_for()


@pytest.mark.parametrize("path", ["/", "/projects/{}/milestones/{}"])
def test_the_dashboard_and_a_milestone_follow_their_tickets(opened, ada, ben, roof, path):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Spring"}}).item["id"]
    page = streaming(opened(ada, path=None), path.format(roof, milestone))
    mine = {"milestone_id": milestone, "assigned_user_id": ada.get("/profile").item["id"]}
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Smoke", **mine}})
    page.locator("li.fresh", has_text="Smoke").wait_for()


def test_the_chart_of_a_milestone_follows_its_tickets(opened, ada, ben, roof):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Spring"}}).item["id"]
    ticket = {"ticket": {"title": "Smoke", "milestone_id": milestone}}
    ben.post(f"/projects/{roof}/tickets", ticket)
    page = streaming(opened(ada, path=None), f"/projects/{roof}/milestones/{milestone}")
    page.locator("#chart-table summary").click()
    ben.post(f"/projects/{roof}/tickets", ticket)
    page.get_by_text("2 of 2 tickets are open").wait_for(state="attached")
    assert page.locator("#chart-table").get_attribute("open") is not None


def test_only_the_tab_in_sight_keeps_a_stream(opened, ada, tickets):
    page = streaming(opened(ada, path=None), tickets)
    hide = "Object.defineProperty(document, 'hidden', { value: %s, configurable: true })"
    ended = []
    page.on("requestfinished", lambda request: ended.append(request.url))
    page.on("requestfailed", lambda request: ended.append(request.url))
    page.evaluate(f"{hide % 'true'}; document.dispatchEvent(new Event('visibilitychange'))")
    until(lambda: page.evaluate("1") and any("events" in url for url in ended), "the end of the stream")
    with page.expect_request("**/events.json*"):
        page.evaluate(f"{hide % 'false'}; document.dispatchEvent(new Event('visibilitychange'))")


def test_an_anonymous_caller_watches_nothing(opened, ada, roof, tickets):
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    page = opened(None, tickets)
    assert page.locator("body[data-events]").count() == 0
