"""One ticket in a real browser: replies, drafts, previews, and concurrent changes."""

import pytest

from skerry.web.site.pages import conversation as pages
from tests.browser.conftest import focused, in_sight, saved
from tests.support.processes import until


def test_an_emptied_title_is_reported(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("t")
    page.get_by_label("Title", exact=True).fill("")
    page.get_by_label("Title", exact=True).press("Enter")
    focused(page.get_by_role("alert").filter(has_text="Title can't be blank"))
    assert ada.get(ticket).item["title"] == "Leak"


@pytest.mark.parametrize("script", [True, False])
def test_an_error_is_visible_below_a_long_conversation(opened, ada, ticket, script):
    ada.put(ticket, {"ticket": {"body": "A long story.\n\n" * 100}})
    page = opened(ada, ticket, script=script)
    saved(page, "Comment")
    problem = focused(page.get_by_role("alert").filter(has_text="Nothing to save"))
    assert in_sight(problem)


@pytest.mark.parametrize("script", [True, False])
def test_two_people_who_change_one_ticket_lose_nothing(opened, ada, ben, ticket, script):
    slow, fast = opened(ada, ticket, script=script), opened(ben, ticket, script=script)
    slow.get_by_label("Comment").fill("Slow words")
    fast.get_by_label("Comment").fill("I was faster")
    saved(fast, "Comment and close")
    saved(slow, "Comment")
    assert slow.get_by_text("Ben changed this while you were writing.").is_visible()
    assert slow.get_by_label("Comment").input_value() == "Slow words"
    saved(slow, "Comment")
    item = ada.get(ticket).item
    assert item["state"] == "resolved"
    assert [version["body"] for version in item["versions"][1:]] == ["I was faster", "Slow words"]


def test_something_new_is_said_without_touching_what_is_written(opened, ada, ben, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a sen")
    ben.put(ticket, {"ticket": {"body": "News"}})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_text("New changes.").wait_for()
    assert page.get_by_label("Comment").input_value() == "Half a sen"


def test_a_page_says_that_its_ticket_was_moved(opened, ada, ticket, harbour):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a sen")
    project = ticket.split("/")[2]
    move = {"bulk_edit": {"query": "all", "command": f"project:{harbour}"}}
    assert ada.post(f"/projects/{project}/bulk_edit", move).status == 200
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_text("This ticket was moved to another project.").wait_for()
    assert page.get_by_label("Comment").input_value() == "Half a sen"
    page.get_by_role("link", name="Show", exact=True).click()
    page.wait_for_url(f"**/projects/{harbour}/tickets/1*")


def test_a_draft_survives_until_it_is_sent(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a sentence")
    page.goto("/projects")
    page.goto(ticket)
    assert page.get_by_text("Draft restored").is_visible()
    assert page.get_by_label("Comment").input_value() == "Half a sentence"
    page.get_by_label("Comment").fill("A whole sentence")
    saved(page, "Comment")
    assert page.get_by_label("Comment").input_value() == ""
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('draft '))") == []


def test_a_draft_survives_a_server_that_does_not_answer(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Into the storm")
    page.route("**/*", lambda route: route.abort())
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_text("The server does not respond").wait_for()
    page.unroute("**/*")
    for _ in range(2):
        assert page.get_by_label("Comment").input_value() == "Into the storm"
        page.goto(ticket)


def test_a_draft_is_thrown_away(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Nonsense")
    page.reload()
    page.get_by_role("button", name="Discard").click()
    assert page.get_by_label("Comment").input_value() == ""
    page.reload()
    assert page.get_by_label("Comment").input_value() == ""


def test_a_comment_is_shown_before_it_is_sent(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Quite **wet**")
    page.get_by_role("button", name="Preview").click()
    page.locator(".preview strong", has_text="wet").wait_for()
    page.get_by_role("button", name="Preview").click()
    assert page.get_by_label("Comment").is_visible()
    assert ada.get(ticket).item["version"] == 1


def test_no_page_and_no_preview_fetches_a_picture_from_elsewhere(opened, ada, ticket):
    text = "![Plan](https://x.example/a.png) ![Own](/static/logo.svg)"
    ada.put(ticket, {"ticket": {"body": text}})
    page, asked = opened(ada, ticket), []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_label("Comment").fill(text)
    page.get_by_role("button", name="Preview").click()
    for place in (".turn", ".preview"):
        link = page.locator(place).get_by_role("link", name="Plan")
        assert link.get_attribute("href") == "https://x.example/a.png"
        page.locator(place).get_by_alt_text("Own").wait_for()
    assert [url for url in asked if "x.example" in url] == []


def test_only_the_last_requested_preview_is_shown(opened, ada, ticket):
    page, held = opened(ada, ticket), []
    page.route("**/preview.json", lambda route: held.append(route))  # noqa: PLW0108 - it takes functions alone
    page.get_by_label("Comment").fill("Still *wet*")
    for _ in range(2):
        with page.expect_request("**/preview.json"):
            page.get_by_role("button", name="Preview").click()
    for word, route in zip(("first", "second"), held, strict=True):
        route.fulfill(json={"preview": {"body_html": f"<p>{word}</p>"}})
        page.locator(".preview p", has_text=word).wait_for(state="attached")
    assert page.locator(".preview").is_visible()
    assert page.get_by_role("button", name="Preview").get_attribute("aria-pressed") == "true"


def test_a_preview_that_fails_says_so(opened, ada, ticket):
    page = opened(ada, ticket)
    page.route("**/preview.json", lambda route: route.fulfill(status=503))
    page.get_by_label("Comment").fill("Quite **wet**")
    page.get_by_role("button", name="Preview").click()
    page.locator(".preview").get_by_text("Nothing is lost: try again").wait_for()
    page.get_by_role("button", name="Preview").click()
    assert page.get_by_label("Comment").input_value() == "Quite **wet**"


def test_the_command_box_changes_the_ticket_in_one_version(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("Control+k")
    page.keyboard.type("state:resolved responsible:me tagged:wet importance:3")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    item = ada.get(ticket).item
    assert (item["version"], item["state"], item["tag"], item["importance"]) == (2, "resolved", "wet", 3)
    assert item["assigned_user_id"] == ada.user_id


@pytest.fixture
def long(ada, ticket, monkeypatch):
    """The address of a ticket with twenty comments, of which a page shows three."""
    monkeypatch.setattr(pages, "_ALL_SHOWN", 7)
    monkeypatch.setattr(pages, "_SHOWN", 3)
    for number in range(2, 21):
        ada.put(ticket, {"ticket": {"body": f"Comment {number}"}})
    return ticket


@pytest.mark.parametrize("place", ["v12", "ticket-1-12"])
def test_a_link_to_a_change_of_a_long_ticket_finds_it(opened, ben, long, place):
    page = opened(ben, f"{long}#{place}")
    change = page.locator(f"#{place}")
    until(change.is_visible, "the change")
    until(lambda: in_sight(change), "the change in the window")


def test_a_link_on_the_page_of_a_long_ticket_finds_a_change_that_is_not_on_it(opened, ada, ben, long):
    ada.put(long, {"ticket": {"body": "As [said](#v12)"}})
    page = opened(ben, long)
    page.get_by_role("link", name="said").click()
    change = page.locator("#v12")
    until(change.is_visible, "the change")
    until(lambda: in_sight(change), "the change in the window")


def test_a_link_to_a_change_that_is_not_there_shows_the_ticket(opened, ben, long):
    page = opened(ben, f"{long}#v300")
    page.wait_for_url(f"**{long}?at=300#v300")
    page.wait_for_load_state("networkidle")
    assert page.get_by_text("Comment 20").is_visible()
