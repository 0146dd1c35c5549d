"""Streams of events: new events, for as long as the reader has the permission."""

import re
import threading
from contextlib import ExitStack

import pytest

from skerry.store.people import people as store
from skerry.tracker.auth import tokens
from skerry.tracker.people import people
from skerry.tracker.secrets import hash_password
from skerry.web.responses import event_feed, event_streams
from tests.conftest import PASSWORD, build_world
from tests.support.browser_client import WebClient
from tests.support.client import basic
from tests.support.event_streams import streaming
from tests.support.processes import until

# What is read for a stream comes from the database; when it begins and ends, and how much it holds, does not.
BOTH = pytest.mark.matrix("databases")


@pytest.fixture(autouse=True)
def short_intervals(monkeypatch):
    """Let the feed look for events often, and for permissions less often, as it does with its own."""
    monkeypatch.setattr(event_feed, "SECONDS", 0.03)
    monkeypatch.setattr(event_feed, "CHECK_SECONDS", 0.3)


@pytest.fixture
def events(roof):
    """The address of the events of Ada's and Ben's project."""
    return f"/projects/{roof}/events"


def begun(stream):
    """Wait until a stream has begun, and return it."""
    stream.until(lambda each: each.text)
    return stream


def ends(stream):
    stream.until(lambda each: each.ended, "the end")


@BOTH
def test_events_are_sent_to_hooks(ada, ben, tickets, events):
    with streaming(ben, f"{events}?after=now") as stream:
        begun(stream)
        ada.post(tickets, {"ticket": {"title": "Leak"}})
        ada.put(f"{tickets}/1", {"ticket": {"state": "open"}})
        assert stream.types(2) == ["ticket.created", "ticket.updated"]
        assert stream.ids == [str(event["number"]) for event in stream.events]
    wanted = {"cache-control": "no-store", "content-type": "text/event-stream", "x-accel-buffering": "no"}
    assert stream.headers.items() >= wanted.items()
    assert "content-encoding" not in stream.headers


def test_a_stream_continues_after_the_last_event_received(ada, tickets, events):
    for title in ("One", "Two", "Three"):
        ada.post(tickets, {"ticket": {"title": title}})
    last = int(ada.get(f"{events}?after=now").headers["x-last-event-id"])
    with streaming(ada, f"{events}?after=0", Last_Event_ID=str(last - 1)) as stream:
        stream.types(1)
        ada.post(tickets, {"ticket": {"title": "Four"}})
        stream.types(2)
        assert [event["changes"]["title"][1] for event in stream.events] == ["Three", "Four"]


@BOTH
def test_a_stream_is_the_same_as_the_pages(ada, tickets, events):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "It drips"}})
    pages = ada.get(events).items
    with streaming(ada, events) as stream:
        stream.types(len(pages))
        assert stream.events == pages


def test_a_stream_of_xml_holds_xml(ada, tickets, events):
    ada.post(tickets, {"ticket": {"title": "One\rtwo"}})
    with streaming(ada, f"{events}.xml?after=1") as stream:
        stream.types(1)
        assert stream.blocks[1].data.startswith("<?xml")
        assert stream.events[-1]["type"] == "ticket.created"


def test_no_character_of_a_title_ends_a_line_of_a_stream(ada, ben, tickets, events):
    title = "a\u2028b\u2029c\x85d\re\nf\r\ng"
    with (
        streaming(ben, f"{events}.json?after=now") as stream,
        streaming(ben, f"{events}.xml?after=now") as xml,
    ):
        begun(stream)
        begun(xml)
        assert ada.post(tickets, {"ticket": {"title": title}}).item["title"] == title
        stream.types(1)
        xml.types(1)
    assert stream.events[0]["changes"]["title"] == [None, title]
    assert f"<new>{title}</new>".replace("\r", "&#13;") in xml.blocks[-1].data


def test_without_events_a_stream_says_how_far_it_has_looked(ada, ben, hull, events, monkeypatch):
    monkeypatch.setattr(event_streams, "HEARTBEAT_SECONDS", 0.05)
    with streaming(ben, f"{events}?after=now") as stream:
        ada.post(f"/projects/{hull}/tickets", {"ticket": {"title": "Elsewhere"}})
        last = ada.get("/events?after=now").headers["x-last-event-id"]
        stream.until(lambda each: any(block.comment == last for block in each.blocks))
        assert stream.ids == []
        assert stream.events == []


