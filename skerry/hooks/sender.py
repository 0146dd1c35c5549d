"""The background sender of hooks, which runs rounds of deliveries in its own thread."""

import asyncio
import ssl
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from time import monotonic

from skerry.background import Held
from skerry.hooks.batching import BatchedCall
from skerry.hooks.cpu_limiter import CpuLimiter
from skerry.hooks.loading import Key, Loader
from skerry.hooks.recording import Recorder
from skerry.hooks.transport import Resolve, Transport, look_up
from skerry.hooks.worker import Report, Tools, Worker
from skerry.store.engine.database import Database
from skerry.store.sending import hooks
from skerry.store.sending.hooks import Due
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
        self._scanned: dict[Key, int] = {}
        self._recorded_at: dict[Key, float] = {}
        self._resting: dict[Key, float] = {}

    def send(self, held: Held) -> None:
        """Send all due deliveries; return when none is left or the process is stopping."""
        due = self._due(held)
        if due:
            if self._trusted is None:
                self._trusted = self._verify()
            with ThreadPoolExecutor(1, "hooks") as executor:
                asyncio.run(self._round(held, due, self._trusted, executor))

    def _due(self, held: Held) -> set[Key]:
        """Return the hooks for which there may be something to send now."""
        account_ids = held.accounts
        if not account_ids:
            return set()
        with self._database.read() as transaction:
            waiting = hooks.due(transaction, account_ids)
            requested = hooks.with_requests(transaction, account_ids)
        now = monotonic()
        self._resting = {key: until for key, until in self._resting.items() if until > now}
        due = {(each.account_id, each.hook_id) for each in waiting if self._has_more(each)} | set(requested)
        return due - self._resting.keys()

    def _postpone(self, key: Key, seconds: float) -> None:
        self._resting[key] = monotonic() + seconds

    def _has_more(self, due: Due) -> bool:
        return due.last > self._scanned.get((due.account_id, due.hook_id), 0)

    async def _round(self, held: Held, due: set[Key], trusted: ssl.SSLContext, executor: Executor) -> None:
        loop, cpu_limiter = asyncio.get_running_loop(), CpuLimiter()
        load = BatchedCall(self._loader.load, executor, cpu_limiter)
        record = BatchedCall(Recorder(self._database, held).record, executor, cpu_limiter)
        at_work: dict[Key, asyncio.Task[None]] = {}
        async with Transport(self._allowed, trusted, self._resolve) as transport:
            tools = Tools(
                self._database,
                held,
                transport,
                cpu_limiter,
                load,
                record,
                self._scanned,
                self._recorded_at,
                self._postpone,
                self._report,
            )
            while due or at_work:
                for key in due - at_work.keys():
                    at_work[key] = asyncio.create_task(Worker(tools, key).run())
                await asyncio.wait(at_work.values(), timeout=_LOOK_SECONDS)
                at_work = {key: task for key, task in at_work.items() if not task.done()}
                due = await loop.run_in_executor(executor, self._due, held)
