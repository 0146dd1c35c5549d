"""Streams of events as they happen (server-sent events).

A stream is a coroutine and occupies no thread. It first sends pages of the events that its reader has missed;
after that it receives new ones from ``event_feed``. If its reader is too slow for that, it returns to pages.
"""

from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from typing import NamedTuple

from falcon.asgi import Response, SSEvent

from skerry.database.database import Database
from skerry.errors import SkerryError, TooManyRequests, Unavailable
from skerry.store.events import event_reading
from skerry.tracker.context import Context, Principal
from skerry.tracker.events import event_lists
from skerry.tracker.events.event_cursors import Cursors
from skerry.web import bodies
from skerry.web.auth.authentication import Authentication
from skerry.web.execution import Execution
from skerry.web.log import Log
from skerry.web.requests.parameters import RoutedRequest
from skerry.web.responses.event_feed import EncodedEvent, EventFeed, EventStream, message
from skerry.web.responses.negotiation import EVENT_STREAM
from skerry.wire.formats import Format

HEARTBEAT_SECONDS = 15
"""The interval, in seconds, at which a stream without events sends its cursor."""

MAX = 1000
"""The maximum number of open streams in a process."""

MAX_EACH = 250
"""The maximum number of open streams of one person."""

MAX_ANONYMOUS = 50
"""The maximum number of open streams from one address without credentials."""

RETRY_MILLISECONDS = 2000
"""How long browsers wait before they reconnect."""

_PAGE = 100

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class _Opened(NamedTuple):
    """The reader and the starting position of a new stream."""

    account_id: int
    principal: Principal | None
    cursors: Cursors
    after: int


class _Page(NamedTuple):
    """A page of missed events."""

    messages: list[EncodedEvent]
    last: int
    more: bool


class EventStreams:
    """Opens streams; there is one in each process."""

    def __init__(
        self, database: Database, execution: Execution, authentication: Authentication, log: Log
    ) -> None:
        """Create the streams of a process; none are open."""
        self._database, self._execution, self._authentication = database, execution, authentication
        self._feed = EventFeed(database, execution, authentication, log)
        self._open: Counter[object] = Counter()
        self._is_closed = False

    def close(self) -> None:
        """End all streams and refuse new ones; their readers reconnect to another process."""
        self._is_closed = True
        self._feed.close()

    @property
    def count(self) -> int:
        """Return the number of open streams."""
        return self._feed.count

    async def answer(self, routed: RoutedRequest, response: Response, form: Format) -> None:
        """Respond with a stream that begins after the last event known to the client.

        Raises the errors of the list of events, and TooManyRequests or Unavailable for too many streams.
        """
        opened = await self._execution.read(partial(self._begin, routed))
        owner = opened.principal.user_id if opened.principal else routed.info.network
        self._check_room(opened, owner)
        response.content_type = EVENT_STREAM
        response.set_headers(_HEADERS)
        if routed.request.method == "HEAD":
            return
        stream = EventStream(routed, form, opened.account_id, opened.principal, opened.cursors, opened.after)
        self._open[owner] += 1
        self._feed.add(stream)
        source = bodies.of(routed.request)
        source.on_disconnect(stream.end)
        source.on_close(partial(self._leave, stream, owner))
        response.sse = self._events(stream)

    def _begin(self, routed: RoutedRequest) -> _Opened:
        with self._database.read() as transaction:
            principal = self._authentication.authenticate(transaction, routed.request, routed.params)
            context = routed.route.admit(Context(transaction, principal), routed.params)
            event_lists.check(context)
            cursors = event_lists.cursors_of(context)
            after = routed.request.get_header("Last-Event-ID") or routed.params.query.get(event_lists.AFTER)
            return _Opened(
                transaction.account_id,
                principal,
                cursors,
                cursors.read(after, event_reading.event_range(transaction)),
            )

    def _check_room(self, opened: _Opened, owner: object) -> None:
        if self._is_closed:
            raise Unavailable
        if self._open.total() >= MAX:
            raise Unavailable("Too many streams are open; try again later")
        if self._open[owner] >= (MAX_EACH if opened.principal else MAX_ANONYMOUS):
            raise TooManyRequests("You have too many streams open; close one", RETRY_MILLISECONDS // 1000)

    def _leave(self, stream: EventStream, owner: object) -> None:
        self._feed.remove(stream)
        self._open[owner] -= 1
        if not self._open[owner]:
            del self._open[owner]

    async def _events(self, stream: EventStream) -> AsyncIterator[SSEvent]:
        # An early comment makes proxies forward the headers.
        yield SSEvent(comment=stream.cursors.write(stream.sent), retry=RETRY_MILLISECONDS)
        while not stream.is_ended:
            if stream.waiting:
                number, text = stream.waiting.popleft()
                stream.sent = number
                yield SSEvent(text=text, event_id=stream.cursors.write(number))
            elif stream.is_behind:
                await self._catch_up(stream)
            elif not await stream.woken_within(HEARTBEAT_SECONDS):
                stream.sent = stream.position
                cursor = stream.cursors.write(stream.sent)
                yield SSEvent(comment=cursor)

    async def _catch_up(self, stream: EventStream) -> None:
        """Queue the next page of missed events; end the stream if the reader has lost permission."""
        try:
            page = await self._execution.read(partial(self._page, stream))
        except SkerryError:
            stream.end()
        else:
            stream.waiting.extend(page.messages)
            stream.position, stream.is_behind = page.last, page.more

    def _page(self, stream: EventStream) -> _Page:
        with self._database.read(stream.account_id) as transaction:
            context = self._feed.context(transaction, stream)
            page = event_lists.after_number(context, stream.position, _PAGE)
        messages = [
            EncodedEvent(number, message(stream.form, event))
            for number, event in zip(page.numbers, page.events, strict=True)
        ]
        return _Page(messages, page.last, page.more)