@BOTH
def test_a_stranger_gets_cursors_that_tell_nothing(ada, cy, roof, tickets, events):
    ada.put(f"/projects/{roof}", {"project": {"name": "Roof", "public": True}})
    with streaming(cy, f"{events}?after=now") as stream:
        begun(stream)
        for title in ("One", "Two"):
            ada.post(tickets, {"ticket": {"title": title}})
        stream.types(2)
    assert [event["number"] for event in stream.events] == [None, None]
    assert not any(re.fullmatch("[0-9]+", cursor) for cursor in stream.ids)
    with streaming(cy, events, Last_Event_ID=stream.ids[0]) as rest:
        assert rest.types(1) == ["ticket.created"]
        assert rest.events == stream.events[1:]


@BOTH
def test_a_stranger_is_told_nothing_about_hidden_things(ada, cy, roof, hull, tickets, monkeypatch):
    monkeypatch.setattr(event_streams, "HEARTBEAT_SECONDS", 0.05)
    ada.put(f"/projects/{roof}", {"project": {"name": "Roof", "public": True}})
    with streaming(cy, "/events?after=now") as stream:
        begun(stream)
        for title in ("Secret", "Hidden"):
            ada.post(f"/projects/{hull}/tickets", {"ticket": {"title": title}})
        ada.post(tickets, {"ticket": {"title": "Leak"}})
        assert stream.types(1) == ["ticket.created"]
        stream.until(lambda each: each.blocks[-1].comment)
    cursors = [block.id for block in stream.blocks if block.id]
    assert len(set(cursors)) == len(cursors)
    assert len(set(map(len, cursors))) == 1
    assert not re.search("Secret|Hidden", stream.text)


def test_a_stream_ends_with_the_token(world, ben, events):
    token = world.token(ben.user_id)
    with streaming(world.client(**{"X-ServiceToken": token}), events) as stream:
        begun(stream)
        with world.write() as transaction:
            tokens.revoke(transaction, token)
        ends(stream)


def test_a_stream_ends_with_the_password(world, ben, events):
    with streaming(world.client(**basic(ben.email, PASSWORD)), events) as stream:
        begun(stream)
        with world.write() as transaction:
            people.change_password(transaction, ben.email, hash_password("another good one"))
        ends(stream)


def test_a_stream_ends_with_the_session(world, ben, events):
    browser = WebClient(world.instance.application, world.host)
    browser.sign_in(ben.email, PASSWORD)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    with streaming(world.client(Cookie=cookie), events) as stream:
        begun(stream)
        browser.submit(browser.get("/"), "/sign-out")
        ends(stream)


@BOTH
def test_a_stream_ends_with_the_membership_and_before_the_next_event(ada, ben, tickets, roof, events):
    membership = next(
        each["id"]
        for each in ada.get(f"/projects/{roof}/memberships").items
        if each["user_id"] == ben.user_id
    )
    with streaming(ben, f"{events}?after=now") as stream, streaming(ben, "/events?after=now") as everywhere:
        begun(stream)
        begun(everywhere)
        ada.delete(f"/projects/{roof}/memberships/{membership}")
        ada.post(tickets, {"ticket": {"title": "Secret"}})
        ends(stream)
        assert not everywhere.ended
    assert "Secret" not in stream.text + everywhere.text


@pytest.mark.parametrize("missed_by", ["_with_news", "_readers"])
def test_a_stream_ends_with_the_administration_and_before_the_next_event(
    world, ada, tickets, missed_by, monkeypatch
):
    # Only one of the two loops of the feed notices it.
    monkeypatch.setattr(event_feed.EventFeed, missed_by, lambda *_: [])
    eve = world.person("eve", "administrator")
    with streaming(eve, "/events?after=now") as stream:
        begun(stream)
        with world.write() as transaction:
            store.change_role(transaction, eve.user_id, "member")
        ada.post(tickets, {"ticket": {"title": "Secret"}})
        ends(stream)
    assert stream.events == []


def test_a_public_stream_ends_when_its_project_becomes_private(ada, nobody, roof, events):
    ada.put(f"/projects/{roof}", {"project": {"name": "Roof", "public": True}})
    with streaming(nobody, f"{events}?after=now") as stream:
        begun(stream)
        ada.put(f"/projects/{roof}", {"project": {"name": "Roof", "public": False}})
        ends(stream)
    assert stream.events == []


def test_a_former_member_of_a_public_project_gets_no_counts(world, ada, cy, harbour):
    world.join(harbour, cy)
    events = f"/projects/{harbour}/events"
    membership = next(
        each["id"]
        for each in ada.get(f"/projects/{harbour}/memberships").items
        if each["user_id"] == cy.user_id
    )
    with streaming(cy, events) as stream, streaming(cy, "/events") as everywhere:
        assert stream.until(lambda each: each.events)[0]["number"]
        ada.delete(f"/projects/{harbour}/memberships/{membership}")
        ends(stream)
        # It never had any.
        assert not everywhere.ended
    assert cy.get(events).items[0]["number"] is None


