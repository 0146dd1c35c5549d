"""What somebody writes in a real browser stays, whatever becomes of the server and of what others do."""

import pytest

from tests.browser.conftest import focused
from tests.conftest import PASSWORD

SENT = """(area) => fetch(area.form.action, {
  method: "POST", body: new FormData(area.form), headers: { Accept: "text/html" },
}).then((answer) => answer.ok)"""
# As Firefox does when a page is loaded again.
REFILL = """document.addEventListener("readystatechange", () => {
  const [title, area] = document.querySelectorAll("[data-draft]");
  if (title && area && document.readyState === "interactive") {
    [title.value, area.value] = ["Leak", "Under the stairs"];
  }
})"""
NOTES = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"hello"}


@pytest.fixture
def ticket(ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "Under the stairs"}})
    return f"{tickets}/1"


def saved(page, button="Save"):
    """Press a button and wait for the page that follows."""
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=True).click()


def sign_in(page, email):
    page.goto("/sign-in")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    saved(page, "Sign in")


def test_files_stay_chosen_while_somebody_signs_in_elsewhere(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a day of work")
    page.locator("input[type=file]").set_input_files(NOTES)
    page.context.clear_cookies(name="skerry")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("You are no longer signed in").wait_for()
    focused(page.locator("main"))
    assert page.title().startswith("Forbidden")
    sign_in(page.context.new_page(), ada.email)
    page.get_by_role("button", name="Send again").click()
    page.get_by_text("You signed in again after this page was opened").wait_for()
    assert page.get_by_label("Comment").input_value() == "Half a day of work"
    saved(page)
    page.get_by_role("link", name="notes.txt").wait_for()
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('draft '))") == []


@pytest.mark.parametrize("part", ["ticket", "milestone"])
def test_a_draft_does_not_undo_what_somebody_else_has_rewritten_since(opened, ada, ben, roof, ticket, part):
    milestones = f"/projects/{roof}/milestones"
    ada.post(milestones, {"milestone": {"title": "Spring", "goals": "Under the stairs"}})
    thing, label = (f"{ticket}/versions/1", "Text") if part == "ticket" else (f"{milestones}/1", "Goals")
    name = {"Text": "body", "Goals": "goals"}[label]
    kind = {"Text": "version", "Goals": "milestone"}[label]
    page = opened(ada, f"{thing}/edit")
    page.get_by_label(label).fill("Under the stairs, on the left")
    page.goto("/projects")
    ben.put(thing, {kind: {name: "Under the stairs, since May"}})
    for more in ("!", "?"):
        # The draft is looked at twice before it is sent.
        page.goto(f"{thing}/edit")
        page.get_by_label(label).press_sequentially(more)
    saved(page)
    page.get_by_text("Under the stairs, since May").wait_for()
    assert page.get_by_label(label).input_value() == "Under the stairs, on the left!?"
    assert ada.get(thing).item[name] == "Under the stairs, since May"
    saved(page)
    assert ada.get(thing).item[name] == "Under the stairs, on the left!?"


@pytest.mark.parametrize("refilled", [False, True])
def test_a_ticket_whose_answer_was_lost_is_opened_once_by_its_draft(opened, ada, tickets, refilled):
    page = opened(ada, f"{tickets}/new")
    page.get_by_label("Title", exact=True).fill("Leak")
    page.get_by_label("Description").fill("Under the stairs")
    assert page.get_by_label("Description").evaluate(SENT)
    # The browser knows nothing of the answer.
    page.context.clear_cookies(name="skerry-taken")
    page.route(f"**{tickets}", lambda route: route.abort())
    page.get_by_role("button", name="Create ticket").click()
    page.wait_for_url("chrome-error://**")
    page.unroute(f"**{tickets}")
    if refilled:
        page.add_init_script(REFILL)
    page.goto(f"{tickets}/new")
    assert page.get_by_label("Title", exact=True).input_value() == "Leak"
    saved(page, "Create ticket")
    page.wait_for_url(f"**{tickets}/1")
    assert len(ada.get(tickets).items) == 1


def test_who_stops_a_form_can_send_it_again(opened, ada, ticket):
    page = opened(ada, ticket)
    page.clock.install()
    page.get_by_label("Comment").fill("Into the storm")
    # A browser stays where it is, as after a press on its button to stop.
    page.route(f"**{ticket}*", lambda route: route.fulfill(status=204))
    page.get_by_role("button", name="Save", exact=True).click()
    page.unroute(f"**{ticket}*")
    page.clock.run_for(6_000)
    saved(page)
    assert ada.get(ticket).item["versions"][1]["body"] == "Into the storm"
