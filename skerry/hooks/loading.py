"""Loads the next deliveries of each hook from the database."""

from collections.abc import Callable
from functools import cache, partial
from time import monotonic
from typing import NamedTuple

from skerry.database.database import Database
from skerry.database.rows import timestamp
from skerry.database.transactions import Transaction
from skerry.errors import NotFound, QueryTimeout, SerializationFailure, Unavailable
from skerry.hooks import chats, payloads, queries
from skerry.store import accounts, projects
from skerry.store.events import event_reading
from skerry.store.events.decoding import StoredEvent
from skerry.store.events.event_reading import EventWithActor
from skerry.store.sending import deliveries, hooks
from skerry.store.sending.deliveries import Requested
from skerry.store.sending.hooks import Target
from skerry.text.queries.query import parse
from skerry.text.states import States, read_states
from skerry.tracker.sending.hooks import is_named

AT_ONCE = 100
"""How many deliveries to one hook are loaded at a time."""

LOOKED_AT = 200
"""How many events are examined for one hook at a time."""

MAX_BYTES = 1024 * 1024
"""Loading for a hook stops when its payloads exceed this size."""

SHARED_SECONDS = 5
"""How many seconds a payload is cached for other hooks."""

_MIN_EVENTS = 2
"""How many events there must be to send while one was refused: that one and another."""

Key = tuple[int, int]
"""The key of a hook: its account and its id."""


class PendingDelivery(NamedTuple):
    """A delivery to make: an event, or one that a user requested; without an event it is a test.

    It has no ``body`` before it is built, nor if that fails because of a ``fault``.
    """

    message_id: str
    named: EventWithActor | None
    requested: Requested | None = None
    body: bytes | None = None
    fault: Exception | None = None

    @property
    def number(self) -> int | None:
        """Return the number of the event."""
        return self.named.event.number if self.named else None


class HookBatch(NamedTuple):
    """The next deliveries of a hook, and the number of the last event that they cover.

    ``more`` says whether there may be further deliveries.
    """

    target: Target
    items: list[PendingDelivery]
    scanned: int
    more: bool


class Loader:
    """Loads deliveries; there is one in each process, so that hooks share payloads."""

    def __init__(self, database: Database, base_url: str) -> None:
        """Create a loader; ``base_url`` is used in links of accounts that have none of their own."""
        self._database, self._base_url = database, base_url
        self._built: dict[tuple[int, int | None, int], tuple[float, bytes | None]] = {}
        self._size = 0

    def load(self, wanted: list[tuple[Key, int]]) -> list[HookBatch | None]:
        """Return the work for each of the wanted hooks, given with the last event examined before.

        The work is None for a hook that was removed. Raises Unavailable.
        """
        found: dict[Key, HookBatch] = {}
        for account_id in {key[0] for key, _ in wanted}:
            scanned = {key[1]: number for key, number in wanted if key[0] == account_id}
            with self._database.read(account_id) as transaction:
                candidates = _candidates(transaction, scanned)
            for work in candidates:
                found[account_id, work.target.id] = self._work(account_id, work)
        return [found.get(key) for key, _ in wanted]

    def _work(self, account_id: int, candidates: HookBatch) -> HookBatch:
        """Return the work with those candidates that are for the hook, built, as far as they fit."""
        target, items, size = candidates.target, list[PendingDelivery](), 0
        looked_at = target.cursor
        for candidate in candidates.items:
            if len(items) == AT_ONCE or size > MAX_BYTES:
                return HookBatch(target, items, looked_at, more=True)
            item = self._built_item(account_id, target, candidate)
            if item:
                items.append(item)
                size += len(item.body or b"")
            looked_at = candidate.number or looked_at
        is_requested = bool(items and items[0].requested)
        is_due = is_requested or (target.next_try_at or 0) <= self._database.clock()
        if not is_due and len(items) < _MIN_EVENTS:
            return HookBatch(target, [], target.cursor, more=False)
        return candidates._replace(items=items)

    def _built_item(self, account_id: int, target: Target, item: PendingDelivery) -> PendingDelivery | None:
        """Return a delivery with its body, or None if its event is not for the hook."""
        try:
            body = self._body(account_id, target, item)
        except QueryTimeout as error:
            return item._replace(fault=error)
        except (SerializationFailure, Unavailable):
            raise
        except Exception as error:  # noqa: BLE001 - one event must not stop others
            return item._replace(fault=error)
        return item._replace(body=body) if body is not None else None

    def _body(self, account_id: int, target: Target, item: PendingDelivery) -> bytes | None:
        """Return the body of a delivery, or None; raises NotFound if that is an answer to a request."""
        named, requested = item.named, item.requested
        if named is None:
            if requested and requested.event is not None:
                raise NotFound("The event is no longer kept")
            return chats.written(target.format, payloads.ping(target.id, timestamp(self._database.clock())))
        if not requested and not self._is_wanted(account_id, target, named.event):
            return None
        body = self._shared(account_id, target.project_id, named)
        if body is None and requested:
            raise NotFound("The hook may no longer receive this event")
        if body and target.versions == "newest":
            body = payloads.with_newest_version(body)
        return chats.written(target.format, body) if body else None

    def _is_wanted(self, account_id: int, target: Target, event: StoredEvent) -> bool:
        """Return whether an event has something for the format of a hook, and may match its query."""
        if chats.leaves_out(target.format, event):
            return False
        if not target.query:
            return True
        # In a transaction of its own: on PostgreSQL a failed statement aborts the whole transaction.
        with self._database.read(account_id) as transaction:
            return queries.may_match(transaction, event, parse(target.query))

    def _shared(self, account_id: int, project_id: int | None, named: EventWithActor) -> bytes | None:
        key, now = (account_id, project_id, named.event.number), monotonic()
        made_at, body = self._built.get(key, (float("-inf"), None))
        if now - made_at < SHARED_SECONDS:
            return body
        with self._database.read(account_id) as transaction:
            transaction.base = accounts.base_url_of(transaction) or self._base_url
            body = payloads.event(transaction, project_id, named)
        if self._size > 4 * MAX_BYTES or len(self._built) > 16 * LOOKED_AT:
            self._built, self._size = {}, 0
        self._built[key] = (now, body)
        self._size += len(body or b"")
        return body


