"""The inbox, and what people want to be told, without scripts."""

import pytest

from skerry.tracker.events.event_readers import read_new
from skerry.tracker.notifications import notifier


@pytest.fixture
def web(surfing, ben):
    return surfing(ben)


@pytest.fixture
def told(world, ada, ben, roof):
    """Tell Ben of a ticket; return its address."""
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    ada.put(f"{tickets}/1", {"ticket": {"body": "@ben: look"}})
    read_new(world.database, notifier.NAME, notifier.read, only=[world.account_id])
    return f"{tickets}/1"


def test_the_inbox_leads_to_tickets_and_says_what_happened(web, told):
    page = web.get("/")
    assert "Inbox 1 unread" in page.text
    page = web.get("/notifications")
    assert f"{told}#v2" in page.links
    assert "Roof #1 Leak mentions you · comment by Ada" in page.text


def test_what_is_done_stands_below_and_can_be_unread_again(web, ben, told):
    (notification,) = ben.get("/notifications").items
    address = f"/notifications/{notification['id']}"
    page = web.submit(web.get("/notifications"), address)
    assert "All done." in page.text
    assert "Inbox 0 unread" in page.text
    page = web.submit(page, address)
    assert "Inbox 1 unread" in page.text
    page = web.submit(page, "/notifications/read")
    assert "All done." in page.text


def test_a_ticket_is_done_and_muted_on_its_page(web, ben, told):
    (notification,) = ben.get("/notifications").items
    page = web.submit(web.get(told), f"/notifications/{notification['id']}")
    assert (page.path.partition("?")[0], "Inbox 0 unread" in page.text) == (told, True)
    page = web.submit(page, f"{told}/mute")
    assert ben.get(f"{told}/mute").item["muted"] is True
    web.submit(page, f"{told}/mute")
    assert ben.get(f"{told}/mute").item["muted"] is False


def test_what_somebody_is_told_of_a_project_is_chosen_on_its_page(web, ben, roof):
    project = f"/projects/{roof}"
    chosen = {"notification_settings[level]": "mentions"}
    page = web.submit(web.get(project), f"{project}/notification_settings", **chosen)
    assert "Saved." in page.text
    assert ben.get(f"{project}/notification_settings").item["level"] == "mentions"


def test_the_inbox_is_for_people_who_are_signed_in(surfing, web, harbour):
    assert surfing().get("/notifications").path.startswith("/sign-in")
    assert "Inbox" not in surfing().get(f"/projects/{harbour}").text
    assert "No notifications." in web.get("/notifications").text
