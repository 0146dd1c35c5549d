"""Streams of events: what happens, sent as it happens (server-sent events).

A stream is a coroutine, and costs no thread. It begins with the pages of what its reader has missed, then
``event_feed`` hands it what is new. Where its reader is slower than that, it goes back to pages.
"""

from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from typing import NamedTuple

from falcon.asgi import Response, SSEvent

from skerry.errors import SkerryError, TooManyRequests, Unavailable
from skerry.store.engine.database import Database
from skerry.store.events import event_reading
from skerry.tracker.context import Context, Principal
from skerry.tracker.events import event_lists
from skerry.tracker.events.event_cursors import Cursors
from skerry.web import streams
from skerry.web.auth.authentication import Authentication
from skerry.web.execution import Execution
from skerry.web.log import Log
from skerry.web.request_state import RequestState
from skerry.web.responses.event_feed import Feed, Message, Stream, message
from skerry.web.responses.negotiation import EVENT_STREAM
from skerry.wire.formats import Format

HEARTBEAT_SECONDS = 15
"""After so long without an event a stream says how far it has looked."""

MOST = 1000
"""How many streams a process keeps open."""

MOST_EACH = 250
"""How many of them may be one person's."""

MOST_UNKNOWN = 50
"""How many of them may be those of one address that is not signed in."""

RETRY_MILLISECONDS = 2000
"""After how long browsers come again when a stream has ended."""

_PAGE = 100

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class _Opened(NamedTuple):
    """What was found out about who opens a stream."""

    account_id: int
    principal: Principal | None
    cursors: Cursors
    after: int


class _Page(NamedTuple):
    """A part of what a reader has missed."""

    messages: list[Message]
    last: int
    more: bool


class EventStreams:
    """Opens streams; made once in each process."""

    def __init__(
        self, database: Database, execution: Execution, authentication: Authentication, log: Log
    ) -> None:
        """Open none before somebody asks."""
        self._database, self._execution, self._authentication = database, execution, authentication
        self._feed = Feed(database, execution, authentication, log)
        self._open: Counter[object] = Counter()
        self._is_closed = False

    def close(self) -> None:
        """End all streams at once, and open none any more; their readers come again elsewhere."""
        self._is_closed = True
        self._feed.close()

    @property
    def count(self) -> int:
        """Return how many streams are open."""
        return self._feed.count

    async def answer(self, state: RequestState, response: Response, form: Format) -> None:
        """Answer with a stream that begins behind the last event that its reader knows.

        Raises as the list of events does, TooManyRequests and Unavailable if there are too many streams.
        """
        opened = await self._execution.read(partial(self._begin, state))
        owner = opened.principal.user_id if opened.principal else state.info.network
        self._check_room(opened, owner)
        response.content_type = EVENT_STREAM
        response.set_headers(_HEADERS)
        if state.request.method == "HEAD":
            return
        stream = Stream(state, form, opened.account_id, opened.principal, opened.cursors, opened.after)
        self._open[owner] += 1
        self._feed.add(stream)
        source = streams.of(state.request)
        source.when_gone(stream.end)
        source.at_end(partial(self._leave, stream, owner))
        response.sse = self._events(stream)

    def _begin(self, state: RequestState) -> _Opened:
        with self._database.read() as transaction:
            principal = self._authentication.arrive(transaction, state.request, state.params)
            context = state.admit(Context(transaction, principal))
            event_lists.check(context)
            cursors = event_lists.cursors_of(context)
            after = state.request.get_header("Last-Event-ID") or state.params.query.get(event_lists.AFTER)
            return _Opened(
                transaction.account_id,
                principal,
                cursors,
                cursors.read(after, event_reading.reach(transaction)),
            )

    def _check_room(self, opened: _Opened, owner: object) -> None:
        if self._is_closed:
            raise Unavailable
        if self._open.total() >= MOST:
            raise Unavailable("Too many streams are open; try again later")
        if self._open[owner] >= (MOST_EACH if opened.principal else MOST_UNKNOWN):
            raise TooManyRequests("You have too many streams open; close one", RETRY_MILLISECONDS // 1000)

    def _leave(self, stream: Stream, owner: object) -> None:
        self._feed.remove(stream)
        self._open[owner] -= 1
        if not self._open[owner]:
            del self._open[owner]

    async def _events(self, stream: Stream) -> AsyncIterator[SSEvent]:
        # The first words make proxies pass on the headers.
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
                yield SSEvent(comment=cursor, event_id=cursor)

    async def _catch_up(self, stream: Stream) -> None:
        """Take the next page of what a reader has missed; who may not read any more is sent away."""
        try:
            page = await self._execution.read(partial(self._page, stream))
        except SkerryError:
            stream.end()
        else:
            stream.waiting.extend(page.messages)
            stream.position, stream.is_behind = page.last, page.more

    def _page(self, stream: Stream) -> _Page:
        with self._database.read(stream.account_id) as transaction:
            context = self._feed.context(transaction, stream)
            found = event_lists.after_number(context, stream.position, _PAGE)
        messages = [
            Message(number, message(stream.form, event))
            for number, event in zip(found.numbers, found.events, strict=True)
        ]
        return _Page(messages, found.last, found.more)
