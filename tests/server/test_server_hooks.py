"""Hooks of a real server: each event arrives, at most twice if a worker is killed."""

import sqlite3
import time
from collections import Counter
from contextlib import closing, contextmanager

import pytest

from skerry.background import TAKEN_OVER_SECONDS
from tests.support.processes import credentials, expire_leases, kill_workers, made, serving, until
from tests.support.receivers import receiving


@contextmanager
def started(folder, receiver, workers="2"):
    """A server with a project that has a hook at a receiver."""
    with serving(folder, "--workers", workers, SKERRY_HOOKS_ALLOW="127.0.0.0/8") as program:
        program.token = credentials(program.output)[-1]
        made(program, "/projects.json", {"project": {"name": "Roof"}})
        made(program, "/projects/1/hooks.json", {"hook": {"url": receiver.url, "events": "ticket.created"}})
        yield program


def leases(program):
    """Return who holds the leases of a server's accounts; nobody is an empty text."""
    with closing(sqlite3.connect(program.folder / "data" / "skerry.sqlite3")) as database:
        return {owner for (owner,) in database.execute("SELECT owner FROM leases")}


def open_tickets(program, count):
    for number in range(count):
        made(program, "/projects/1/tickets.json", {"ticket": {"title": f"Leak {number}"}})


def test_others_go_on_where_workers_are_killed_and_at_once_where_a_server_stops(tmp_path):
    with receiving() as receiver:
        receiver.answer = lambda _request: time.sleep(0.02) or 200
        with started(tmp_path, receiver, "1") as program:
            open_tickets(program, 60)
            until(lambda: len(receiver.received) > 10, "some deliveries")
            kill_workers(program, expire_leases)
            until(lambda: len(set(receiver.numbers)) == 60, "the others")
            first = list(dict.fromkeys(receiver.numbers))
            assert first == sorted(first)
            assert max(Counter(request.message for request in receiver.received).values()) <= 2
            assert program.end() == 0
            assert leases(program) == {""}
        with serving(tmp_path, "--workers", "1", SKERRY_HOOKS_ALLOW="127.0.0.0/8") as again:
            again.token = program.token
            open_tickets(again, 1)
            until(lambda: len(set(receiver.numbers)) == 61, "another delivery")


@pytest.mark.faults
def test_workers_are_killed_twenty_times_and_every_event_comes_once_or_twice(tmp_path):
    with receiving() as receiver, started(tmp_path, receiver) as program:
        # Not so quick that all is sent before the kill.
        receiver.answer = lambda _request: time.sleep(0.005) or 200
        for round_number in range(1, 21):
            open_tickets(program, 30)
            wanted = 30 * (round_number - 1) + 5
            until(lambda: len(set(receiver.numbers)) > wanted, "some deliveries")  # noqa: B023 - asked at once
            kill_workers(program, expire_leases)
        until(lambda: len(set(receiver.numbers)) == 600, "all deliveries", 120)
        first = list(dict.fromkeys(receiver.numbers))
        assert first == sorted(first)
        assert max(Counter(request.message for request in receiver.received).values()) <= 2


@pytest.mark.faults
def test_a_killed_process_is_replaced_within_thirty_seconds(tmp_path):
    with receiving() as receiver, started(tmp_path, receiver) as program:
        open_tickets(program, 1)
        until(lambda: len(receiver.received) == 1, "a delivery")
        kill_workers(program)
        began = time.monotonic()
        open_tickets(program, 1)
        until(lambda: len(set(receiver.numbers)) == 2, "another delivery", 40)
        assert time.monotonic() - began < TAKEN_OVER_SECONDS
