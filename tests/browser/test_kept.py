"""Drafts in a real browser survive failures and concurrent changes."""

import pytest

from tests.conftest import PASSWORD
from tests.support.accessibility import violations
from tests.support.processes import until

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
DRAFTS = "Object.keys(localStorage).filter((name) => name.startsWith('draft ')).length"
SIZES = """(text) => [...text.querySelectorAll("h1, h2, h3, h4, h5, h6")]
  .map((each) => parseFloat(getComputedStyle(each).fontSize))"""
OLD_DRAFT = """([name, text]) =>
  localStorage.setItem(name, JSON.stringify({ text, at: Date.now(), base: "", seen: "" }))"""
NOTES = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"hello"}


@pytest.fixture
def ticket(ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "Under the stairs"}})
    return f"{tickets}/1"


def saved(page, button="Save"):
    """Press a button and wait for the page that follows."""
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=True).click()


def test_files_stay_chosen_while_somebody_signs_in_again(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a day of work")
    page.locator("input[type=file]").set_input_files(NOTES)
    page.context.clear_cookies(name="skerry")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_text("You are no longer signed in").wait_for()
    assert page.title().startswith("Sign in")
    page.get_by_label("E-mail address").fill(ada.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name="notes.txt").wait_for()
    assert page.get_by_text("Half a day of work").count() == 1
    assert page.evaluate(DRAFTS) == 0


def test_a_kept_form_is_sent_for_another_person_only_when_they_say_so(opened, ada, ben, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a day of work")
    page.context.clear_cookies(name="skerry")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_label("E-mail address").fill(ben.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    assert page.get_by_label("Text").input_value() == "Half a day of work"
    assert ada.get(ticket).item["version"] == 1
    saved(page, "Send again")
    page.locator(".turn", has_text="Half a day of work").wait_for()
    assert ada.get(ticket).item["versions"][1]["user_name"] == "Ben"


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
    page.get_by_text("The server does not respond").wait_for()
    page.unroute(f"**{tickets}")
    if refilled:
        page.add_init_script(REFILL)
    page.goto(f"{tickets}/new")
    assert page.get_by_label("Title", exact=True).input_value() == "Leak"
    saved(page, "Create ticket")
    page.wait_for_url(f"**{tickets}/1")
    assert len(ada.get(tickets).items) == 1


def test_a_draft_stays_when_another_tab_sends_its_own(opened, ada, ticket):
    page = opened(ada, ticket)
    other = page.context.new_page()
    other.goto(ticket)
    other.get_by_label("Comment").fill("For later")
    page.get_by_label("Comment").fill("At once")
    page.bring_to_front()
    saved(page, "Comment")
    assert page.get_by_label("Comment").input_value() == "For later"
    other.reload()
    assert other.get_by_label("Comment").input_value() == "For later"
    saved(other, "Comment")
    page.goto(ticket)
    assert page.get_by_label("Comment").input_value() == ""
    assert page.evaluate(DRAFTS) == 0
    assert [each["body"] for each in ada.get(ticket).item["versions"][1:]] == ["At once", "For later"]


def test_a_draft_stays_in_its_tab_when_another_one_restored_it_and_sent_something_else(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("For later")
    other = page.context.new_page()
    other.goto(ticket)
    assert other.get_by_label("Comment").input_value() == "For later"
    other.get_by_label("Comment").fill("At once")
    until(lambda: page.evaluate(DRAFTS) == 2, "a draft in each tab")
    saved(other, "Comment")
    page.reload()
    assert page.get_by_label("Comment").input_value() == "For later"
    assert ada.get(ticket).item["versions"][-1]["body"] == "At once"


def test_drafts_stored_by_earlier_versions_of_the_site_are_restored(opened, ada, tickets):
    page = opened(ada, "/projects")
    for field, text in (("title", "Leak"), ("body", "Under the stairs")):
        page.evaluate(OLD_DRAFT, [f"draft {ada.user_id} {tickets} ticket[{field}]", text])
    page.goto(f"{tickets}/new")
    assert page.get_by_label("Title", exact=True).input_value() == "Leak"
    assert page.get_by_label("Description").input_value() == "Under the stairs"
    saved(page, "Create ticket")
    assert page.evaluate(DRAFTS) == 0


@pytest.mark.parametrize("reopened", [False, True])
def test_every_field_is_kept_while_the_network_is_away(opened, ada, tickets, reopened):
    page = opened(ada, f"{tickets}/new")
    page.get_by_label("State").select_option("hold")
    page.get_by_role("combobox", name="Tags").fill("wet")
    page.get_by_label("Title", exact=True).fill("Large leak")
    page.context.set_offline(True)
    page.get_by_role("button", name="Create ticket", exact=True).click()
    page.get_by_text("The server does not respond").wait_for()
    page.context.set_offline(False)
    if reopened:
        page.goto(f"{tickets}/new")
        page.get_by_text("Draft restored").wait_for()
    saved(page, "Create ticket")
    item = ada.get(f"{tickets}/1").item
    assert (item["state"], item["tag"], item["title"]) == ("hold", "wet", "Large leak")


def test_a_discarded_draft_leaves_the_form_as_it_was(opened, ada, tickets):
    page = opened(ada, f"{tickets}/new")
    page.get_by_label("State").select_option("hold")
    page.get_by_label("Description").fill("Perhaps")
    page.reload()
    page.get_by_role("button", name="Discard").click()
    for _ in range(2):
        assert page.get_by_label("Description").input_value() == ""
        assert page.get_by_label("State").input_value() != "hold"
        page.reload()


def test_the_keyboard_sends_a_form_from_every_field(opened, ada, ticket, tickets):
    page = opened(ada, f"{tickets}/new")
    page.get_by_label("Title", exact=True).fill("Smoke")
    page.get_by_label("State").select_option("hold")
    with page.expect_navigation():
        page.get_by_label("State").press("Control+Enter")
    assert ada.get(f"{tickets}/2").item["state"] == "hold"
    page.get_by_label("Comment").fill("It grows")
    with page.expect_navigation():
        page.get_by_role("button", name="Preview").press("Control+Enter")
    assert ada.get(f"{tickets}/2").item["version"] == 2


def test_code_can_be_focused_and_each_comment_has_a_heading(opened, ada, ticket):
    ada.put(ticket, {"ticket": {"body": "    " + "wide " * 200}})
    page = opened(ada, ticket)
    assert page.locator(".prose pre").get_attribute("tabindex") == "0"
    assert page.get_by_role("heading", name="What Ada wrote").count() == 2
    assert violations(page) == []


def test_headings_of_every_level_in_a_text_are_as_large_as_the_text_at_least(opened, ada, ticket):
    ada.put(ticket, {"ticket": {"body": "\n\n".join(f"{'#' * level} Level" for level in range(1, 7))}})
    page = opened(ada, ticket)
    sizes = page.locator(".prose:not(.preview)").last.evaluate(SIZES)
    assert len(sizes) == 6
    assert min(sizes) >= 16


def test_signing_out_asks_before_it_discards_what_was_not_sent(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a day of work")
    menu, out = (
        page.get_by_role("group").get_by_text("Ada", exact=True),
        page.get_by_role("button", name="Sign out"),
    )
    menu.click()
    page.once("dialog", lambda asked: asked.dismiss())
    out.click()
    assert page.evaluate(DRAFTS) == 1
    page.once("dialog", lambda asked: asked.accept())
    out.click()
    page.get_by_role("link", name="Sign in").first.wait_for()
    assert page.evaluate(DRAFTS) == 0
