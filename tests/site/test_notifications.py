"""The inbox and notification settings, without scripts."""

import re
from datetime import datetime

import pytest

from tests.support.readers import read_events


@pytest.fixture
def web(surfing, ben):
    return surfing(ben)


@pytest.fixture
def told(world, ada, ben, roof):
    """Tell Ben of a ticket; return its address."""
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    ada.put(f"{tickets}/1", {"ticket": {"body": "@ben: look"}})
    read_events(world)
    return f"{tickets}/1"


@pytest.mark.matrix("databases")
def test_the_inbox_leads_to_tickets_and_says_what_happened(web, told):
    page = web.get("/")
    assert "Inbox 1 unread" in page.text
    page = web.get("/notifications")
    assert f"{told}#v2" in page.links
    assert "#1 Leak mentions you · comment by Ada: @ben: look Roof" in page.text
    assert "<title>(1) Inbox" in page.source


def test_a_command_without_words_is_no_comment_in_the_inbox(web, world, ada, told):
    ada.put(told, {"ticket": {"body": "[tagged:moss]"}})
    read_events(world)
    assert "#1 Leak mentions you · changed by Ada Roof" in web.get("/notifications").text


def test_read_notifications_are_listed_below_and_can_be_marked_as_unread(web, ben, told):
    (notification,) = ben.get("/notifications").items
    address = f"/notifications/{notification['id']}"
    page = web.submit(web.get("/notifications"), address)
    assert "All done." in page.text
    assert "Inbox 0 unread" in page.text
    page = web.submit(page, address)
    assert "Inbox 1 unread" in page.text
    page = web.submit(page, "/notifications/read")
    assert "All done." in page.text


def test_everything_that_was_marked_as_done_is_unread_again_after_undo(web, told):
    page = web.submit(web.get("/notifications"), "/notifications/read")
    assert "1 notification is done." in page.text
    undo = next(form.action for form in page.reading.forms if form.action.endswith("/undo"))
    assert "Inbox 1 unread" in web.submit(page, undo).text


def test_a_notification_is_snoozed_until_tomorrow_or_another_day(web, ben, told):
    (notification,) = ben.get("/notifications").items
    address = f"/notifications/{notification['id']}"
    web.cookies["skerry-zone"] = "Asia/Tokyo"
    page = web.get(f"/notifications?snooze={notification['id']}")
    mornings = re.findall(r'value="([^"]+T08:00:00\+09:00)"', page.source)
    *days, tomorrow, next_week = map(datetime.fromisoformat, mornings)
    assert (days[0], len(days), next_week.weekday(), next_week in days[:7]) == (tomorrow, 30, 0, True)
    page = web.submit(page, address, **{"notification[snoozed_until]": mornings[-1]})
    assert "Inbox 0 unread" in page.text
    until = datetime.fromisoformat(ben.get(address).item["snoozed_until"])
    assert until == next_week
    page = web.get("/notifications?snoozed=true")
    assert "Show now" in page.text
    at_once = {"notification[read]": "false", "notification[snoozed_until]": ""}
    assert "Inbox 1 unread" in web.submit(page, address, **at_once).text


def test_words_of_a_text_that_was_deleted_are_not_in_the_inbox(web, ada, told):
    ada.delete(f"{told}/versions/2")
    page = web.get("/notifications")
    assert "comment by Ada" in page.text
    assert "look" not in page.text


def test_the_inbox_is_filtered_and_shows_what_is_snoozed(web, ben, roof, told):
    (notification,) = ben.get("/notifications").items
    page = web.submit(
        web.get("/notifications"), "/notifications", "get", project_id=str(roof), reason="mention"
    )
    assert told + "#v2" in page.links
    assert told + "#v2" not in web.get("/notifications?reason=assigned").links
    snoozed = {"notification": {"snoozed_until": "2999-01-01T00:00:00Z"}}
    assert ben.put(f"/notifications/{notification['id']}", snoozed).status == 200
    assert "Inbox 0 unread" in web.get("/notifications").text
    assert told + "#v2" in web.get("/notifications?snoozed=true").links
    web.get(told)
    assert ben.get(f"/notifications/{notification['id']}").item["read"] is False


def test_a_ticket_is_done_and_muted_on_its_page(web, ben, told):
    (notification,) = ben.get("/notifications").items
    page = web.submit(web.get(told), f"/notifications/{notification['id']}")
    assert (page.path.partition("?")[0], "Inbox 0 unread" in page.text) == (told, True)
    page = web.submit(page, f"{told}/mute")
    assert ben.get(f"{told}/mute").item["muted"] is True
    web.submit(page, f"{told}/mute")
    assert ben.get(f"{told}/mute").item["muted"] is False


def test_the_notification_level_is_chosen_on_the_page_of_the_project(web, ben, roof):
    project = f"/projects/{roof}"
    chosen = {"notification_settings[level]": "mentions"}
    page = web.submit(web.get(project), f"{project}/notification_settings", **chosen)
    assert "Saved." in page.text
    assert ben.get(f"{project}/notification_settings").item["level"] == "mentions"


def test_the_inbox_is_for_people_who_are_signed_in(surfing, web, harbour):
    assert surfing().get("/notifications").path.startswith("/sign-in")
    assert "Inbox" not in surfing().get(f"/projects/{harbour}").text
    assert "No notifications." in web.get("/notifications").text
