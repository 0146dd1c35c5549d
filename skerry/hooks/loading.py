"""What is to be sent to which hook next, read from the database."""

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
from skerry.store.events.event_reading import Named
from skerry.store.sending import deliveries, hooks
from skerry.store.sending.deliveries import Asked
from skerry.store.sending.hooks import Target
from skerry.tracker.sending.hooks import ALL, TYPES

AT_ONCE = 20
"""How many deliveries to one hook are read together."""

LOOKED_AT = 200
"""How many events are looked at for one hook together."""

MOST_BYTES = 1024 * 1024
"""When so much is ready to be sent to a hook, no more is read."""

SHARED_SECONDS = 5
"""How long what was made for one hook is sent to others."""

Key = tuple[int, int]
"""A hook, by its account and its id."""


class Item(NamedTuple):
    """Something to send: an event, by its number, or what somebody asked for.

    ``body`` is None where it could not be made because of a ``fault``.
    """

    message_id: str
    number: int | None
    event_type: str
    body: bytes | None
    fault: Exception | None = None
    asked: Asked | None = None


class Work(NamedTuple):
    """What is to be sent to a hook, and up to which event there is nothing else once that is done.

    ``more`` says whether there may be more behind it.
    """

    target: Target
    items: list[Item]
    scanned: int
    more: bool


class _Plan(NamedTuple):
    """What may be to be sent to a hook: events, each with who asked for it, if anybody did."""

    target: Target
    picked: list[tuple[Named | None, Asked | None]]
    scanned: int
    more: bool


class Loader:
    """Reads what is to be sent; made once in each process, so that hooks share what is made for them."""

    def __init__(self, database: Database, base_url: str) -> None:
        """Read nothing yet; ``base_url`` stands in front of addresses where the account names nothing."""
        self._database, self._base_url = database, base_url
        self._built: dict[tuple[int, int | None, int], tuple[float, bytes | None]] = {}
        self._size = 0

    def load(self, wanted: list[tuple[Key, int]]) -> list[Work | None]:
        """Return the work for each of some hooks, of which events up to a number were looked at before.

        None for a hook that is gone. Raises Unavailable.
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
        for named, asked in plan.picked:
            if len(items) == AT_ONCE or size > MOST_BYTES:
                return Work(plan.target, items, looked_at, more=True)
            item = self._item(account_id, plan.target, named, asked)
            if item:
                items.append(item)
                size += len(item.body or b"")
            looked_at = named.event.number if named else looked_at
        return Work(plan.target, items, plan.scanned, plan.more)

    def _item(self, account_id: int, target: Target, named: Named | None, asked: Asked | None) -> Item | None:
        """Return what is sent of an event; None if it is not for the hook."""
        if named is None:
            return self._without_event(target, asked) if asked else None
        number, happened_at = named.event.number, named.event.happened_at
        message_id = asked.message_id if asked else f"msg_{target.id}_{number}_{happened_at:x}"
        make = partial(Item, message_id, number, named.event.type, asked=asked)
        try:
            body = self._body(account_id, target, named, is_asked=bool(asked))
        except QueryTimeout as error:
            return make(body=None, fault=error)
        except (SerializationFailure, Unavailable):
            raise
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one event, others are sent
            return make(body=None, fault=error)
        if body is None and asked:
            return make(body=None, fault=LookupError("The hook may not have this event any more"))
        return make(body=body) if body is not None else None

    def _without_event(self, target: Target, asked: Asked) -> Item:
        if asked.event is not None:
            fault = LookupError("The event is not kept any more")
            return Item(asked.message_id, None, "", None, fault, asked)
        body = payloads.ping(target.id, timestamp(self._database.clock()))
        return Item(asked.message_id, None, "ping", chats.written(target.format, body), None, asked)

    def _body(self, account_id: int, target: Target, named: Named, *, is_asked: bool) -> bytes | None:
        # In a transaction of its own: on PostgreSQL one that failed can do nothing more.
        if target.query and not is_asked:
            with self._database.read(account_id) as transaction:
                if not payloads.matches(transaction, named, target.query):
                    return None
        body = self._shared(account_id, target.project_id, named)
        return chats.written(target.format, body) if body else None

    def _shared(self, account_id: int, project_id: int | None, named: Named) -> bytes | None:
        key, now = (account_id, project_id, named.event.number), monotonic()
        made_at, body = self._built.get(key, (float("-inf"), None))
        if now - made_at < SHARED_SECONDS:
            return body
        with self._database.read(account_id) as transaction:
            transaction.base = accounts.base_url_of(transaction) or self._base_url
            body = payloads.event(transaction, project_id, named)
        if self._size > 4 * MOST_BYTES or len(self._built) > 16 * LOOKED_AT:
            self._built, self._size = {}, 0
        self._built[key] = (now, body)
        self._size += len(body or b"")
        return body


def _plans(transaction: Transaction, scanned: dict[int, int]) -> list[_Plan]:
    """Return what may be to be sent to some hooks of an account, what somebody asked for first."""
    asked = deliveries.asked(transaction, list(scanned), limit=AT_ONCE * len(scanned))
    # Whatever has a number up to this one is there; what is read later may have more.
    last = event_reading.reach(transaction).last
    events: dict[tuple[int | None, int], list[Named]] = {}
    plans = []
    for target in hooks.targets(transaction, list(scanned)):
        mine = [each for each in asked if each.hook_id == target.id][:AT_ONCE]
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


def _of_events(target: Target, found: list[Named], last: int) -> _Plan:
    wanted = set(target.events.split())
    types = set(TYPES) if ALL in wanted else wanted
    picked: list[tuple[Named | None, Asked | None]] = [
        (named, None) for named in found if named.event.type in types
    ]
    more = len(found) == LOOKED_AT
    return _Plan(target, picked, found[-1].event.number if more else last, more)


def _following(transaction: Transaction, project_id: int | None, after: int) -> list[Named]:
    if project_id is None:
        return event_reading.of_account(transaction, after, LOOKED_AT)
    return event_reading.of_project(transaction, project_id, after, LOOKED_AT)


def _event(transaction: Transaction, target: Target, asked: Asked) -> Named | None:
    if asked.event is None:
        return None
    found = event_reading.of_account(transaction, asked.event - 1, 1)
    is_its = found and found[0].event.number == asked.event
    return found[0] if is_its and target.project_id in (None, found[0].event.project_id) else None
