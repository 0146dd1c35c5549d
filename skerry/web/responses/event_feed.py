"""The source of event streams: one loop in each process polls for new events for all streams."""

import asyncio
import re
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.errors import SkerryError, Unauthenticated, Unavailable
from skerry.resources.events import Event
from skerry.store.events import event_reading as store
from skerry.store.events.event_reading import EventWithActor
from skerry.store.people import people
from skerry.tracker.context import Context, Principal
from skerry.tracker.events import event_lists
from skerry.tracker.events.event_access import EventPermissions, EventReader, Extent
from skerry.tracker.events.event_cursors import Cursors
from skerry.web.auth.authentication import Authentication
from skerry.web.execution import Execution
from skerry.web.log import Log
from skerry.web.requests.parameters import RoutedRequest
from skerry.wire.formats import Format

SECONDS = 0.25
"""The interval at which the database is polled for new events."""

CHECK_SECONDS = 2
"""The interval at which the permissions of readers are checked."""

MAX_WAITING = 500
"""How many events may be queued for a slow reader before it returns to reading pages."""

_SOME = 500

_LINE_END = re.compile(r"\r\n|\r|\n")


class EncodedEvent(NamedTuple):
    """An encoded event."""

    number: int
    text: str


class EventStream:
    """A stream of one reader, and its position.

    All events up to ``position`` are ``sent``, ``waiting``, or not visible to the reader. A stream that
    ``is_behind`` reads pages instead of receiving new events.
    """

    def __init__(
        self,
        routed: RoutedRequest,
        form: Format,
        account_id: int,
        principal: Principal | None,
        cursors: Cursors,
        after: int,
    ) -> None:
        """Create a stream that begins after the event with the number ``after``."""
        self.routed, self.form, self.account_id, self.cursors = routed, form, account_id, cursors
        self.reader = EventReader(principal)
        self.project_id = routed.params.ids.get("project_id")
        self.position = self.sent = after
        self.waiting: deque[EncodedEvent] = deque()
        self.is_behind = True
        self.is_ended = False
        self._woken = asyncio.Event()

    def end(self) -> None:
        """End the stream."""
        self.is_ended = True
        self._woken.set()

    def hand(self, messages: Sequence[EncodedEvent], last: int) -> None:
        """Queue new events up to the number ``last``; if the queue is full, go back to reading pages."""
        if len(self.waiting) + len(messages) > MAX_WAITING:
            self.waiting.clear()
            self.position, self.is_behind = self.sent, True
        else:
            self.waiting.extend(messages)
            self.position = last
        if messages:
            self._woken.set()

    async def woken_within(self, seconds: float) -> bool:
        """Wait for new events, or the end; return False after ``seconds`` without either."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._woken.clear()
        return True


class EventFeed:
    """Passes new events to streams, and ends streams whose readers lose their permission."""

    def __init__(
        self, database: Database, execution: Execution, authentication: Authentication, log: Log
    ) -> None:
        """Create a feed without streams; it polls nothing until one is added."""
        self._database, self._execution, self._authentication = database, execution, authentication
        self._log = log
        self._streams: set[EventStream] = set()
        self._tasks: dict[float, asyncio.Task[None]] = {}

    @property
    def count(self) -> int:
        """Return the number of streams."""
        return len(self._streams)

    def add(self, stream: EventStream) -> None:
        """Add a stream, and start polling if it is the first."""
        self._streams.add(stream)
        for seconds, work in ((SECONDS, self._deliver), (CHECK_SECONDS, self._check)):
            task = self._tasks.get(seconds)
            if task is None or task.done():
                self._tasks[seconds] = asyncio.create_task(self._keep(seconds, work))

    def remove(self, stream: EventStream) -> None:
        """Remove a stream."""
        self._streams.discard(stream)

    def close(self) -> None:
        """End all streams."""
        for stream in self._streams:
            stream.end()

    async def _keep(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Call a function at an interval while there are streams; errors do not stop it."""
        while self._streams:
            await asyncio.sleep(seconds)
            try:
                await work()
            except Unavailable:
                continue  # the database is down, which other requests report
            except Exception as error:  # noqa: BLE001 - tried again after the interval
                self._log.failure("event streams", "", error)

    async def _deliver(self) -> None:
        following: dict[int, list[EventStream]] = defaultdict(list)
        for stream in self._streams:
            if not (stream.is_behind or stream.is_ended):
                following[stream.account_id].append(stream)
        if following:
            for account_id in await self._execution.read(partial(self._with_news, following)):
                await self._deliver_to(account_id, following[account_id])

    def _with_news(self, following: dict[int, list[EventStream]]) -> list[int]:
        """Return the accounts with events that their streams have not received yet."""
        with self._database.read() as transaction:
            lasts = store.last_numbers(transaction, list(following))
        return [
            account_id
            for account_id, streams in following.items()
            if lasts.get(account_id, 0) > _behind(streams)
        ]

    async def _deliver_to(self, account_id: int, streams: list[EventStream]) -> None:
        try:
            new = await self._execution.read(partial(self._new, account_id, streams))
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 - streams of other accounts must continue
            self._log.failure("event streams", "", error)
            for stream in streams:
                stream.end()
        else:
            for stream, messages, last in new:
                stream.hand(messages, last)
            for stream in {*streams} - {stream for stream, _, _ in new}:
                stream.end()

    def _new(
        self, account_id: int, streams: list[EventStream]
    ) -> list[tuple[EventStream, list[EncodedEvent], int]]:
        """Return the new events for each stream of an account, and the last number examined.

        Streams of former administrators are left out.
        """
        with self._database.read(account_id) as transaction:
            administrators = people.administrators(transaction)
            kept = [stream for stream in streams if not stream.reader.was_administrator(administrators)]
            return _new_of_account(transaction, kept, _behind(streams))

    async def _check(self) -> None:
        by_account: dict[int, list[EventStream]] = defaultdict(list)
        for stream in self._streams:
            by_account[stream.account_id].append(stream)
        for account_id, those in by_account.items():
            for stream, reader in await self._execution.read(partial(self._readers, account_id, those)):
                if reader is None:
                    stream.end()
                else:
                    stream.reader = reader

    def _readers(
        self, account_id: int, those: list[EventStream]
    ) -> list[tuple[EventStream, EventReader | None]]:
        """Return the present reader of each stream, or None if they have lost their permission.

        A former member of a public project may not continue either, because their stream has event numbers.
        """
        readers: list[tuple[EventStream, EventReader | None]] = []
        with self._database.read(account_id) as transaction:
            for stream in those:
                try:
                    context = self.context(transaction, stream)
                    is_same = event_lists.is_inside(context) == stream.cursors.inside
                    readers.append((stream, EventReader(context.principal) if is_same else None))
                except Unavailable:
                    raise
                except SkerryError:
                    readers.append((stream, None))
        return readers

    def context(self, transaction: Transaction, stream: EventStream) -> Context:
        """Return the present context of a stream's reader; raises Unauthenticated, NotFound or Forbidden.

        A former administrator does not continue as a member, however soon the change is noticed.
        """
        routed, before = stream.routed, stream.reader.principal
        transaction.base = routed.info.base
        principal = self._authentication.credentials.reauthenticate(
            transaction, routed.request, routed.params.query
        )
        if before and (principal is None or (before.administrator and not principal.administrator)):
            raise Unauthenticated
        return routed.route.admit(Context(transaction, principal), routed.params)


