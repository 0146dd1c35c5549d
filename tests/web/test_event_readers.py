"""Readers of events get each event once and in order, also after failures."""

import pytest

from skerry.tracker.events.event_readers import SOME, TRIES, PatientReader, read_new


@pytest.fixture
def reading(world, roof):
    """Return what reads new events, and the numbers of those of the account that it was handed."""
    told = []

    def read(transaction, events):
        if transaction.account_id == world.account_id:
            told.extend(events)

    def look(name, only=(world.account_id,)):
        read_new(world.database, name, read, only=only)
        return told

    return look


@pytest.mark.matrix("both")
def test_a_reader_gets_each_event_once_and_in_order(reading, ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Roof"}})
    assert [event.type for event in reading("once", only=None)][-1] == "ticket.created"
    before = len(reading("once", only=None))
    ada.put(f"{tickets}/1", {"ticket": {"title": "Gable"}})
    told = reading("once", only=None)
    assert len(told) == before + 1
    assert told[-1].changes == {"title": ["Roof", "Gable"]}
    assert [event.number for event in told] == list(range(1, len(told) + 1))


def test_readers_are_independent_of_each_other(reading):
    assert len(reading("first")) * 2 == len(reading("second"))


@pytest.mark.matrix("both")
def test_after_a_failure_the_same_events_come_again(world, reading, roof):
    def fail(_transaction, _events):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        read_new(world.database, "failing", fail, only=[world.account_id])
    assert reading("failing")


def test_a_reader_rests_after_each_transaction_and_reads_only_where_it_is_told(world, ada, tickets):
    for _ in range(SOME):
        ada.post(tickets, {"ticket": {"title": "Roof"}})
    handed, rests = [], []

    def read(_transaction, events):
        handed.append(len(events))

    assert read_new(world.database, "resting", read, only=()) == 0
    count = read_new(world.database, "resting", read, only=(world.account_id,), rest=rests.append)
    assert handed == [SOME, count - SOME]
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

    reader = PatientReader(world.database, "patient", read, lambda what, _error: reports.append(what))
    for _ in range(TRIES - 1):
        reader.read_new([world.account_id], lambda _seconds: None)
    assert told == ["1"]
    reader.read_new([world.account_id], lambda _seconds: None)
    assert told == ["1", "3"]
    assert ["set aside" in each for each in reports] == [False, True]
    refused = [item for item in ada.get("/administration/backlog").items if item["state"] == "refused"]
    assert [(item["kind"], item["name"], item["count"]) for item in refused] == [("reader", "patient", 1)]
