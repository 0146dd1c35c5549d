"""Request bodies as they arrive, with limits on time, on size, and on all bodies together."""

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
"""The key in the scope of a request for its stream."""

BYTES_A_SECOND = 4096
"""The minimum rate of a body after its first seconds."""

MEMORY = 1 << 20
"""How many bytes of a body are held in memory; a longer one is spooled to a file."""

MAX_MEMORY = 64 << 20
"""How many bytes of all bodies are held in memory; beyond that, further bodies are spooled to files."""

MAX_INCOMING = 4 << 30
"""How many bytes of bodies a process receives at a time."""

REST = 16 << 20
"""How many bytes of a refused body are read, so that the client can read the response."""

BUSY = "Too many others are sending something; try again shortly"
CUT = "The request ended before it was complete"

Event = Mapping[str, Any]


class Stream:
    """The ASGI events of one request that contain its body."""

    def __init__(self, receive: Callable[[], Awaitable[Event]]) -> None:
        """Create a stream; nothing is received, and no ``100 Continue`` sent, until it is requested."""
        self.ended = False
        self.is_late = False
        self.size = 0
        self._receive = receive
        self._first = True
        self._release: list[Callable[[], object]] = []
        self._on_disconnect: list[Callable[[], object]] = []

    async def first(self) -> Event:
        """Return the event that Falcon awaits before it handles a request, as if the body came later."""
        if self._first:
            self._first = False
            return {"type": "http.request", "body": b"", "more_body": True}
        event = await self._receive()
        if event["type"] == "http.disconnect":
            for call in self._on_disconnect:
                call()
        return event

    async def wait_disconnected(self) -> None:
        """Wait until the client of a request without a body has disconnected or the response has ended."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def on_disconnect(self, call: Callable[[], object]) -> None:
        """Register a callback for a disconnection during the response, which Falcon watches for."""
        self._on_disconnect.append(call)

    async def next(self, until: float) -> bytes:
        """Return the next piece, which is empty at the end.

        Raises RequestTimeout if it does not arrive by a time of the event loop, BadRequest if the client has
        disconnected.
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

    def on_close(self, release: Callable[[], object]) -> None:
        """Register a callback for the end of the request."""
        self._release.append(release)

    def __enter__(self) -> Self:
        """Keep the received data until the end of the request."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Run the callbacks for the end of the request."""
        for release in self._release:
            release()


def of(request: Request) -> Stream:
    """Return the stream of a request."""
    found: Stream = request.scope[KEY]
    return found


class Bodies:
    """Receives bodies; there is one in each process."""

    def __init__(self, folder: Path, seconds: int) -> None:
        """Create a receiver that spools to a folder; each body has a number of initial seconds."""
        self._folder = folder
        self._seconds = seconds
        self._coming = 0

    async def pieces(self, request: Request, limit: int) -> AsyncIterator[bytes]:
        """Yield a body as it arrives.

        Raises TooLarge if it exceeds the limit, immediately if its declared length does; RequestTimeout if it
        is too slow, Unavailable if too many other bodies arrive, BadRequest if it is cut off.
        """
        if (request.content_length or 0) > limit:
            raise TooLarge(_too_large(limit))
        stream = of(request)
        stream.on_close(lambda: self._give_back(stream))
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
        if self._coming > MAX_INCOMING:
            raise Unavailable(BUSY)

    def _give_back(self, stream: Stream) -> None:
        self._coming -= stream.size
        stream.size = 0

    async def whole(self, request: Request, limit: int) -> "SpooledTemporaryFile[bytes]":
        """Return a complete body; raises as ``pieces`` does."""
        room = MEMORY if self._coming < MAX_MEMORY else 1
        with translate_errors():
            self._folder.mkdir(parents=True, exist_ok=True)
        body = SpooledTemporaryFile(room, dir=str(self._folder))  # noqa: SIM115 - closed with the request
        of(request).on_close(body.close)
        async for piece in self.pieces(request, limit):
            with translate_errors():
                body.write(piece)
        body.seek(0)
        return body

    async def discard(self, request: Request) -> bool:
        """Read the rest of an unused body; return whether it ended.

        A client that waits for ``100 Continue`` does not receive it, and one that was too slow gets no more
        time.
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
    """Return whether a request has a body."""
    return bool(request.content_length) or request.get_header("Transfer-Encoding") is not None


def _too_large(limit: int) -> str:
    return f"The request is too large (at most {sizes.exact(limit)})"
