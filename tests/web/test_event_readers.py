"""Readers of events get each event once and in order, also after failures."""

import pytest

from skerry.tracker.events.event_readers import SOME, TRIES, PatientReader


@pytest.fixture
def reading(world, roof):
    """Return what reads new events, and the numbers of those of the account that it was handed."""
    told = []

    def read(transaction, events):
        if transaction.account_id == world.account_id:
            told.extend(events)

    def look(name):
        reader_of(world, name, read).read_new([world.account_id], go_on)
        return told

    return look


def reader_of(world, name, read, report=lambda _what: None):
    return PatientReader(world.database, name, read, lambda what, _error: report(what))


def go_on(_seconds):
    """Return at once, without a rest."""


@pytest.mark.matrix("both")
def test_a_reader_gets_each_event_once_and_in_order(reading, ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Roof"}})
    assert [event.type for event in reading("once")][-1] == "ticket.created"
    before = len(reading("once"))
    ada.put(f"{tickets}/1", {"ticket": {"title": "Gable"}})
    told = reading("once")
    assert len(told) == before + 1
    assert told[-1].changes == {"title": ["Roof", "Gable"]}
    assert [event.number for event in told] == list(range(1, len(told) + 1))


def test_readers_are_independent_of_each_other(reading):
    assert len(reading("first")) * 2 == len(reading("second"))


@pytest.mark.matrix("both")
def test_after_a_failure_the_same_events_come_again(world, reading, roof):
    def fail(_transaction, _events):
        raise ZeroDivisionError

    reports = []
    reader_of(world, "failing", fail, reports.append).read_new([world.account_id], go_on)
    (report,) = reports
    assert reading("failing")
    assert report == f"event {reading('failing')[0].number} at failing"


def test_a_reader_rests_after_each_transaction_and_reads_only_where_it_is_told(world, ada, tickets):
    for _ in range(SOME):
        ada.post(tickets, {"ticket": {"title": "Roof"}})
    handed, rests = [], []

    def read(_transaction, events):
        handed.append(len(events))

    reader = reader_of(world, "resting", read)
    reader.read_new([], rests.append)
    assert (handed, rests) == ([], [])
    reader.read_new([world.account_id], rests.append)
    assert (handed[0], 0 < handed[1] < SOME) == (SOME, True)
    assert [seconds > 0 for seconds in rests] == [True, True]


@pytest.mark.matrix("both")
def test_an_event_that_fails_ten_times_is_set_aside_and_those_after_it_are_read(world, ada, tickets):
    for title in ("Roof", "Poison", "Gable"):
        ada.post(tickets, {"ticket": {"title": title}})
    told, reports = [], []

    def read(transaction, events):
        for event in events:
            if event.type == "ticket.created" and event.subject_id == "2":
                raise ZeroDivisionError
            if transaction.account_id == world.account_id and event.type == "ticket.created":
                transaction.after_commit(lambda subject=event.subject_id: told.append(subject))

    reader = reader_of(world, "patient", read, reports.append)
    for _ in range(TRIES - 1):
        reader.read_new([world.account_id], go_on)
    assert told == ["1"]
    reader.read_new([world.account_id], go_on)
    assert told == ["1", "3"]
    assert ["set aside" in each for each in reports] == [False, True]
    refused = [item for item in ada.get("/administration/backlog").items if item["state"] == "refused"]
    assert [(item["kind"], item["name"], item["count"]) for item in refused] == [("reader", "patient", 1)]
