"""Serves one hook: sends its deliveries in order and records the outcomes."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from skerry.background import Held
from skerry.errors import SerializationFailure, Unavailable
from skerry.hooks import schedule
from skerry.hooks.batching import BatchedCall
from skerry.hooks.cpu_limiter import CpuLimiter
from skerry.hooks.deliveries import Kind, Outcome, deliver
from skerry.hooks.loading import Item, Key, Work
from skerry.hooks.recording import Attempt, Result
from skerry.hooks.schedule import After
from skerry.hooks.transport import Transport
from skerry.store.engine.database import Database
from skerry.store.sending.hooks import Target

RECORDED_AFTER = 0.05
"""Deliveries to a fast receiver are recorded together at this interval, in seconds."""

RECORDED_EVENTS = 500
RECORDED_SECONDS = 60
"""The cursor of a hook is stored after passing over this many events, or any for this long."""

_POSTPONED_SECONDS = 1
_MAX_CONFLICTS = 3

FAULT_SECONDS = 60
"""How many seconds a hook pauses after an internal error, so that it does not fail in a tight loop."""

Report = Callable[[str, Exception | None], object]
"""Called with a message, and with the exception if there was an internal error."""


@dataclass(frozen=True)
class Tools:
    """Resources shared by the tasks of a round.

    ``scanned`` has the last event examined for each hook, ``recorded_at`` the time when that was last stored.
    """

    database: Database
    held: Held
    transport: Transport
    cpu_limiter: CpuLimiter
    load: BatchedCall[tuple[Key, int], Work | None]
    record: BatchedCall[Result, Target]
    scanned: dict[Key, int]
    recorded_at: dict[Key, float]
    postpone: Callable[[Key, float], object]
    report: Report


class Worker:
    """The work for one hook in one round."""

    def __init__(self, tools: Tools, key: Key) -> None:
        """Create the work for a hook, given by its key."""
        self._tools, self._key = tools, key
        self._name = f"Hook {key[1]} of account {key[0]}"

    async def run(self) -> None:
        """Send everything that is due; on an error, report it and put the hook off."""
        try:
            while await self._run_batch():
                pass
        except (SerializationFailure, Unavailable) as error:
            self._tools.report(f"{self._name} is postponed: {error}", None)
            self._tools.postpone(self._key, _POSTPONED_SECONDS)
        except Exception as error:  # noqa: BLE001 - one hook must not stop others
            self._tools.report(f"{self._name} is postponed", error)
            self._tools.postpone(self._key, FAULT_SECONDS)

    @property
    def _is_ours(self) -> bool:
        return self._key[0] in self._tools.held.accounts

    async def _run_batch(self) -> bool:
        """Load and send one batch; return whether there may be more to send now."""
        if not self._is_ours:
            return False
        scanned = self._tools.scanned
        work = await self._tools.load((self._key, scanned.get(self._key, 0)))
        if work is None:
            scanned.pop(self._key, None)
            return False
        if work.items and not await self._deliver(work):
            return False
        scanned[self._key] = work.scanned
        if not work.items:
            await self._pass_over(work)
        return work.more

    async def _pass_over(self, work: Work) -> None:
        """Store the cursor of a hook from time to time when no events match."""
        passed, now = work.scanned - work.target.cursor, monotonic()
        since = self._tools.recorded_at.setdefault(self._key, now)
        if passed > RECORDED_EVENTS or (passed > 0 and now - since >= RECORDED_SECONDS):
            await self._note(work.target, work.target._replace(cursor=work.scanned), [])
            self._tools.recorded_at[self._key] = now

    async def _deliver(self, work: Work) -> bool:
        """Send items in order; return whether all were delivered or set aside."""
        before = target = work.target
        tries: list[Attempt] = []
        began, noting = monotonic(), asyncio.create_task(asyncio.sleep(0, target))
        for item in work.items:
            if not self._is_ours:
                break
            outcome = await self._outcome(target, item)
            now = self._tools.database.clock()
            follows = _following(target, item, outcome, now)
            self._tell(target, item, outcome, follows)
            delivery_id = item.requested.id if item.requested else target.delivery_id
            next_try_at = follows.target.next_try_at if follows.state == "waiting" else None
            tries.append(Attempt(item, outcome, now, follows.state, delivery_id, next_try_at))
            target = follows.target
            if not follows.goes_on:
                await noting
                await self._note(before, target, tries)
                return False
            await self._tools.cpu_limiter.wait()
            if monotonic() - began > RECORDED_AFTER:
                # The next items are sent meanwhile.
                await noting
                noting = asyncio.create_task(self._note(before, target, tries))
                before, tries, began = target, [], monotonic()
        await noting
        if tries:
            await self._note(before, target, tries)
        return self._is_ours

    async def _outcome(self, target: Target, item: Item) -> Outcome:
        if item.body is None:
            return Outcome(Kind.BROKEN, answer=f"The delivery could not be built: {item.fault}")
        now = self._tools.database.clock()
        secrets = [target.secret]
        if target.old_secret and now < (target.old_secret_until or 0):
            secrets.append(target.old_secret)
        try:
            return await deliver(self._tools.transport, target.url, secrets, item.message_id, now, item.body)
        except Exception as error:  # noqa: BLE001 - retried, and finally set aside
            self._tools.report(f"{self._name}: {item.message_id} could not be sent", error)
            return Outcome(Kind.BROKEN, answer=f"The delivery could not be sent: {type(error).__name__}")

    def _tell(self, before: Target, item: Item, outcome: Outcome, follows: After) -> None:
        """Report to administrators a hook that was turned off, or an event set aside by an internal error."""
        if before.active and not follows.target.active:
            self._tools.report(f"{self._name}: {follows.target.problem}", None)
        if outcome.kind is Kind.BROKEN and follows.state == "failed" and not item.requested:
            self._tools.report(f"{self._name}: event {item.number} is set aside", item.fault)

    async def _note(self, before: Target, after: Target, tries: list[Attempt]) -> Target:
        """Record attempts, retrying on conflicts and outages; unrecorded deliveries would be sent again."""
        result, conflicts = Result(self._key, before, after, tries), 0
        while True:
            try:
                return await self._tools.record(result)
            except SerializationFailure:
                conflicts += 1
                if conflicts == _MAX_CONFLICTS:
                    raise
            except Unavailable:
                if not self._is_ours:
                    raise
                await asyncio.sleep(_POSTPONED_SECONDS)


def _following(target: Target, item: Item, outcome: Outcome, now: int) -> After:
    if item.requested is None:
        return schedule.after(target, item.number or 0, outcome, now)
    state = "delivered" if outcome.kind is Kind.DELIVERED else "failed"
    goes_on = outcome.kind not in (Kind.UNREACHED, Kind.GONE)
    return After(schedule.after_asking(target, outcome), state, goes_on)
