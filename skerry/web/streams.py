"""The body of a request as it arrives, with limits on time, on size, and on all bodies together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Any, Self

from falcon.asgi import Request

from skerry import sizes
from skerry.errors import BadRequest, RequestTimeout, TooLarge, Unavailable
from skerry.store.files.temporary_files import translate_errors

KEY = "skerry.stream"
"""Where the scope of a request holds its stream."""

BYTES_A_SECOND = 4096
"""How fast a body has to come at least, after its first seconds."""

MEMORY = 1 << 20
"""Bytes of a body that are held in memory; a longer one goes to a file."""

MOST_MEMORY = 64 << 20
"""Bytes of all bodies that have come; while there are more, a further one goes to a file at once."""

MOST_COMING = 4 << 30
"""Bytes of all bodies that a process takes at a time."""

REST = 16 << 20
"""Bytes of a refused body that are read, so that its sender gets to read the answer."""

BUSY = "Too many others are sending something; try again shortly"
CUT = "The request ended before it was complete"

Event = Mapping[str, Any]


class Stream:
    """The events of one request that hold its body."""

    def __init__(self, receive: Callable[[], Awaitable[Event]]) -> None:
        """Receive nothing until it is asked for: before that, no ``100 Continue`` is sent."""
        self.ended = False
        self.is_late = False
        self.size = 0
        self._receive = receive
        self._first = True
        self._release: list[Callable[[], object]] = []
        self._when_gone: list[Callable[[], object]] = []

    async def first(self) -> Event:
        """Return the event that Falcon awaits before it looks at a request, as if the body came later."""
        if self._first:
            self._first = False
            return {"type": "http.request", "body": b"", "more_body": True}
        event = await self._receive()
        if event["type"] == "http.disconnect":
            for call in self._when_gone:
                call()
        return event

    async def gone(self) -> None:
        """Return when the sender of a request without a body has gone away, or the answer has ended."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def when_gone(self, call: Callable[[], object]) -> None:
        """Call something when the sender has gone away before the answer ended, as Falcon watches for it."""
        self._when_gone.append(call)

    async def next(self, until: float) -> bytes:
        """Return the next piece, empty at the end.

        Raise RequestTimeout if it does not come before a time of the event loop, BadRequest if the client is
        gone.
        """
        piece = b""
        while not (piece or self.ended):
            try:
                async with asyncio.timeout_at(until):
                    event = await self._receive()
            except TimeoutError as error:
                self.is_late = True
                raise RequestTimeout from error
            if event["type"] != "http.request":
                self.ended = True
                raise BadRequest(CUT)
            piece, self.ended = event.get("body", b""), not event.get("more_body")
        return piece

    def at_end(self, release: Callable[[], object]) -> None:
        """Call something when the request has been answered."""
        self._release.append(release)

    def __enter__(self) -> Self:
        """Keep what is received until the request is answered."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Release what was received."""
        for release in self._release:
            release()


def of(request: Request) -> Stream:
    """Return the stream of a request."""
    found: Stream = request.scope[KEY]
    return found


class Bodies:
    """Receives bodies; made once in each process."""

    def __init__(self, folder: Path, seconds: int) -> None:
        """Put long bodies into files in a folder; each body starts with a number of seconds."""
        self._folder = folder
        self._seconds = seconds
        self._coming = 0

    async def pieces(self, request: Request, limit: int) -> AsyncIterator[bytes]:
        """Yield a body as it comes.

        Raise TooLarge if it has more bytes than the limit, at once if its length says so; RequestTimeout if
        it takes too long, Unavailable if too many others arrive, BadRequest if it is cut off.
        """
        if (request.content_length or 0) > limit:
            raise TooLarge(_too_large(limit))
        stream = of(request)
        stream.at_end(lambda: self._give_back(stream))
        until = asyncio.get_running_loop().time() + self._seconds
        while piece := await stream.next(until):
            self._take(stream, len(piece))
            if stream.size > limit:
                raise TooLarge(_too_large(limit))
            yield piece
            until += len(piece) / BYTES_A_SECOND

    def _take(self, stream: Stream, size: int) -> None:
        stream.size += size
        self._coming += size
        if self._coming > MOST_COMING:
            raise Unavailable(BUSY)

    def _give_back(self, stream: Stream) -> None:
        self._coming -= stream.size
        stream.size = 0

    async def whole(self, request: Request, limit: int) -> "SpooledTemporaryFile[bytes]":
        """Return a body once it is complete; raise as ``pieces`` does."""
        room = MEMORY if self._coming < MOST_MEMORY else 1
        with translate_errors():
            self._folder.mkdir(parents=True, exist_ok=True)
        body = SpooledTemporaryFile(room, dir=str(self._folder))  # noqa: SIM115 - closed with the request
        of(request).at_end(body.close)
        async for piece in self.pieces(request, limit):
            with translate_errors():
                body.write(piece)
        body.seek(0)
        return body

    async def discard(self, request: Request) -> bool:
        """Read the rest of a body that is not needed; return whether it ended.

        A client that waits for ``100 Continue`` does not get it, and one that was too slow is not waited for
        again.
        """
        stream = of(request)
        if not has_body(request) or stream.ended:
            return True
        if stream.is_late or request.get_header("Expect") or (request.content_length or 0) > REST:
            return False
        until, left = asyncio.get_running_loop().time() + self._seconds, REST
        try:
            while left > 0 and (piece := await stream.next(until)):
                left -= len(piece)
        except (RequestTimeout, BadRequest):
            return False
        return stream.ended


def has_body(request: Request) -> bool:
    """Return whether a request comes with a body."""
    return bool(request.content_length) or request.get_header("Transfer-Encoding") is not None


def _too_large(limit: int) -> str:
    return f"The request is too large (at most {sizes.exact(limit)})"