def _behind(streams: list[EventStream]) -> int:
    """Return the smallest position of the streams."""
    return min(stream.position for stream in streams)


def _new_of_account(
    transaction: Transaction, streams: list[EventStream], behind: int
) -> list[tuple[EventStream, list[EncodedEvent], int]]:
    last = store.event_range(transaction).last
    events = store.of_account(transaction, behind, _SOME)
    if len(events) == _SOME:
        last = events[-1].event.number
    facts = EventPermissions(transaction, events, {stream.reader for stream in streams})
    texts: dict[tuple[object, ...], str] = {}
    return [(stream, _messages(facts, events, stream, texts), last) for stream in streams]


def _messages(
    facts: EventPermissions,
    events: list[EventWithActor],
    stream: EventStream,
    texts: dict[tuple[object, ...], str],
) -> list[EncodedEvent]:
    """Return the events for one stream; ``texts`` caches encoded events for other streams."""
    messages: list[EncodedEvent] = []
    base, inside = stream.routed.info.base, stream.cursors.inside
    for named in events:
        event = named.event
        if event.number <= stream.position or stream.project_id not in (None, event.project_id):
            continue
        extent = facts.extent(stream.reader, event)
        if extent is Extent.NOTHING:
            continue
        key = (event.number, extent, base, inside, stream.form.name)
        if key not in texts:
            shown = event_lists.as_shown(facts, extent, named, base, numbered=inside)
            texts[key] = message(stream.form, shown)
        messages.append(EncodedEvent(event.number, texts[key]))
    return messages


def message(form: Format, event: Event) -> str:
    """Return an encoded event as data lines of a stream.

    Other characters that end lines elsewhere, such as U+2028, do not end them here.
    """
    return "\ndata: ".join(_LINE_END.split(form.item(event).decode().rstrip("\r\n")))