def _candidates(transaction: Transaction, scanned: dict[int, int]) -> list[HookBatch]:
    """Return what may be for hooks of one account, not built yet; requested deliveries come first."""
    requested = deliveries.requested(transaction, list(scanned), limit=AT_ONCE * len(scanned))
    # All events up to this number are committed; events read later may have higher numbers.
    last = event_reading.event_range(transaction).last
    following = cache(partial(_following, transaction))
    states = cache(partial(_states, transaction))
    found = []
    for target in hooks.targets(transaction, list(scanned)):
        mine = [each for each in requested if each.hook_id == target.id][:AT_ONCE]
        after = max(target.cursor, scanned[target.id])
        if mine:
            items = [
                PendingDelivery(each.message_id, _event(transaction, target, each), each) for each in mine
            ]
            found.append(HookBatch(target, items, after, more=True))
        elif target.active:
            events = following(target.project_id, after)
            found.append(_of_events(target, events, last, states))
        else:
            found.append(HookBatch(target, [], after, more=False))
    return found


def _of_events(
    target: Target, found: list[EventWithActor], last: int, states: Callable[[int | None], States | None]
) -> HookBatch:
    wanted = target.events.split()
    items = [
        PendingDelivery(f"msg_{target.id}_{named.event.number}_{named.event.happened_at:x}", named)
        for named in found
        if is_named(wanted, named.event, states(named.event.project_id))
    ]
    more = len(found) == LOOKED_AT
    return HookBatch(target, items, found[-1].event.number if more else last, more)


def _states(transaction: Transaction, project_id: int | None) -> States | None:
    project = projects.one(transaction, project_id) if project_id else None
    return read_states(project.open_states or "", project.closed_states or "") if project else None


def _following(transaction: Transaction, project_id: int | None, after: int) -> list[EventWithActor]:
    if project_id is None:
        return event_reading.of_account(transaction, after, LOOKED_AT)
    return event_reading.of_project(transaction, project_id, after, LOOKED_AT)


def _event(transaction: Transaction, target: Target, requested: Requested) -> EventWithActor | None:
    if requested.event is None:
        return None
    events = event_reading.of_account(transaction, requested.event - 1, 1)
    is_its = events and events[0].event.number == requested.event
    return events[0] if is_its and target.project_id in (None, events[0].event.project_id) else None
