"""Unreadable events: every reader skips them, and they are logged once."""

import json
import re

import pytest

from skerry.app import READERS
from skerry.store.events import decoding
from skerry.store.events.decoding import UNREADABLE
from skerry.tracker.events.event_readers import PatientReader
from skerry.web.responses import event_feed
from skerry.web.routes.pages import PAGES
from skerry.web.routes.table import ROUTES
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.event_streams import streaming

pytestmark = pytest.mark.matrix("databases")

BROKEN = [
    {"changes": "not json"},
    {"changes": ""},
    {"changes": "null"},
    {"changes": "[]"},
    {"changes": "5"},
    {"changes": "[" * 100_000},
    {"changes": '{"title": "Leak"}'},
    {"changes": '{"title": ["Leak"]}'},
    {"changes": '{"title": [NaN, 1]}'},
    {"changes": '{"title": ["a", "\\ud83d"]}'},
    {"changes": '{"project_id": ["x", {}]}'},
    {"changes": "{" + '"a": ' + "9" * 5000 + "}"},
    {"subject_id": "none"},
    {"subject_id": "9" * 30},
    {"happened_at": 2**62},
]


@pytest.fixture(autouse=True)
def nothing_reported(monkeypatch):
    monkeypatch.setattr(decoding, "_reported", set())


def last(client):
    return int(client.get("/events?after=now").headers["x-last-event-id"])


@pytest.fixture
def spoil(world):
    """Return what spoils columns of one event, or of all."""

    def spoil(number=None, **columns):
        where = "account_id = ?" if number is None else "account_id = ? AND number = ?"
        keys = [world.account_id] if number is None else [world.account_id, number]
        with world.write() as transaction:
            for name, value in columns.items():
                sql = f"UPDATE events SET {name} = ? WHERE {where} RETURNING 1"
                transaction.sql(sql, [value, *keys])

    return spoil


@pytest.fixture
def spoilt(ada, tickets, spoil):
    """Return what makes three events, of which the second is spoilt, and gives their first number."""

    def make(**columns):
        after = last(ada)
        for title in ("Before", "Spoilt", "After"):
            ada.post(tickets, {"ticket": {"title": title}})
        spoil(after + 2, **columns)
        return after + 1

    return make


def test_times_of_the_first_events_are_read_as_those_of_later_ones(ada, spoilt):
    said = "at 2027-01-31T00:00:00+00:00"
    first = spoilt(changes=json.dumps({"due_on": [None, said[3:]], "title": [said, None]}))
    changes = ada.get(f"/events?after={first}").items[0]["changes"]
    assert changes == {"due_on": [None, "2027-01-31T00:00:00Z"], "title": [said, None]}


@pytest.mark.parametrize("columns", BROKEN)
def test_an_event_that_cannot_be_read_is_listed_as_unreadable(ada, ben, roof, spoilt, caplog, columns):
    first = spoilt(**columns)
    for client, path in (
        (ada, "/events"),
        (ben, f"/projects/{roof}/events"),
        (ben, f"/projects/{roof}/events"),
    ):
        found = client.get(f"{path}?after={first - 1}").items
        assert [event["number"] for event in found] == [first, first + 1, first + 2]
        assert [event["type"] for event in found] == ["ticket.created", UNREADABLE, "ticket.created"]
        assert (found[1]["changes"], found[1]["subject_id"], found[1]["project_id"]) == ({}, None, roof)
    told = [record.message for record in caplog.records if "cannot be read" in record.message]
    assert len(told) == 1
    assert f"Event {first + 1} of account" in told[0]


@pytest.mark.parametrize("columns", BROKEN)
@pytest.mark.parametrize("name", READERS)
def test_a_reader_continues_after_an_unreadable_event(world, ada, spoilt, columns, name):
    first, told, reported = spoilt(**columns), [], []

    def read(transaction, events):
        told.extend(event.number for event in events)
        READERS[name](transaction, events)

    reader = PatientReader(world.database, name, read, lambda *said: reported.append(said))
    reader.read_new([world.account_id], lambda _seconds: None)
    assert [number for number in told if number >= first] == [first, first + 2]
    assert reported == []


def test_a_stream_continues_after_an_unreadable_event(world, ada, spoilt, monkeypatch):
    monkeypatch.setattr(event_feed, "SECONDS", 0.03)
    first = spoilt(changes="not json")
    with streaming(ada, f"/events?after={first - 1}") as stream:
        stream.until(lambda each: f"id: {first + 2}\n" in each.text)


def test_no_answer_and_no_page_fails_where_no_event_can_be_read(world, ada, roof, tickets, spoil):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    for name, read in READERS.items():
        PatientReader(world.database, name, read, lambda *_said: None).read_new(
            [world.account_id], lambda _: 0
        )
    spoil(changes="not json")
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    paths = [(ada, route.path) for route in ROUTES if route.method == "GET"]
    for client, path in [*paths, *((web, page.path) for page in PAGES)]:
        filled = re.sub(r"\{\w+\}", "1", path.replace("{project_id}", str(roof)))
        assert client.get(filled).status < 500, filled
