"""Loads the next deliveries of each hook from the database."""

from functools import partial
from time import monotonic
from typing import NamedTuple

from skerry.errors import QueryTimeout, SerializationFailure, Unavailable
from skerry.hooks import chats, payloads
from skerry.store import accounts
from skerry.store.engine.database import Database
from skerry.store.engine.rows import timestamp
from skerry.store.engine.transactions import Transaction
from skerry.store.events import event_reading
from skerry.store.events.event_reading import EventWithActor
from skerry.store.sending import deliveries, hooks
from skerry.store.sending.deliveries import Requested
from skerry.store.sending.hooks import Target
from skerry.tracker.sending.hooks import ALL, TYPES

AT_ONCE = 20
"""How many deliveries to one hook are loaded at a time."""

LOOKED_AT = 200
"""How many events are examined for one hook at a time."""

MAX_BYTES = 1024 * 1024
"""Loading for a hook stops when its payloads exceed this size."""

SHARED_SECONDS = 5
"""How many seconds a payload is cached for other hooks."""

Key = tuple[int, int]
"""The key of a hook: its account and its id."""


class Item(NamedTuple):
    """A delivery to make: an event, by its number, or one that a user requested.

    ``body`` is None if it could not be built because of a ``fault``.
    """

    message_id: str
    number: int | None
    event_type: str
    body: bytes | None
    fault: Exception | None = None
    requested: Requested | None = None


class Work(NamedTuple):
    """The next deliveries of a hook, and the number of the last event that they cover.

    ``more`` says whether there may be further deliveries.
    """

    target: Target
    items: list[Item]
    scanned: int
    more: bool


class _Plan(NamedTuple):
    """The candidates for delivery to a hook: events, each with the request for it, if any."""

    target: Target
    picked: list[tuple[EventWithActor | None, Requested | None]]
    scanned: int
    more: bool


class Loader:
    """Loads deliveries; there is one in each process, so that hooks share payloads."""

    def __init__(self, database: Database, base_url: str) -> None:
        """Create a loader; ``base_url`` is used in links of accounts that have none of their own."""
        self._database, self._base_url = database, base_url
        self._built: dict[tuple[int, int | None, int], tuple[float, bytes | None]] = {}
        self._size = 0

    def load(self, wanted: list[tuple[Key, int]]) -> list[Work | None]:
        """Return the work for each of the wanted hooks, given with the last event examined before.

        The work is None for a hook that was removed. Raises Unavailable.
        """
        found: dict[Key, Work] = {}
        for account_id in {key[0] for key, _ in wanted}:
            scanned = {key[1]: number for key, number in wanted if key[0] == account_id}
            with self._database.read(account_id) as transaction:
                plans = _plans(transaction, scanned)
            for plan in plans:
                found[account_id, plan.target.id] = self._work(account_id, plan)
        return [found.get(key) for key, _ in wanted]

    def _work(self, account_id: int, plan: _Plan) -> Work:
        items: list[Item] = []
        size, looked_at = 0, plan.target.cursor
        for named, requested in plan.picked:
            if len(items) == AT_ONCE or size > MAX_BYTES:
                return Work(plan.target, items, looked_at, more=True)
            item = self._item(account_id, plan.target, named, requested)
            if item:
                items.append(item)
                size += len(item.body or b"")
            looked_at = named.event.number if named else looked_at
        return Work(plan.target, items, plan.scanned, plan.more)

    def _item(
        self, account_id: int, target: Target, named: EventWithActor | None, requested: Requested | None
    ) -> Item | None:
        """Return the delivery for an event, or None if the event is not for the hook."""
        if named is None:
            return self._without_event(target, requested) if requested else None
        number, happened_at = named.event.number, named.event.happened_at
        message_id = requested.message_id if requested else f"msg_{target.id}_{number}_{happened_at:x}"
        make = partial(Item, message_id, number, named.event.type, requested=requested)
        try:
            body = self._body(account_id, target, named, is_asked=bool(requested))
        except QueryTimeout as error:
            return make(body=None, fault=error)
        except (SerializationFailure, Unavailable):
            raise
        except Exception as error:  # noqa: BLE001 - one event must not stop others
            return make(body=None, fault=error)
        if body is None and requested:
            return make(body=None, fault=LookupError("The hook may no longer receive this event"))
        return make(body=body) if body is not None else None

    def _without_event(self, target: Target, requested: Requested) -> Item:
        if requested.event is not None:
            fault = LookupError("The event is no longer kept")
            return Item(requested.message_id, None, "", None, fault, requested)
        body = payloads.ping(target.id, timestamp(self._database.clock()))
        return Item(requested.message_id, None, "ping", chats.written(target.format, body), None, requested)

    def _body(
        self, account_id: int, target: Target, named: EventWithActor, *, is_asked: bool
    ) -> bytes | None:
        # In a transaction of its own: on PostgreSQL a failed statement aborts the whole transaction.
        if target.query and not is_asked:
            with self._database.read(account_id) as transaction:
                if not payloads.matches(transaction, named, target.query):
                    return None
        body = self._shared(account_id, target.project_id, named)
        return chats.written(target.format, body) if body else None

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


def _plans(transaction: Transaction, scanned: dict[int, int]) -> list[_Plan]:
    """Return the candidates for hooks of one account; requested deliveries come first."""
    requested = deliveries.requested(transaction, list(scanned), limit=AT_ONCE * len(scanned))
    # All events up to this number are committed; events read later may have higher numbers.
    last = event_reading.event_range(transaction).last
    events: dict[tuple[int | None, int], list[EventWithActor]] = {}
    plans = []
    for target in hooks.targets(transaction, list(scanned)):
        mine = [each for each in requested if each.hook_id == target.id][:AT_ONCE]
        after = max(target.cursor, scanned[target.id])
        if mine:
            wanted = [(_event(transaction, target, each), each) for each in mine]
            plans.append(_Plan(target, [*wanted], after, more=True))
        elif target.active and (target.next_try_at or 0) <= transaction.now:
            place = (target.project_id, after)
            if place not in events:
                events[place] = _following(transaction, *place)
            plans.append(_of_events(target, events[place], last))
        else:
            plans.append(_Plan(target, [], after, more=False))
    return plans


def _of_events(target: Target, found: list[EventWithActor], last: int) -> _Plan:
    wanted = set(target.events.split())
    types = set(TYPES) if ALL in wanted else wanted
    picked: list[tuple[EventWithActor | None, Requested | None]] = [
        (named, None) for named in found if named.event.type in types
    ]
    more = len(found) == LOOKED_AT
    return _Plan(target, picked, found[-1].event.number if more else last, more)


def _following(transaction: Transaction, project_id: int | None, after: int) -> list[EventWithActor]:
    if project_id is None:
        return event_reading.of_account(transaction, after, LOOKED_AT)
    return event_reading.of_project(transaction, project_id, after, LOOKED_AT)


def _event(transaction: Transaction, target: Target, requested: Requested) -> EventWithActor | None:
    if requested.event is None:
        return None
    found = event_reading.of_account(transaction, requested.event - 1, 1)
    is_its = found and found[0].event.number == requested.event
    return found[0] if is_its and target.project_id in (None, found[0].event.project_id) else None
