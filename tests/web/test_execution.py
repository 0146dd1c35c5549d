"""Execution on the event loop and on threads, and calls that find no thread."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from threading import Event

import pytest
import uvloop

from skerry.errors import QueryTimeout, TooManyRequests, Unavailable
from skerry.web import execution
from skerry.web.execution import Execution, ThreadPool
from tests.support import loops
from tests.support.client import LOOP
from tests.support.processes import PATIENCE, until


@pytest.fixture
def busy():
    """Return a pool of one thread, and what lets go of the thread once it is busy."""
    pool, go_on = ThreadPool("test", 1), Event()
    yield pool, lambda: go_on.wait(PATIENCE), go_on
    go_on.set()
    pool.close()


async def begun(pool, *works):
    """Return tasks that wait for a pool."""
    tasks = [asyncio.create_task(pool.run(work)) for work in works]
    await asyncio.sleep(0)
    return tasks


def test_a_call_is_refused_while_too_many_wait(busy, monkeypatch):
    monkeypatch.setattr(execution, "MAX_WAITING", 2)
    pool, work, go_on = busy

    async def crowd():
        first = await begun(pool, work, work)
        with pytest.raises(Unavailable):
            await pool.run(work)
        go_on.set()
        return await asyncio.gather(*first), await pool.run(work)

    assert LOOP.run(crowd()) == ([True, True], True)


def test_a_call_is_given_up_when_no_thread_becomes_free_in_time(busy, monkeypatch):
    monkeypatch.setattr(execution, "TIMEOUT_SECONDS", 0.1)
    pool, work, go_on = busy
    carried_out = []

    async def wait():
        (first,) = await begun(pool, work)
        with pytest.raises(Unavailable):
            await pool.run(lambda: carried_out.append("late"))
        go_on.set()
        return await first

    # A call that has begun takes as long as it takes.
    assert (LOOP.run(wait()), carried_out, pool.waiting) == (True, [], 0)


def test_a_read_from_a_database_that_hangs_gets_an_error(busy, monkeypatch):
    monkeypatch.setattr(execution, "TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr(execution, "GRACE_SECONDS", 0)
    _, work, go_on = busy

    async def read(kinds):
        with pytest.raises(Unavailable):
            await kinds.read(work)
        go_on.set()
        await kinds.close()

    LOOP.run(read(Execution(embedded=False, threads=1, read_seconds=0.1)))


def test_every_read_that_takes_too_long_is_unavailable_on_the_loop_of_the_server(busy):
    pool, work, go_on = busy

    async def give_up(number):
        # Timers of uvloop may fire a little early, which depends on the moment of their start.
        await asyncio.sleep(number / 4000)
        with pytest.raises(Unavailable):
            await pool.run(work, 0.01)

    async def crowd():
        await asyncio.gather(*map(give_up, range(800)))
        go_on.set()

    loops.on_a_thread(lambda: uvloop.run(crowd()))
    assert pool.waiting == 0


def test_a_call_whose_caller_has_left_is_not_executed(busy):
    pool, work, go_on = busy
    carried_out = []

    async def leave():
        first, second = await begun(pool, work, lambda: carried_out.append("alone"))
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        go_on.set()
        await first

    LOOP.run(leave())
    assert (carried_out, pool.waiting) == ([], 0)


def test_an_exception_on_a_thread_is_raised_to_its_caller(busy):
    def fail():
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        LOOP.run(busy[0].run(fail))
    assert busy[0].waiting == 0


def test_one_caller_with_much_slow_work_holds_up_nobody_else(busy, monkeypatch):
    monkeypatch.setattr(execution, "MAX_OF_CALLER", 20)
    _, work, go_on = busy

    async def crowd():
        kinds = Execution(embedded=False, threads=1)
        mine = [asyncio.create_task(kinds.slow("cy", work)) for _ in range(20)]
        files = [asyncio.create_task(kinds.received_files("cy", work)) for _ in range(20)]
        await asyncio.sleep(0.05)
        with pytest.raises(TooManyRequests):
            await kinds.slow("cy", work)
        others = (
            kinds.slow("ben", int),
            kinds.passwords(int),
            kinds.received_files("ben", int),
            kinds.files(int),
        )
        assert await asyncio.wait_for(asyncio.gather(*others), PATIENCE) == [0, 0, 0, 0]
        go_on.set()
        assert set(await asyncio.gather(*mine, *files)) == {True}
        assert (await kinds.slow("cy", int), kinds.waiting) == (0, 0)
        await kinds.close()

    LOOP.run(crowd())


def test_a_caller_waits_a_limited_time_for_a_turn(busy, monkeypatch):
    monkeypatch.setattr(execution, "TIMEOUT_SECONDS", 0.05)
    pool, work, go_on = busy

    async def crowd():
        first = asyncio.create_task(pool.run_in_turn("cy", work))
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await pool.run_in_turn("cy", work)
        go_on.set()
        return await first, await pool.run_in_turn("cy", work)

    assert LOOP.run(crowd()) == (True, True)


def threads_of(embedded):
    """Return the names of the threads that carry out each kind of work."""

    async def ask():
        kinds = Execution(embedded=embedded, threads=2)
        work = (
            kinds.read_inline,
            kinds.read,
            kinds.write,
            partial(kinds.slow, "cy"),
            kinds.passwords,
            kinds.files,
        )
        names = [(await run(lambda: threading.current_thread().name)) for run in work]
        await kinds.close()
        return [name.partition("_")[0] for name in names]

    return LOOP.run(ask())


def test_quick_reads_of_sqlite_need_no_thread_and_writes_share_one():
    assert threads_of(embedded=True) == ["server", "database", "writer", "slow", "passwords", "files"]


def test_everything_that_asks_postgresql_runs_on_threads_and_writes_on_their_own():
    assert threads_of(embedded=False) == ["database", "database", "writer", "slow", "passwords", "files"]


@pytest.mark.matrix("databases")
def test_writers_who_wait_for_each_other_hold_up_no_reader(world, ada, tickets):
    def waiting():
        return world.instance.metrics.snapshot()["levels"]["requests_waiting"]

    with ThreadPoolExecutor(20) as pool:
        with world.write():
            writers = [pool.submit(ada.post, tickets, {"ticket": {"title": "Roof"}}) for _ in range(20)]
            until(lambda: waiting() == len(writers), "writers that wait")
            # It would not be answered in time if it waited for them.
            assert ada.get(tickets).status == 200
        assert {writer.result().status for writer in writers} == {201}


def tried_by(embedded):
    """Return the threads on which a search is done that takes too long, each with its time limit."""
    tries = []

    def search(seconds):
        tries.append((threading.current_thread().name.partition("_")[0], seconds))
        if seconds < inf:
            raise QueryTimeout
        return "found"

    async def ask():
        kinds = Execution(embedded=embedded, threads=2)
        found = await kinds.read_with_deadline(search)
        await kinds.close()
        return found

    assert LOOP.run(ask()) == "found"
    return tries


def test_a_search_that_holds_up_the_event_loop_is_done_on_a_thread():
    assert tried_by(embedded=True) == [("server", execution.BRIEF_SECONDS), ("database", inf)]
    assert tried_by(embedded=False) == [("database", inf)]


@pytest.mark.matrix("databases")
def test_a_search_is_answered_even_if_the_event_loop_has_no_time(ada, tickets, monkeypatch):
    ada.post(tickets, {"ticket": {"title": "Roof"}})
    monkeypatch.setattr(execution, "BRIEF_SECONDS", 0)
    answer = ada.get(f"{tickets}?q=roof")
    assert ([ticket["title"] for ticket in answer.items], answer.headers["x-total-count"]) == (["Roof"], "1")


@pytest.mark.matrix("databases")
def test_a_caller_is_told_to_retry_when_too_many_wait(ada, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(execution, "MAX_WAITING", 0)
        answer = ada.post("/projects", {"project": {"name": "Roof"}})
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert ada.get("/projects").items == []
