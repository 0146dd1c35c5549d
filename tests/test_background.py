"""Background work: one process for each account, and another one after it dies."""

from contextlib import closing
from threading import Event
from unittest.mock import Mock

import pytest

from skerry import background
from skerry.background import Background
from skerry.database.database import Database
from skerry.errors import SerializationFailure, Unavailable
from skerry.store import accounts
from skerry.store.sending import leases
from tests.support import matrix, migrated_databases
from tests.support.processes import PATIENCE, until


@pytest.fixture(params=[kind for kind, _ in matrix.BOTH])
def pair(request, tmp_path):
    """Two processes beside each other on a database with two accounts."""
    address = migrated_databases.at(request.param, tmp_path)
    with closing(Database(address)) as one, closing(Database(address)) as other:
        for name in ("First", "Second"):
            with one.write() as transaction:
                accounts.add(transaction, name, f"{name}.example".lower())
        yield Background(one, {}, refuse), Background(other, {}, refuse)


def refuse(name, error):
    raise AssertionError(name) from error


def dies(process):
    """Let the leases of a process expire, as they do when nobody renews them."""
    with process._database.write() as transaction:
        leases.hold(transaction, process.held.owner, -1)


def test_one_process_holds_all_accounts_and_keeps_them(pair):
    for process in (*pair, *pair):
        process.renew()
    assert [process.held.accounts for process in pair] == [{1, 2}, set()]


def test_another_one_takes_over_when_it_dies_and_it_notices_before_it_writes(pair):
    one, other = pair
    one.renew()
    dies(one)
    other.renew()
    assert other.held.accounts == {1, 2}
    with pytest.raises(SerializationFailure), one._database.write(1) as transaction:
        one.held.confirm(transaction)
    with other._database.write(1) as transaction:
        other.held.confirm(transaction)
    one.renew()
    assert one.held.accounts == set()


def test_a_lease_is_taken_over_in_time():
    assert background.TAKEN_OVER_SECONDS <= 30


def test_a_process_that_cannot_renew_its_leases_stops_before_others_take_over(pair, monkeypatch):
    one, _ = pair
    one.renew()
    later = background.monotonic() + background.LEASE_SECONDS - 1
    monkeypatch.setattr(background, "monotonic", lambda: later)
    assert one.held.accounts == set()


def test_a_process_that_stops_finishes_its_round_and_releases_its_accounts(pair):
    one, other = pair
    rounds = []
    started = Background(one._database, {"mail": lambda held: rounds.append(held.accounts)}, refuse)
    started.start()
    until(lambda: {1, 2} in rounds, "a round")
    other.renew()
    assert other.held.accounts == set()
    started.stop()
    other.renew()
    assert (started.held.accounts, other.held.accounts) == (set(), {1, 2})


def test_a_process_whose_sender_does_not_end_keeps_its_accounts(pair, monkeypatch):
    monkeypatch.setattr(background, "STOP_SECONDS", 0)
    one, other = pair
    begun, ended = Event(), Event()

    def send(_held):
        begun.set()
        ended.wait(PATIENCE)

    started = Background(one._database, {"mail": send}, refuse)
    started.renew()
    monkeypatch.setattr(started, "renew", lambda: None)
    started.start()
    begun.wait(PATIENCE)
    started.stop()
    other.renew()
    ended.set()
    assert other.held.accounts == set()


def test_leases_that_cannot_be_released_are_reported(pair, monkeypatch):
    reported = []
    process = Background(pair[0]._database, {}, lambda *failure: reported.append(failure))
    error = Unavailable("The database is gone")
    monkeypatch.setattr(leases, "release", Mock(side_effect=error))
    process.stop()
    assert reported == [("leases", error)]


def test_a_sender_that_fails_is_reported_and_stops_no_other(pair, monkeypatch):
    monkeypatch.setattr(background, "SECONDS", 0)
    reported, rounds = [], []

    def fail(_held):
        raise ZeroDivisionError

    senders = {"failing": fail, "working": rounds.append}
    started = Background(pair[0]._database, senders, lambda name, error: reported.append((name, type(error))))
    started.start()
    until(lambda: len(reported) > 1 and len(rounds) > 1, "more rounds")
    started.stop()
    assert set(reported) == {("failing", ZeroDivisionError)}


def test_a_paused_account_is_held_but_nothing_is_sent_for_it(pair):
    one, other = pair
    with one._database.write(2) as transaction:
        leases.pause(transaction, paused=True)
    for process in pair:
        process.renew()
    assert (one.held.accounts, other.held.accounts) == ({1}, set())
    with one._database.write(2) as transaction:
        leases.pause(transaction, paused=False)
    one.renew()
    assert one.held.accounts == {1, 2}


def test_a_new_account_is_held_at_once(pair):
    one, _ = pair
    one.renew()
    with one._database.write() as transaction:
        accounts.add(transaction, "Third", "third.example")
    one.renew()
    assert one.held.accounts == {1, 2, 3}


def test_readers_of_events_continue_while_sending_is_paused(pair):
    one, _ = pair
    one.renew()
    with one._database.write(1) as transaction:
        leases.pause(transaction, paused=True)
    one.renew()
    assert (one.held.accounts, one.held.leased) == ({2}, {1, 2})
    dies(one)
    one.held.stopping.set()
    assert one.held.leased == set()
