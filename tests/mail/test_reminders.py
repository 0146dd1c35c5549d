"""Reminders of tickets on the day they are due."""

from datetime import UTC, datetime

import pytest

from skerry.store.people import preferences
from tests.conftest import PASSWORD
from tests.support.client import basic

pytestmark = pytest.mark.matrix("both")

# Seven in the morning in UTC.
MORNING = int(datetime(2027, 5, 1, 7, tzinfo=UTC).timestamp()) * 1_000_000


@pytest.fixture
def morning(world, ben, roof, clock):
    """Ben works on the roof, his address is verified, and a day begins."""
    with world.write() as transaction:
        preferences.verify(transaction, ben.user_id, ben.email)
    world.join(roof, ben)
    clock.now = MORNING
    return clock


def add(ada, tickets, title="Roof", day="2027-05-01", **fields):
    return ada.post(tickets, {"ticket": {"title": title, "due_on": day, **fields}}).item


def prefer(world, ben, **sent):
    person = world.client(**basic(ben.email, PASSWORD))
    assert person.put("/profile/preferences", {"preferences": sent}).status == 200


def subjects(post):
    return [message["Subject"] for _, message in post.deliver()]


def test_assignees_and_watchers_get_one_mail_about_all_that_is_due_today(ada, ben, tickets, morning, post):
    add(ada, tickets, "Roof", assigned_user_id=ben.user_id)
    add(ada, tickets, "Wall")
    ben.put(f"{tickets}/2", {"ticket": {"watching": True}})
    add(ada, tickets, "Door")
    add(ada, tickets, "Gable", "2027-05-02", assigned_user_id=ben.user_id)
    ((recipients, message),) = post.deliver()
    assert recipients == [ben.email]
    assert message["Subject"].startswith("2 tickets are due today in ")
    text = message.get_body(("plain",)).get_content()
    assert ["Roof" in text, "Wall" in text, "Door" in text, "Gable" in text] == [True, True, False, False]


def test_a_reminder_is_sent_once_a_day_whoever_sends_it(ada, ben, tickets, morning, post):
    add(ada, tickets, assigned_user_id=ben.user_id)
    add(ada, tickets, day="2027-05-02", assigned_user_id=ben.user_id)
    assert [len(subjects(post)) for _ in range(3)] == [1, 0, 0]
    morning.turn(hours=12)
    assert subjects(post) == []
    morning.turn(hours=12)
    assert [len(subjects(post)) for _ in range(2)] == [1, 0]


def test_the_day_begins_at_seven_where_the_reader_is(world, ada, ben, tickets, morning, post):
    prefer(world, ben, time_zone="America/New_York")
    add(ada, tickets, assigned_user_id=ben.user_id)
    assert subjects(post) == []
    morning.turn(hours=3, minutes=59)
    assert subjects(post) == []
    morning.turn(minutes=1)
    assert len(subjects(post)) == 1


def test_nobody_is_reminded_of_what_is_closed_or_muted_or_of_no_interest(
    ada, ben, roof, tickets, morning, post
):
    for _ in range(3):
        add(ada, tickets, assigned_user_id=ben.user_id)
    ada.put(f"{tickets}/1", {"ticket": {"state": "resolved"}})
    ben.put(f"{tickets}/2/mute", {"mute": {"muted": True}})
    ada.put(f"{tickets}/3", {"ticket": {"due_on": "2027-06-01"}})
    assert subjects(post) == []
    add(ada, tickets, assigned_user_id=ben.user_id)
    ben.put(f"/projects/{roof}/notification_settings", {"notification_settings": {"level": "nothing"}})
    assert subjects(post) == []


@pytest.mark.parametrize("wanted", [{"due_reminders": False}, {"mail": "none"}])
def test_reminders_can_be_turned_off(world, ada, ben, tickets, morning, post, wanted):
    prefer(world, ben, **wanted)
    add(ada, tickets, assigned_user_id=ben.user_id)
    assert subjects(post) == []


def test_one_click_ends_reminders_and_nothing_else(world, ada, ben, tickets, morning, post):
    add(ada, tickets, assigned_user_id=ben.user_id)
    add(ada, tickets, day="2027-05-02", assigned_user_id=ben.user_id)
    ((_, message),) = post.deliver()
    address = message["List-Unsubscribe"].strip("<>").partition("/unsubscribe/")[2]
    assert world.client().get(f"/unsubscribe/{address}").item["ended"] is False
    ended = world.client().post(f"/unsubscribe/{address}").item
    assert (ended["ends"], ended["ended"], ended["mail"]) == ("reminders", True, "at_once")
    morning.turn(days=1)
    assert subjects(post) == []


@pytest.mark.usefixtures("morning")
def test_a_ticket_that_was_moved_is_still_due(ada, ben, world, harbour, tickets, post):
    world.join(harbour, ben)
    add(ada, tickets, assigned_user_id=ben.user_id)
    ada.post(
        tickets.replace("tickets", "bulk_edit"),
        {"bulk_edit": {"query": "all", "command": f"project:{harbour}"}},
    )
    ((_, message),) = post.deliver()
    assert f"/projects/{harbour}/tickets/1" in message.get_body(("plain",)).get_content()
