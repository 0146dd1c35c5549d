"""Request bodies: received on the event loop, with limits on time and size, then parsed into a tree."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Any, Self

from falcon.asgi import Request

from skerry import sizes
from skerry.errors import BadRequest, RequestTimeout, TooLarge, Unavailable, UnsupportedMediaType
from skerry.files.blobs import Blobs
from skerry.files.temporary_files import translate_errors
from skerry.settings import Settings
from skerry.tracker.incoming_files import MAX_FILES, Incoming
from skerry.wire import formats
from skerry.wire.tree import Tree
from skerry.wire.uploads import FilePart, MultipartForm, Sink, Upload

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
"""How many bytes of a refused body are read and discarded, so that the client reads the response."""

BUSY = "Too many others are sending something; try again shortly"
CUT = "The request ended before it was complete"

Event = Mapping[str, Any]

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

SHORT = 64 * 1024
"""The limit for bodies read before authorization, which contain no texts."""


class BodyStream:
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
        """Return the first event, which Falcon awaits before it handles a request; it contains no body."""
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


def of(request: Request) -> BodyStream:
    """Return the stream of a request."""
    stream: BodyStream = request.scope[KEY]
    return stream


@dataclass
class Body:
    """A complete or partial body: bytes, or a multipart form.

    ``content_type`` is None until it begins to arrive. ``early`` is its tree, if it had to be parsed to
    determine the method.
    """

    content_type: str | None = None
    content: "SpooledTemporaryFile[bytes] | None" = None
    form: MultipartForm | None = None
    early: Tree | None = None

    def tree(self) -> Tree:
        """Return the parsed content without the files; raises BadRequest or UnsupportedMediaType."""
        if self.form:
            return self.form.tree()
        if self.content is None:
            return {}
        self.content.seek(0)
        reader, body = formats.reader_for(self.content_type), self.content.read()
        # White space alone counts as no body: some tools send a newline with every request.
        return reader(body) if body.strip() else {}

    @property
    def is_long(self) -> bool:
        """Return whether parsing takes more than a few milliseconds."""
        return self.content is not None and self.content.seek(0, os.SEEK_END) > SHORT

    @property
    def uploads(self) -> list[Upload]:
        """Return the files."""
        return self.form.uploads if self.form else []


class Receiver:
    """Receives the bodies of requests; created once in each process."""

    def __init__(self, settings: Settings, blobs: Blobs) -> None:
        """Create a receiver; long bodies are spooled to the folder of uploads."""
        self._settings, self._blobs = settings, blobs
        self._coming = 0

    async def receive(
        self,
        request: Request,
        limit: int | None = None,
        incoming: Incoming | None = None,
        body: Body | None = None,
        expected: str = "",
    ) -> Body:
        """Return the body of a request, which is empty if there is none.

        At most ``limit`` bytes are allowed beside its files, which ``incoming`` receives; without it files
        are refused. A given ``body`` keeps what arrived before an error. Raises the errors of
        ``_pieces``, and UnsupportedMediaType if the body is compressed or its type is unknown or not
        ``expected``.
        """
        body = Body() if body is None else body
        if not has_body(request):
            return body
        encoding = request.get_header("Content-Encoding")
        if encoding and encoding.lower() != "identity":
            raise UnsupportedMediaType(
                "Compressed bodies are not supported; send the body without Content-Encoding"
            )
        limit = self._settings.body_limit if limit is None else limit
        body.content_type = request.content_type
        if expected:
            if media_type(request) != expected:
                raise UnsupportedMediaType(f"Content-Type must be {expected} at this address")
            body.content = await self._whole(request, limit)
        elif media_type(request) == MULTIPART:
            await self._receive_form(request, limit, incoming, body)
        else:
            formats.reader_for(request.content_type)
            body.content = await self._whole(request, limit)
        return body

    async def _receive_form(
        self, request: Request, limit: int, incoming: Incoming | None, body: Body
    ) -> None:
        body.form = form = MultipartForm(
            request.content_type or "", request.content_length, incoming.open if incoming else no_files, limit
        )
        most = limit + (MAX_FILES * self._settings.upload_limit if incoming else 0)
        async for piece in self._pieces(request, most):
            form.feed(piece)

    async def _pieces(self, request: Request, limit: int) -> AsyncIterator[bytes]:
        """Yield a body as it arrives.

        Raises TooLarge if it exceeds the limit, immediately if its declared length does; RequestTimeout if it
        is too slow, Unavailable if too many other bodies arrive, BadRequest if it is cut off.
        """
        if (request.content_length or 0) > limit:
            raise TooLarge(_too_large(limit))
        stream = of(request)
        stream.on_close(lambda: self._give_back(stream))
        until = asyncio.get_running_loop().time() + self._settings.body_seconds
        while piece := await stream.next(until):
            self._take(stream, len(piece))
            if stream.size > limit:
                raise TooLarge(_too_large(limit))
            yield piece
            until += len(piece) / BYTES_A_SECOND

    def _take(self, stream: BodyStream, size: int) -> None:
        stream.size += size
        self._coming += size
        if self._coming > MAX_INCOMING:
            raise Unavailable(BUSY)

    def _give_back(self, stream: BodyStream) -> None:
        self._coming -= stream.size
        stream.size = 0

    async def _whole(self, request: Request, limit: int) -> "SpooledTemporaryFile[bytes]":
        """Return a complete body; raises as ``_pieces`` does."""
        room = MEMORY if self._coming < MAX_MEMORY else 1
        folder = self._blobs.temporary_files
        with translate_errors():
            folder.mkdir(parents=True, exist_ok=True)
        body = SpooledTemporaryFile(room, dir=str(folder))  # noqa: SIM115 - closed with the request
        of(request).on_close(body.close)
        async for piece in self._pieces(request, limit):
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
        until, left = asyncio.get_running_loop().time() + self._settings.body_seconds, REST
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


def media_type(request: Request) -> str:
    """Return the media type of the body without its parameters."""
    return (request.content_type or "").partition(";")[0].strip().lower()


def is_form(request: Request) -> bool:
    """Return whether a request is a posted form without files, which may override the method."""
    return request.method == "POST" and media_type(request) == FORM


def no_files(_part: FilePart) -> Sink:
    """Refuse a file; raises UnsupportedMediaType."""
    raise UnsupportedMediaType("Files cannot be sent to this address")
