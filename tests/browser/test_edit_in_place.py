"""Values of a ticket that are changed where they stand, by mouse, by keys and on a telephone."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import focused


@pytest.fixture
def ticket(ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "Under the stairs"}})
    return f"{tickets}/1"


def noticed(page, field):
    """Wait until a page says that a field was saved."""
    page.get_by_text(f"#1 saved: {field}").wait_for()


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_a_value_is_a_button_that_opens_its_choices(opened, ada, ticket, size):
    page = opened(ada, ticket, size=size)
    page.locator("#fact-state").click()
    page.locator(".popover").get_by_role("button", name="resolved").click()
    noticed(page, "State")
    assert page.locator("#fact-state").inner_text() == "resolved"
    assert ada.get(ticket).item["state"] == "resolved"


def test_keys_open_choices_narrow_them_and_undo(opened, ada, ben, ticket):
    page = opened(ada, ticket)
    page.keyboard.type("abe\n")
    noticed(page, "Assignee")
    assert ada.get(ticket).item["assigned_user_name"] == "Ben"
    page.keyboard.type("s3")
    noticed(page, "State")
    page.keyboard.type("z")
    page.get_by_text("#1 saved").wait_for(state="detached")
    item = ada.get(ticket).item
    assert (item["state"], item["assigned_user_name"], item["version"]) == ("new", "Ben", 4)


def test_texts_are_entered_where_they_stand(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.type("tNo leak\n")
    noticed(page, "Title")
    page.keyboard.type("ldry wet\n")
    noticed(page, "Tags")
    page.keyboard.type("p4")
    noticed(page, "Priority")
    item = ada.get(ticket).item
    assert (item["title"], item["tag"], item["importance"]) == ("No leak", "dry wet", 4)
    assert page.get_by_role("heading", name="No leak").count() == 1


def test_a_tag_is_added_to_the_others_and_completed(opened, ada, tickets, ticket):
    ada.post(tickets, {"ticket": {"title": "Moss", "tag": '"new roof" moss'}})
    ada.put(ticket, {"ticket": {"tag": "wet"}})
    page = opened(ada, ticket)
    page.keyboard.press("l")
    expect(page.get_by_role("combobox", name="Tags")).to_have_value("wet ")
    for typed, found in (("mo", "moss"), ("new", '"new roof"')):
        page.keyboard.type(typed)
        page.get_by_role("option", name=found).wait_for()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    noticed(page, "Tags")
    assert ada.get(ticket).item["tag"] == 'moss "new roof" wet'


def test_escape_leaves_a_value_as_it_was_and_returns_the_focus(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("s")
    page.locator(".popover").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    page.locator(".popover").wait_for(state="detached")
    assert page.evaluate("document.activeElement.dataset.key") == "s"
    assert ada.get(ticket).item["version"] == 1


def test_a_change_that_conflicts_is_refused_and_says_why(opened, ada, ben, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("s")
    page.locator(".popover").wait_for()
    ben.put(ticket, {"ticket": {"state": "hold", "body": "Wait"}})
    page.keyboard.press("3")
    page.get_by_text("This was changed while you were writing").wait_for()
    assert ada.get(ticket).item["state"] == "hold"


def test_choosing_what_is_there_already_changes_nothing_and_is_no_error(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.type("s1")
    page.locator(".popover").wait_for(state="detached")
    page.keyboard.press("t")
    page.locator(".popover").wait_for()
    page.keyboard.press("Enter")
    page.locator(".popover").wait_for(state="detached")
    assert page.get_by_text("could not be saved").count() == 0
    assert ada.get(ticket).item["version"] == 1


def test_a_value_that_could_not_be_saved_is_not_shown_as_if_it_was(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("s")
    page.locator(".popover").wait_for()
    page.context.set_offline(True)
    page.keyboard.press("3")
    page.get_by_text("The server does not respond").wait_for()
    assert page.locator("#fact-state").inner_text() == "new"


def test_an_unfolded_form_gets_the_focus(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_text("Add a link").click()
    focused(page.get_by_label("Kind"))


def test_a_comment_closes_and_reopens_its_ticket(opened, ada, ticket):
    page = opened(ada, ticket)
    for button, state in (("Comment and close", "resolved"), ("Comment and reopen", "new")):
        page.get_by_label("Comment").fill(f"Now {state}")
        page.get_by_role("button", name=button).click()
        page.locator(".turn", has_text=f"Now {state}").wait_for()
        assert ada.get(ticket).item["state"] == state
    page.get_by_label("Comment").fill("Done")
    page.keyboard.press("Control+Shift+Enter")
    page.locator(".turn", has_text="Done").wait_for()
    assert ada.get(ticket).item["state"] == "resolved"
