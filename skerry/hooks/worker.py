"""Serves one hook: sends its deliveries in order and records the outcomes."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import monotonic

from skerry.background import Held
from skerry.database.database import Database
from skerry.errors import NotFound, QueryTimeout, SecretUnreadable, SerializationFailure, Unavailable
from skerry.hooks import schedule
from skerry.hooks.batching import BatchedCall
from skerry.hooks.deliveries import Kind, Outcome, deliver
from skerry.hooks.loading import HookBatch, Key, PendingDelivery
from skerry.hooks.pace import Pace
from skerry.hooks.recording import HookAttempts
from skerry.hooks.schedule import Attempt
from skerry.hooks.transport import Transport
from skerry.store.sending.hooks import Due, Target, address, signing_secrets

RECORDED_AFTER = 0.05
"""Deliveries to a fast receiver are recorded together at this interval, in seconds."""

RECORDED_EVENTS = 500
RECORDED_SECONDS = 5
"""The cursor of a hook is stored after passing over this many events, or any for this long."""

_INTERNAL = "Internal error, described in the server's log"

_POSTPONED_SECONDS = 1
_MAX_CONFLICTS = 3

FAULT_SECONDS = 60
"""How many seconds a hook pauses after an internal error, so that it does not fail in a tight loop."""

Report = Callable[[str, Exception | None], object]
"""Called with a message, and with the exception if there was an internal error."""


@dataclass(frozen=True)
class Tools:
    """Resources shared by the workers of a round."""

    database: Database
    held: Held
    transport: Transport
    pace: Pace
    load: BatchedCall[tuple[Key, int], HookBatch | None]
    record: BatchedCall[HookAttempts, None]
    report: Report


class Worker:
    """The work for one hook; between rounds it remembers how far its events were examined."""

    def __init__(self, key: Key) -> None:
        """Create the work for a hook, given by its key."""
        self._key = key
        self._name = f"Hook {key[1]} of account {key[0]}"
        self._scanned = self._doubted = 0
        # Since when the number of the last event examined is not stored; until when the hook is postponed.
        self._passing_since, self._resting_until = inf, 0.0

    @property
    def is_resting(self) -> bool:
        """Return whether the hook is postponed."""
        return self._resting_until > monotonic()

    def has_more(self, due: Due) -> bool:
        """Return whether there are events to examine; a doubtful hook looks once at each new event."""
        if not due.is_doubtful:
            return due.last > self._scanned or monotonic() - self._passing_since >= RECORDED_SECONDS
        last, self._doubted = self._doubted, due.last
        return due.last > last

    async def run(self, tools: Tools) -> None:
        """Send everything that is due; on an error, report it and postpone the hook."""
        self._tools = tools
        try:
            while self._is_ours and await self._run_batch():
                pass
        except (SerializationFailure, Unavailable) as error:
            tools.report(f"{self._name} is postponed: {error}", None)
            self._resting_until = monotonic() + _POSTPONED_SECONDS
        except Exception as error:  # noqa: BLE001 - one hook must not stop others
            tools.report(f"{self._name} is postponed", error)
            self._resting_until = monotonic() + FAULT_SECONDS

    @property
    def _is_ours(self) -> bool:
        return self._key[0] in self._tools.held.accounts

    async def _run_batch(self) -> bool:
        """Load and send one batch; return whether there may be more to send now."""
        work = await self._tools.load((self._key, self._scanned))
        if work is None:
            self._scanned = 0
            return False
        if not work.items:
            self._scanned = work.scanned
            await self._pass_over(work)
            return work.more
        reached = await self._deliver(work)
        if reached is None:
            return False
        self._scanned = reached
        return work.more or reached != work.scanned

    async def _pass_over(self, work: HookBatch) -> None:
        """Store the cursor of a hook from time to time when no events match."""
        passed, now = work.scanned - work.target.cursor, monotonic()
        self._passing_since = min(self._passing_since, now) if passed > 0 else inf
        if passed > RECORDED_EVENTS or now - self._passing_since >= RECORDED_SECONDS:
            await self._record(work.target, [], work.target._replace(cursor=work.scanned))
            self._passing_since = inf

    async def _deliver(self, work: HookBatch) -> int | None:
        """Send items in order; return up to which event all are settled, or None if the hook has to wait."""
        before = target = work.target
        attempts: list[Attempt] = []
        began, recording = monotonic(), asyncio.create_task(asyncio.sleep(0))
        for place, item in enumerate(work.items):
            if not self._is_ours:
                break
            attempts.append(await self._attempt(target, item))
            target = attempts[-1].target
            if not attempts[-1].goes_on:
                await recording
                return await self._after_failure(work, place, before, attempts)
            await self._tools.pace.wait()
            if monotonic() - began > RECORDED_AFTER:
                # The next items are sent meanwhile.
                await recording
                recording = asyncio.create_task(self._record(before, attempts, target))
                before, attempts, began = target, [], monotonic()
        await recording
        if attempts:
            await self._record(before, attempts, target)
        return work.scanned if self._is_ours else None

    async def _attempt(self, target: Target, item: PendingDelivery) -> Attempt:
        outcome = await self._outcome(target, item)
        attempt = schedule.after(target, item, outcome, self._tools.database.clock())
        if outcome.kind is Kind.BROKEN and attempt.alone and not item.requested:
            self._tools.report(f"{self._name}: event {item.number} is set aside", item.fault)
        return attempt

    async def _outcome(self, target: Target, item: PendingDelivery) -> Outcome:
        if item.body is None:
            reason = str(item.fault) if isinstance(item.fault, NotFound | QueryTimeout) else _INTERNAL
            return Outcome(Kind.BROKEN, answer=f"The delivery could not be built: {reason}")
        now = self._tools.database.clock()
        try:
            secrets = signing_secrets(self._tools.database.keys, self._key[0], target, now)
            url = address(self._tools.database.keys, self._key[0], target)
            return await deliver(self._tools.transport, url, secrets, item.message_id, now, item.body)
        except SecretUnreadable as error:
            return Outcome(Kind.UNREACHED, answer=f"The delivery could not be signed: {error}")
        except Exception as error:  # noqa: BLE001 - retried, and finally set aside
            self._tools.report(f"{self._name}: {item.message_id} could not be sent", error)
            return Outcome(Kind.BROKEN, answer=f"The delivery could not be sent: {_INTERNAL}")

    async def _after_failure(
        self, work: HookBatch, place: int, before: Target, attempts: list[Attempt]
    ) -> int | None:
        """Record attempts of which the last failed; return what `_deliver` returns.

        If the receiver may refuse that event alone, the next one is sent too.
        """
        failed = attempts[-1]
        probe = await self._following(work, place) if schedule.is_doubtful(failed) else None
        if probe:
            outcome = await self._outcome(failed.target, probe)
            attempts[-1:] = schedule.after_probe(failed, probe, outcome, self._tools.database.clock())
        last = attempts[-1]
        await self._record(before, attempts, last.target)
        return last.target.cursor if last.goes_on else None

    async def _following(self, work: HookBatch, place: int) -> PendingDelivery | None:
        """Return the event for the hook after one of its work, if any."""
        items = work.items[place + 1 :]
        while not items and work.more:
            further = await self._tools.load((self._key, work.scanned))
            if further is None or further.scanned <= work.scanned:
                return None
            work, items = further, further.items
        return items[0] if items and not items[0].requested else None

    async def _record(self, before: Target, attempts: list[Attempt], after: Target) -> None:
        """Record attempts, again on conflicts and outages; unrecorded deliveries would be sent again."""
        result, conflicts = HookAttempts(self._key, before, attempts, after), 0
        while True:
            try:
                await self._tools.record(result)
                break
            except SerializationFailure:
                conflicts += 1
                if conflicts == _MAX_CONFLICTS:
                    raise
            except Unavailable:
                if not self._is_ours:
                    raise
                await asyncio.sleep(_POSTPONED_SECONDS)
        if before.active and not after.active:
            self._tools.report(f"{self._name}: {after.problem}", None)
