"""The inbox with the keyboard."""

import pytest

from tests.support.accessibility import violations
from tests.support.processes import until
from tests.support.readers import read_events


@pytest.fixture
def tell(world, ada, ben, tickets):
    """Return what makes so many tickets of which Ben is told."""

    def made(count):
        for number in range(count):
            ada.post(tickets, {"ticket": {"title": f"Leak {number}", "assigned_user_id": ben.user_id}})
        read_events(world)

    return made


def focused(page):
    return page.evaluate("document.activeElement.textContent")


def test_the_inbox_is_worked_off_with_the_keyboard(opened, ben, tell):
    tell(3)
    page = opened(ben)
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/notifications")
    badge = page.locator("[data-unread]")
    assert badge.text_content() == "3 unread"
    page.keyboard.press("j")
    assert focused(page) == "#3 Leak 2"
    page.keyboard.press("y")
    until(lambda: focused(page) == "#2 Leak 1", "the next row")
    assert badge.text_content() == "2 unread"
    assert page.locator("#inbox .unread").count() == 2
    for key in "jj":
        page.keyboard.press(key)
    assert focused(page) == "#3 Leak 2"
    page.keyboard.press("Shift+U")
    until(lambda: badge.text_content() == "3 unread", "the count")
    assert focused(page) == "#3 Leak 2"
    assert [each["read"] for each in ben.get("/notifications").items] == [False, False, False]


def test_a_notification_is_snoozed_with_the_keyboard_and_the_focus_goes_on(opened, ben, tell):
    tell(2)
    page = opened(ben, "/notifications")
    assert page.title().startswith("(2) Inbox")
    for key in "jh":
        page.keyboard.press(key)
    until(lambda: focused(page) == "Until tomorrow", "the menu")
    page.keyboard.press("Escape")
    assert page.locator("#inbox details[open]").count() == 0
    assert focused(page) == "#2 Leak 1"
    page.keyboard.press("h")
    until(lambda: focused(page) == "Until tomorrow", "the menu")
    page.keyboard.press("Enter")
    until(lambda: focused(page) == "#1 Leak 0", "the next row")
    assert page.title().startswith("(1) Inbox")
    page.keyboard.press("y")
    until(lambda: page.title().startswith("Inbox"), "the title")
    (snoozed,) = ben.get("/notifications?snoozed=true").items
    assert snoozed["ticket"]["number"] == 2


def test_a_key_undoes_that_all_is_done(opened, ben, tell):
    tell(2)
    page = opened(ben, "/notifications")
    page.get_by_role("button", name="Mark all as done").click()
    page.get_by_text("2 notifications are done").wait_for()
    page.keyboard.press("z")
    page.get_by_text("2 notifications are done").wait_for(state="detached")
    assert [each["read"] for each in ben.get("/notifications").items] == [False, False]


def test_axe_finds_nothing_in_the_inbox_with_a_menu_and_what_can_be_undone(opened, ben, tell):
    tell(2)
    page = opened(ben, "/notifications?marked=5&count=3")
    page.get_by_role("button", name="Undo").wait_for()
    assert violations(page) == []
    page.locator("[data-open]").first.focus()
    page.keyboard.press("h")
    until(lambda: focused(page) == "Until tomorrow", "the menu")
    assert violations(page) == []


def test_the_count_and_the_inbox_follow_what_happens(opened, ada, ben, tickets, tell):
    there, page = opened(ben, "/notifications"), opened(ben, tickets)
    tell(1)
    there.bring_to_front()
    there.locator("#inbox .unread").get_by_text("Leak 0").wait_for()
    page.bring_to_front()
    page.locator("[data-unread]").get_by_text("1 unread").wait_for()
    assert page.title().startswith("(1) Tickets")


def test_a_ticket_that_is_seen_is_read(opened, ben, tickets, tell):
    tell(2)
    page = opened(ben, f"{tickets}/1")
    page.locator("[data-unread]").get_by_text("1 unread").wait_for()
    assert page.get_by_role("button", name="Mark as done").count() == 0
    read = {each["ticket"]["number"]: each["read"] for each in ben.get("/notifications").items}
    assert read == {1: True, 2: False}


def test_the_count_follows_a_server_that_takes_long_to_notify(opened, ada, ben, tickets, tell):
    page = opened(ben, path=None)
    page.clock.install(time=0)
    with page.expect_response("**/events.json*"):
        page.goto("/projects")
    # Time goes on only here, however long the rest takes.
    page.clock.pause_at(1000)
    page.evaluate("document.addEventListener('happened', () => (document.title = 'heard'))")
    ada.post(tickets, {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    until(lambda: page.title() == "heard", "the event")
    with page.expect_response("**/notifications.json*"):
        page.clock.run_for(6_000)
    assert page.locator("[data-unread]").is_hidden()
    tell(0)
    page.clock.run_for(20_000)
    page.locator("[data-unread]").get_by_text("1 unread").wait_for()
