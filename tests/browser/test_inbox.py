"""The inbox with the keyboard."""

import pytest

from skerry.tracker.events.event_readers import read_new
from skerry.tracker.notifications import notifier
from tests.browser.conftest import listening
from tests.support.processes import until


@pytest.fixture
def tell(world, ada, ben, tickets):
    """Return what makes so many tickets of which Ben is told."""

    def made(count):
        for number in range(count):
            ada.post(tickets, {"ticket": {"title": f"Leak {number}", "assigned_user_id": ben.user_id}})
        read_new(world.database, notifier.NAME, notifier.read, only=[world.account_id])

    return made


def focused(page):
    return page.evaluate("document.activeElement.textContent")


def test_the_inbox_is_worked_off_with_the_keyboard(opened, ben, tell):
    tell(3)
    page = listening(opened(ben))
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/notifications")
    listening(page)
    badge = page.locator("[data-unread]")
    assert badge.text_content() == "3 unread"
    page.keyboard.press("j")
    assert focused(page) == "#3 Leak 2"
    page.keyboard.press("e")
    until(lambda: focused(page) == "#2 Leak 1", "the next row")
    assert badge.text_content() == "2 unread"
    assert page.locator("#inbox .unread").count() == 2
    for key in "jj":
        page.keyboard.press(key)
    assert focused(page) == "#3 Leak 2"
    page.keyboard.press("u")
    until(lambda: badge.text_content() == "3 unread", "the count")
    assert focused(page) == "#3 Leak 2"
    assert [each["read"] for each in ben.get("/notifications").items] == [False, False, False]


def test_the_count_and_the_inbox_follow_what_happens(opened, ada, ben, tickets, tell):
    there, page = opened(ben, "/notifications"), opened(ben, tickets)
    tell(1)
    there.bring_to_front()
    there.locator("#inbox .unread").get_by_text("Leak 0").wait_for()
    page.bring_to_front()
    page.locator("[data-unread]").get_by_text("1 unread").wait_for()


def test_a_ticket_that_is_seen_is_read(opened, ben, tickets, tell):
    tell(2)
    page = opened(ben, f"{tickets}/1")
    page.locator("[data-unread]").get_by_text("1 unread").wait_for()
    assert page.get_by_role("button", name="Mark as done").count() == 0
    read = {each["ticket"]["number"]: each["read"] for each in ben.get("/notifications").items}
    assert read == {1: True, 2: False}
