"""Quick requests are answered one after the other by one thread or a few, all others beside them."""

import inspect
from base64 import b64encode
from io import StringIO

import granian.server.mp
import pytest
from granian.wsgi import _callback_wrapper

from skerry.config import Settings
from skerry.web import concurrency, lanes, quick_searches
from skerry.web.concurrency import ConcurrencyLimit
from skerry.web.lanes import Lanes
from skerry.web.log import Log
from skerry.web.metrics import Metrics
from skerry.web.transfers import Transfers
from tests.callers import PATIENCE_SECONDS, Caller, Doors


@pytest.fixture
def doors():
    return Doors()


@pytest.fixture
def log():
    return StringIO()


@pytest.fixture
def serve(doors):
    def serve(inside):
        def answer(transport, environment):
            pieces = inside(environment, None)
            if not isinstance(pieces, list):
                doors.entered.set()
                assert doors.open.wait(PATIENCE_SECONDS)
            transport.response_bytes(200, [], b"".join(pieces))

        return answer

    yield serve
    doors.open.set()


@pytest.fixture
def house(doors, serve, log):
    return Lanes(doors, serve, Log(stream=log))


def wait_until_parked(house, caller):
    """Wait until a thread is kept for later, and see that a caller has no answer by then."""
    while not house.parked:
        assert not caller.has_answer(0.01)


def test_the_thread_that_is_at_it_answers_what_others_come_with(house, doors):
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    second, third = Caller("/a").ask(house), Caller("/b").ask(house)
    while house.parked < 2:
        assert not first.has_answer(0.01)
    doors.open.set()
    assert all(caller.has_answer() for caller in (first, second, third))
    assert first.by == second.by == third.by


def test_as_many_answer_at_once_as_may_lead(doors, serve, log):
    house = Lanes(doors, serve, Log(stream=log), leaders=2)
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    assert Caller("/a").ask(house).has_answer()
    doors.entered.clear()
    second = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    third = Caller("/b").ask(house)
    wait_until_parked(house, first)
    doors.open.set()
    assert all(caller.has_answer() for caller in (first, second, third))
    assert third.by in (first.by, second.by)


def test_what_may_take_its_time_waits_for_nobody(house, doors):
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    assert Caller("/a", CONTENT_LENGTH="3").ask(house).has_answer()
    assert not first.answered.is_set()


def test_a_slow_request_loses_the_lead_and_nobody_waits_for_it(house, doors, monkeypatch):
    monkeypatch.setattr(lanes, "SLOW_SECONDS", 0.0)
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    second = Caller("/a").ask(house)
    while not second.has_answer(0.01):
        house.look()
    assert not first.answered.is_set()
    doors.open.set()
    assert first.has_answer()


def test_requests_like_a_slow_one_go_aside_for_a_while(house, doors, monkeypatch):
    monkeypatch.setattr(quick_searches, "SLOW_SECONDS", 0.0)
    doors.open.set()
    assert Caller("/door/1").ask(house).has_answer()
    monkeypatch.setattr(quick_searches, "SLOW_SECONDS", PATIENCE_SECONDS)
    doors.open.clear()
    doors.entered.clear()
    Caller("/door/2").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    assert Caller("/a").ask(house).has_answer()


def test_an_answer_that_goes_piece_by_piece_holds_nobody_up(house, doors):
    first = Caller("/stream").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    assert Caller("/a").ask(house).has_answer()
    assert not first.answered.is_set()


def left_behind(house, doors):
    """A request whose thread went elsewhere, while the leader is at another one."""
    assert Caller("/door/1").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    doors.entered.clear()
    left = Caller("/door/2").ask(house)
    wait_until_parked(house, left)
    assert Caller("/a", CONTENT_LENGTH="3").ask(house).has_answer()
    left.thread.join(PATIENCE_SECONDS)
    return left


def test_who_waits_is_answered_even_if_the_thread_that_came_with_it_went_elsewhere(house, doors, monkeypatch):
    monkeypatch.setattr(lanes, "SLOW_SECONDS", 0.0)
    left = left_behind(house, doors)
    house.look()
    assert doors.entered.wait(PATIENCE_SECONDS)
    doors.open.set()
    assert left.has_answer()


def test_a_thread_is_free_again_when_one_that_is_not_the_servers_has_answered_what_was_left(
    house, doors, monkeypatch
):
    monkeypatch.setattr(lanes, "SLOW_SECONDS", 0.0)
    left_behind(house, doors)
    house.look()
    assert doors.entered.wait(PATIENCE_SECONDS)
    last = Caller("/a").ask(house)
    wait_until_parked(house, last)
    doors.open.set()
    assert last.has_answer()
    last.thread.join(PATIENCE_SECONDS)
    assert house.parked == 0


def test_a_thread_that_is_not_needed_goes_back_and_what_it_came_with_is_answered(house, doors, monkeypatch):
    monkeypatch.setattr(lanes, "PARKED_SECONDS", 0.01)
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    second = Caller("/a").ask(house)
    second.thread.join(PATIENCE_SECONDS)
    assert not second.thread.is_alive()
    assert house.parked == 0
    doors.open.set()
    assert second.has_answer()
    assert second.by == first.by


