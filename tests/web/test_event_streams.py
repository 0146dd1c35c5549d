"""Events as they happen."""

import pytest

from skerry.tracker.auth import tokens
from tests.support.event_streams import streaming

pytestmark = pytest.mark.matrix("databases")


def test_what_happens_is_sent_to_who_listens(ada, ben, tickets, roof):
    with streaming(ben, f"/projects/{roof}/events?after=now") as stream:
        ada.post(tickets, {"ticket": {"title": "Leak"}})
        ada.put(f"{tickets}/1", {"ticket": {"state": "open"}})
        assert stream.types(2) == ["ticket.created", "ticket.updated"]
        assert stream.headers["content-type"] == "text/event-stream"
        assert stream.headers["cache-control"] == "no-store"
        assert stream.headers["x-accel-buffering"] == "no"
        assert stream.ids == [str(event["number"]) for event in stream.events]


def test_a_stream_goes_on_behind_the_last_event_that_came(ada, tickets, roof):
    for title in ("One", "Two", "Three"):
        ada.post(tickets, {"ticket": {"title": title}})
    last = ada.get(f"/projects/{roof}/events?after=now").headers["x-last-event-id"]
    with streaming(ada, f"/projects/{roof}/events?after=0", Last_Event_ID=str(int(last) - 1)) as stream:
        assert stream.types(1) == ["ticket.created"]
        ada.post(tickets, {"ticket": {"title": "Four"}})
        stream.types(2)
        assert [event["changes"]["title"][1] for event in stream.events] == ["Three", "Four"]


def test_a_stream_ends_with_the_token(world, ada, ben, roof):
    token = world.token(ben.user_id)
    with streaming(world.voice(**{"X-ServiceToken": token}), f"/projects/{roof}/events") as stream:
        stream.until(lambda stream: stream.text)
        with world.write() as transaction:
            tokens.revoke(transaction, token)
        stream.until(lambda stream: stream.ended)
