"""What runs on the event loop, and what on which threads.

SQLite answers a quick read sooner than a thread could be woken for it, so such reads run on the event loop. A
query to a PostgreSQL server has to be waited for, so it always runs on a thread.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from math import inf
from typing import TypeVar

from skerry.errors import QueryTimeout, Unavailable

T = TypeVar("T")

MOST_WAITING = 1000
"""The number of calls that may wait for the threads of one pool."""

PATIENCE_SECONDS = 20
"""How long a call waits for a thread before its caller is told to come back."""

GRACE_SECONDS = 2
"""How much longer than a read may take, its caller waits for the database to say so."""

SLOW_THREADS = 2
"""The number of threads that hash passwords and render huge texts, which leaves a processor to the rest."""

FILE_THREADS = 8
"""The number of threads that move files, which may have to wait for a disk or a bucket."""


BRIEF_SECONDS = 0.05
"""How long searches may hold up the event loop before they go to a thread."""


class Pool:
    """Threads with a bounded queue in front of them."""

    def __init__(self, name: str, threads: int) -> None:
        """Start no thread before it is needed."""
        self.waiting = 0
        self._executor = ThreadPoolExecutor(threads, name)

    async def run(self, work: Callable[[], T], seconds: float = 0) -> T:
        """Call a function on a thread and return its result.

        Raise Unavailable if too many calls wait already, or if no thread becomes free in time; or, with a
        number of seconds, if the result is not there by then, whatever the thread goes on doing.
        """
        if self.waiting >= MOST_WAITING:
            raise Unavailable
        self.waiting += 1
        future = self._executor.submit(work)
        result = asyncio.wrap_future(future)
        give_up = result.cancel if seconds else future.cancel
        expiry = asyncio.get_running_loop().call_later(seconds or PATIENCE_SECONDS, give_up)
        try:
            return await result
        except asyncio.CancelledError:
            if expiry.when() <= asyncio.get_running_loop().time():
                raise Unavailable from None
            raise
        finally:
            expiry.cancel()
            self.waiting -= 1

    def close(self) -> None:
        """Stop the threads once they have finished their work."""
        self._executor.shutdown()


class Execution:
    """The threads of one process, and the rule that says which work they do."""

    def __init__(self, *, embedded: bool, threads: int, read_seconds: int = 0) -> None:
        """Use so many threads for the database; ``embedded`` says that it runs inside this process.

        A read takes at most ``read_seconds`` where the database watches the time; 0 is no limit.
        """
        self._embedded = embedded
        self._read_seconds = max(read_seconds, PATIENCE_SECONDS) + GRACE_SECONDS if read_seconds else 0
        self._database = Pool("database", threads)
        # Writers wait for each other, and on these threads they hold up no reader. SQLite has one at a time;
        # PostgreSQL has several only where tables are spread over machines.
        self._writer = Pool("writer", 1 if embedded else threads)
        self._slow = Pool("slow", SLOW_THREADS)
        self._files = Pool("files", FILE_THREADS)

    @property
    def waiting(self) -> int:
        """The number of calls that run on threads, or wait for one."""
        return sum(pool.waiting for pool in self._pools)

    @property
    def _pools(self) -> tuple[Pool, ...]:
        return (self._database, self._writer, self._slow, self._files)

    async def quick(self, work: Callable[[], T]) -> T:
        """Read something that takes the database less than a few milliseconds."""
        return work() if self._embedded else await self.read(work)

    async def brief(self, work: Callable[[float], T]) -> T:
        """Read something that is most likely quick; ``work`` gets the number of seconds for its searches.

        What raises QueryTimeout on the event loop is done again on a thread, for as long as it takes.
        """
        if self._embedded:
            with suppress(QueryTimeout):
                return work(BRIEF_SECONDS)
        return await self.read(partial(work, inf))

    async def read(self, work: Callable[[], T], seconds: float | None = None) -> T:
        """Read something that may take long, or compute something from what was read.

        Raise Unavailable if it takes more seconds, by default a few more than a read may take: then the
        database does not even say that it took too long.
        """
        return await self._database.run(work, self._read_seconds if seconds is None else seconds)

    async def write(self, work: Callable[[], T]) -> T:
        """Change something in the database."""
        return await self._writer.run(work)

    async def slow(self, work: Callable[[], T]) -> T:
        """Do something that keeps a processor busy for long: hash a password, render a huge text."""
        return await self._slow.run(work)

    async def files(self, work: Callable[[], T]) -> T:
        """Do something that waits for a disk or a bucket."""
        return await self._files.run(work)

    async def close(self) -> None:
        """Stop all threads once they have finished their work."""
        for pool in self._pools:
            await asyncio.to_thread(partial(pool.close))