def test_a_thread_that_is_chosen_as_its_time_ends_answers_what_waits(doors, serve, log, monkeypatch):
    class Late:
        """A lock that nobody lets go of in time."""

        def acquire(self, **_):
            house.look()
            assert not house.parked
            return False

        def release(self):
            """Wake a thread that sleeps no more."""

    class Hurried(Lanes):
        def _park(self, request):
            super()._park(request)
            self._parked[-1] = Late()
            return self._parked[-1]

    monkeypatch.setattr(lanes, "SLOW_SECONDS", 0.0)
    house = Hurried(doors, serve, Log(stream=log))
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    second = Caller("/a").ask(house)
    assert second.has_answer()
    assert second.by != first.by
    assert not first.answered.is_set()


def test_who_waits_is_answered_if_the_lead_is_lost_before_its_thread_sleeps(doors, serve, log, monkeypatch):
    class LookedAfter(Lanes):
        def _lead(self, request):
            parked = super()._lead(request)
            self.look()
            return parked

    monkeypatch.setattr(lanes, "SLOW_SECONDS", 0.0)
    house = LookedAfter(doors, serve, Log(stream=log))
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    assert Caller("/a").ask(house).has_answer()
    assert not first.answered.is_set()


def test_who_has_only_begun_to_lead_is_not_late(doors, serve, log):
    class LookedAfter(Lanes):
        def _next(self, leader):
            self.look()
            return super()._next(leader)

    assert Caller("/a").ask(LookedAfter(doors, serve, Log(stream=log))).has_answer()


def test_a_failure_is_answered_and_the_next_one_too(house, log):
    broken = Caller("/broken").ask(house)
    assert broken.has_answer()
    assert broken.status == 500
    assert Caller("/a").ask(house).has_answer()
    assert "ValueError" in log.getvalue()


def searching(house, query):
    """A search that was answered; its thread may still be at what follows."""
    found = Caller("/a", QUERY_STRING=f"q={query}").ask(house)
    assert found.has_answer()
    found.thread.join(PATIENCE_SECONDS)


def test_a_search_that_was_quick_waits_for_the_leader_the_next_time(house, doors, monkeypatch):
    for limit in ("QUICK_SECONDS", "SLOW_SECONDS", "STUCK_SECONDS"):
        monkeypatch.setattr(quick_searches, limit, PATIENCE_SECONDS)
    searching(house, "rain")
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    searching(house, "snow")
    second = Caller("/a", QUERY_STRING="q=rain").ask(house)
    wait_until_parked(house, second)
    doors.open.set()
    assert second.has_answer()
    assert first.by == second.by


def test_a_search_that_was_slow_waits_for_nobody(house, doors, monkeypatch):
    searching(house, "rain")
    monkeypatch.setattr(quick_searches, "SLOW_SECONDS", 0.0)
    searching(house, "rain")
    Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    searching(house, "rain")


def test_a_password_that_takes_long_says_nothing_about_the_search(house, doors, monkeypatch):
    monkeypatch.setattr(quick_searches, "SLOW_SECONDS", 0.0)
    password = f"Basic {b64encode(b'ada@example.org:secret').decode()}"
    assert Caller("/a", QUERY_STRING="q=rain", HTTP_AUTHORIZATION=password).ask(house).has_answer()
    for limit in ("QUICK_SECONDS", "SLOW_SECONDS", "STUCK_SECONDS"):
        monkeypatch.setattr(quick_searches, limit, PATIENCE_SECONDS)
    searching(house, "rain")
    first = Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    second = Caller("/a", QUERY_STRING="q=rain").ask(house)
    wait_until_parked(house, second)
    doors.open.set()
    assert first.has_answer()
    assert second.has_answer()


def test_what_a_search_waits_for_its_turn_says_nothing_about_it(doors, log, monkeypatch):
    monkeypatch.setattr(concurrency, "PATIENCE_SECONDS", quick_searches.STUCK_SECONDS)
    noted = []
    monkeypatch.setattr(quick_searches.QuickSearches, "note", lambda _self, _asked, took: noted.append(took))

    nobodys_turn = ConcurrencyLimit(
        lambda asked, start: start("200 OK", []) or doors(asked, start), Transfers(30), Metrics(), 0
    )
    house = Lanes(nobodys_turn, lambda inside: _callback_wrapper(inside, {}), Log(stream=log))
    searching(house, "rain")
    assert noted[0].whole < quick_searches.STUCK_SECONDS


def test_after_a_search_that_turned_out_to_be_long_no_other_has_a_leader_wait(house, doors, monkeypatch):
    searching(house, "rain")
    searching(house, "snow")
    monkeypatch.setattr(quick_searches, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(quick_searches, "SHARE", 1e-9)
    searching(house, "rain")
    Caller("/door").ask(house)
    assert doors.entered.wait(PATIENCE_SECONDS)
    searching(house, "snow")


def test_granian_still_has_the_place_where_lanes_are_put():
    assert "_wsgi_call_wrap(callback, scope_opts, log_access_fmt)" in inspect.getsource(granian.server.mp)


@pytest.mark.parametrize(
    ("url", "threads", "leaders"), [("", 8, 1), ("postgresql:///", 0, 4), ("postgresql:///", 2, 2)]
)
def test_several_threads_lead_only_where_a_database_is_waited_for(url, threads, leaders):
    assert Settings(database_url=url, threads=threads).leaders == leaders
