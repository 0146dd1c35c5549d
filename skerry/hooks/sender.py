"""The background sender of hooks, which runs rounds of deliveries in its own thread."""

import asyncio
import ssl
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial

from skerry.background import Held
from skerry.database.database import Database
from skerry.hooks.batching import BatchedCall
from skerry.hooks.loading import Key, Loader
from skerry.hooks.pace import Pace
from skerry.hooks.recording import record
from skerry.hooks.schedule import REFUSALS
from skerry.hooks.transport import Resolve, Transport, look_up
from skerry.hooks.worker import Report, Tools, Worker
from skerry.store.sending import hooks
from skerry.tracker.context import Networks

_LOOK_SECONDS = 0.5
"""Interval between checks for more work during a round, in seconds."""


class Sender:
    """Delivers events to the hooks of the accounts that this process holds; one in each process."""

    def __init__(
        self,
        database: Database,
        base_url: str,
        allowed: Networks,
        report: Report,
        *,
        resolve: Resolve = look_up,
        verify: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        """Create a sender; ``resolve`` looks up hosts, ``verify`` creates the TLS context."""
        self._database, self._report = database, report
        self._loader = Loader(database, base_url)
        self._allowed, self._resolve, self._verify = allowed, resolve, verify
        self._trusted: ssl.SSLContext | None = None
        self._pace = Pace()
        self._workers: dict[Key, Worker] = {}

    def send(self, held: Held) -> None:
        """Send all due deliveries; return when none is left or the process is stopping."""
        due = self._due(held)
        if due:
            if self._trusted is None:
                self._trusted = self._verify()
            with ThreadPoolExecutor(1, "hooks") as executor:
                asyncio.run(self._round(held, due, self._trusted, executor))

    def _due(self, held: Held) -> set[Key]:
        """Return the hooks for which something may be due."""
        account_ids = held.accounts
        if not account_ids:
            return set()
        with self._database.read() as transaction:
            waiting = hooks.due(transaction, account_ids, REFUSALS)
            requested = set(hooks.with_requests(transaction, account_ids))
        due = {(each.account_id, each.hook_id): each for each in waiting}
        for key in due.keys() | requested:
            self._workers.setdefault(key, Worker(key))
        wanted = {key for key, each in due.items() if self._workers[key].has_more(each)}
        return {key for key in wanted | requested if not self._workers[key].is_resting}

    async def _round(self, held: Held, due: set[Key], trusted: ssl.SSLContext, executor: Executor) -> None:
        loop = asyncio.get_running_loop()
        load = BatchedCall(self._loader.load, executor)
        recorded = BatchedCall(partial(record, self._database, held), executor)
        at_work: dict[Key, asyncio.Task[None]] = {}
        async with Transport(self._allowed, trusted, self._resolve) as transport:
            tools = Tools(self._database, held, transport, self._pace, load, recorded, self._report)
            while due or at_work:
                for key in due - at_work.keys():
                    at_work[key] = asyncio.create_task(self._workers[key].run(tools))
                await asyncio.wait(at_work.values(), timeout=_LOOK_SECONDS)
                at_work = {key: task for key, task in at_work.items() if not task.done()}
                due = await loop.run_in_executor(executor, self._due, held)
