"""Members are told by mail that texts of newcomers wait for them, at most once in a day."""

import pytest

from tests.conftest import PASSWORD
from tests.mail.mails import verify
from tests.support.client import basic
from tests.support.newcomers import hold, newcomer
from tests.web.test_held_texts import decide

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def dora(world, ben):
    hold(world)
    verify(world, ben)
    return newcomer(world, "dora")


@pytest.fixture
def tickets(harbour):
    return f"/projects/{harbour}/tickets"


def write(dora, tickets, times=1):
    assert {dora.post(tickets, {"ticket": {"title": "It leaks"}}).status for _ in range(times)} == {202}


def told(post):
    return [(recipients, message["subject"].partition(" in ")[0]) for recipients, message in post.deliver()]


def test_members_are_told_the_next_morning_of_all_texts(ben, dora, post, clock, harbour, tickets):
    write(dora, tickets, 2)
    assert told(post) == []
    clock.turn(days=1)
    ((recipients, message),) = post.deliver()
    assert recipients == [ben.email]
    assert message["subject"].startswith("2 texts from newcomers are waiting")
    text = message.get_body(("plain",)).get_content()
    assert (f"/projects/{harbour}/held-texts" in text, "It leaks" in text) == (True, False)
    clock.turn(days=1)
    assert told(post) == [], "nothing new came"
    write(dora, tickets)
    clock.turn(days=1)
    assert told(post) == [([ben.email], "3 texts from newcomers are waiting")]


def test_nobody_is_told_of_what_was_decided(ben, dora, post, clock, harbour, tickets):
    write(dora, tickets)
    decide(ben, f"/projects/{harbour}/held-texts", False, 1)
    clock.turn(days=1)
    assert told(post) == []


def test_only_those_who_want_mail_and_work_there_are_told(world, ben, cy, dora, post, clock, tickets):
    for person in (cy, world.people["ada"]):
        verify(world, person)
    world.client(**basic(ben.email, PASSWORD)).put("/profile/preferences", {"preferences": {"mail": "none"}})
    write(dora, tickets)
    clock.turn(days=1)
    assert told(post) == [([world.people["ada"].email], "1 text from a newcomer is waiting")]
