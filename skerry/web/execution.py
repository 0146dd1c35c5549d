"""Scheduling of work on the event loop and on threads.

SQLite completes a quick read before a thread could be woken, so such reads run on the event loop. A query to
a PostgreSQL server has to wait for the network, so it always runs on a thread.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from math import inf
from typing import TypeVar
from weakref import WeakValueDictionary

from skerry.errors import QueryTimeout, TooManyRequests, Unavailable
from skerry.tracker.secrets import AT_ONCE

T = TypeVar("T")

BUSY = "Too many large requests of yours are waiting; try again shortly"

MAX_WAITING = 1000
"""The maximum number of calls that wait for the threads of one pool."""

TIMEOUT_SECONDS = 20
"""How long a call waits for a thread before its client is told to retry."""

GRACE_SECONDS = 2
"""How much longer than the read limit a caller waits, so that the database can report the timeout."""

SLOW_THREADS = 2
"""The number of threads that render huge texts; leaves a processor for the rest."""

FILE_THREADS = 8
"""The number of threads that transfer files, which may have to wait for a disk or a bucket."""

MAX_OF_CALLER = 100
"""The maximum number of calls of one caller that run in turn or wait for their turn."""

BRIEF_SECONDS = 0.05
"""How long searches may block the event loop before they move to a thread."""


class ThreadPool:
    """A thread pool with a bounded queue."""

    def __init__(self, name: str, threads: int) -> None:
        """Create a pool; threads are started on demand."""
        self.waiting = 0
        self._executor = ThreadPoolExecutor(threads, name)
        self._share = max(1, threads // 4)
        self._turns: WeakValueDictionary[str, _Turns] = WeakValueDictionary()

    async def run(self, work: Callable[[], T], seconds: float = 0) -> T:
        """Call a function on a thread and return its result.

        Raises Unavailable if the queue is full or no thread becomes free in time; with ``seconds``, also if
        the result is not ready by then, although the thread continues.
        """
        if self.waiting >= MAX_WAITING:
            raise Unavailable
        self.waiting += 1
        future = self._executor.submit(work)
        result = asyncio.wrap_future(future)
        give_up = result.cancel if seconds else future.cancel
        expiry = asyncio.get_running_loop().call_later(seconds or TIMEOUT_SECONDS, give_up)
        try:
            return await result
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody has cancelled the caller, so it was the timeout.
            raise Unavailable from None
        finally:
            expiry.cancel()
            self.waiting -= 1

    async def run_in_turn(self, caller: str, work: Callable[[], T]) -> T:
        """Call a function as ``run`` does, but leave most threads to other callers.

        Raises TooManyRequests if too many calls of this caller wait, Unavailable as ``run`` does.
        """
        turns = self._turns.setdefault(caller, _Turns(self._share))
        if turns.taken >= MAX_OF_CALLER:
            raise TooManyRequests(BUSY, Unavailable.retry_after)
        turns.taken += 1
        try:
            try:
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    await turns.acquire()
            except TimeoutError:
                raise Unavailable from None
            try:
                return await self.run(work)
            finally:
                turns.release()
        finally:
            turns.taken -= 1

    def close(self) -> None:
        """Stop the threads after they finish their work."""
        self._executor.shutdown()


class _Turns(asyncio.Semaphore):
    """The threads that one caller may use at a time, and how many of its calls run or wait."""

    taken = 0


class Execution:
    """The thread pools of one process, and the assignment of work to them."""

    def __init__(self, *, embedded: bool, threads: int, read_seconds: int = 0) -> None:
        """Create the pools; ``threads`` are for the database, which may be ``embedded`` in this process.

        A read takes at most ``read_seconds`` if the database enforces the limit; 0 means no limit.
        """
        self._embedded = embedded
        self._read_seconds = max(read_seconds, TIMEOUT_SECONDS) + GRACE_SECONDS if read_seconds else 0
        self._database = ThreadPool("database", threads)
        # Writers wait for each other; on their own threads they do not hold up readers. SQLite has one writer
        # at a time, PostgreSQL several only if tables are distributed over machines.
        self._writer = ThreadPool("writer", 1 if embedded else threads)
        self._slow = ThreadPool("slow", SLOW_THREADS)
        self._passwords = ThreadPool("passwords", AT_ONCE)
        self._files = ThreadPool("files", FILE_THREADS)

    @property
    def waiting(self) -> int:
        """Return the number of calls that run on threads or wait for one."""
        return sum(pool.waiting for pool in self._pools)

    @property
    def _pools(self) -> tuple[ThreadPool, ...]:
        return (self._database, self._writer, self._slow, self._passwords, self._files)

    async def read_inline(self, work: Callable[[], T]) -> T:
        """Run a read that takes the database less than a few milliseconds."""
        return work() if self._embedded else await self.read(work)

    async def read_with_deadline(self, work: Callable[[float], T]) -> T:
        """Run a read that is probably quick; ``work`` is called with the seconds allowed for its searches.

        If it raises QueryTimeout on the event loop, it is repeated on a thread without a limit.
        """
        if self._embedded:
            with suppress(QueryTimeout):
                return work(BRIEF_SECONDS)
        return await self.read(partial(work, inf))

    async def read(self, work: Callable[[], T], seconds: float | None = None) -> T:
        """Run a read that may be slow, or a computation on its results.

        Raises Unavailable after ``seconds``, by default a little more than the read limit: then even the
        database has not reported the timeout.
        """
        return await self._database.run(work, self._read_seconds if seconds is None else seconds)

    async def write(self, work: Callable[[], T]) -> T:
        """Run a change of the database."""
        return await self._writer.run(work)

    async def slow(self, caller: str, work: Callable[[], T]) -> T:
        """Run work that uses a processor for long, such as rendering a huge text; callers take turns."""
        return await self._slow.run_in_turn(caller, work)

    async def passwords(self, work: Callable[[], T]) -> T:
        """Run work that hashes a password; signing in never waits for the slow work of others."""
        return await self._passwords.run(work)

    async def files(self, work: Callable[[], T]) -> T:
        """Run work that waits for a disk or a bucket."""
        return await self._files.run(work)

    async def received_files(self, caller: str, work: Callable[[], T]) -> T:
        """Run work that stores files and renders their texts; callers take turns."""
        return await self._files.run_in_turn(caller, work)

    async def close(self) -> None:
        """Stop all threads after they finish their work."""
        for pool in self._pools:
            await asyncio.to_thread(partial(pool.close))