def test_a_reader_who_takes_nothing_gets_everything_later(ada, ben, tickets, events, monkeypatch):
    monkeypatch.setattr(event_feed, "MAX_WAITING", 3)
    titles = [f"Leak {number}" for number in range(12)]
    with streaming(ben, f"{events}?after=now") as stream:
        begun(stream)
        stream.take(on=False)
        for title in titles:
            ada.post(tickets, {"ticket": {"title": title}})
        stream.take(on=True)
        stream.types(12)
    assert [event["changes"]["title"][1] for event in stream.events] == titles


def test_a_fault_in_one_account_ends_its_streams_and_no_others(world, ada, tickets, events, monkeypatch):
    other = build_world(world.instance, world.log, world.format)
    stranger, hand_over = other.people["ada"], event_feed._new_of_account
    project = stranger.post("/projects", {"project": {"name": "Roof"}}).item["id"]

    def fail(transaction, *rest):
        if transaction.account_id == world.account_id:
            raise ZeroDivisionError
        return hand_over(transaction, *rest)

    monkeypatch.setattr(event_feed, "_new_of_account", fail)
    with streaming(ada, f"{events}?after=now") as broken, streaming(stranger, "/events?after=now") as sound:
        begun(broken), begun(sound)

        def is_ended():
            # The first events may reach a stream as a page that it missed: those do not fail.
            ada.post(tickets, {"ticket": {"title": "Leak"}})
            return broken.ended

        until(is_ended, "the end of the stream")
        stranger.post(f"/projects/{project}/tickets", {"ticket": {"title": "Elsewhere"}})
        assert sound.types(1) == ["ticket.created"]
    assert world.log.getvalue().count("event streams") == 1
    world.log.truncate(0)


@BOTH
def test_many_streams_take_no_thread(ada, tickets, events):
    with ExitStack() as stack:
        streams = [stack.enter_context(streaming(ada, f"{events}?after=now")) for _ in range(20)]
        for stream in streams:
            begun(stream)
        before = threading.active_count()
        more = [stack.enter_context(streaming(ada, f"{events}?after=now")) for _ in range(40)]
        for stream in more:
            begun(stream)
        assert threading.active_count() < before + len(more) / 2  # a few are started when they are needed
        ada.post(tickets, {"ticket": {"title": "Leak"}})
        assert {tuple(stream.types(1)) for stream in (*streams, *more)} == {("ticket.created",)}


def test_nobody_has_too_many_streams(ada, ben, events, monkeypatch):
    monkeypatch.setattr(event_streams, "MAX_EACH", 1)
    with streaming(ben, events) as stream:
        begun(stream)
        with streaming(ben, events) as second, streaming(ada, events) as other:
            ends(second)
            assert (second.status, second.headers["retry-after"]) == (429, "2")
            assert begun(other).status == 200
    monkeypatch.setattr(event_streams, "MAX", 0)
    with streaming(ben, events) as stream:
        ends(stream)
    assert stream.status == 503


def test_an_address_without_credentials_has_fewer_streams(ben, nobody, harbour, monkeypatch):
    monkeypatch.setattr(event_streams, "MAX_ANONYMOUS", 1)
    events = f"/projects/{harbour}/events"
    with streaming(nobody, events) as stream:
        begun(stream)
        with streaming(nobody, events) as second, streaming(ben, events) as other:
            ends(second)
            assert (second.status, begun(other).status) == (429, 200)


def test_a_stream_needs_the_permission_to_read(cy, nobody, events):
    for client, status in ((cy, 404), (nobody, 401)):
        with streaming(client, events) as stream:
            ends(stream)
        assert (stream.status, stream.headers["content-type"]) == (status, "application/json; charset=utf-8")


def test_a_stream_asks_no_browser_for_a_password(nobody, events):
    with streaming(nobody, events, Sec_Fetch_Site="same-origin") as stream:
        ends(stream)
    assert (stream.status, "www-authenticate" in stream.headers) == (401, False)


def test_a_head_request_does_not_open_a_stream(ada, events):
    answer = ada.send("HEAD", events, Accept="text/event-stream")
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, "text/event-stream", b"")


def test_a_closed_stream_makes_room_for_another(ben, events, monkeypatch):
    monkeypatch.setattr(event_streams, "MAX_EACH", 1)
    for _ in range(2):
        with streaming(ben, events) as stream:
            assert begun(stream).status == 200
