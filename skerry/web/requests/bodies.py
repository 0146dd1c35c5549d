"""Request bodies, received on the event loop and then parsed into a tree."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile

from falcon.asgi import Request

from skerry.errors import UnsupportedMediaType
from skerry.settings import Settings
from skerry.store.files.blobs import Blobs
from skerry.tracker.incoming_files import MAX_FILES, Incoming
from skerry.web.streams import Bodies, has_body
from skerry.wire import formats
from skerry.wire.tree import Tree
from skerry.wire.uploads import FilePart, MultipartForm, Sink, Upload

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

SHORT = 64 * 1024
"""The limit for bodies read before authorization, which contain no texts."""

OpenFile = Callable[[FilePart], Sink]


@dataclass
class Body:
    """A complete or partial body: bytes, or a multipart form."""

    content_type: str | None = None
    content: "SpooledTemporaryFile[bytes] | None" = None
    form: MultipartForm | None = None

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
        self._bodies = Bodies(blobs.temporary_files, settings.body_seconds)

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
        ``Bodies.pieces``, and UnsupportedMediaType if the body is compressed or its type is unknown or not
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
            body.content = await self._bodies.whole(request, limit)
        elif media_type(request) == MULTIPART:
            await self._receive_form(request, limit, incoming, body)
        else:
            formats.reader_for(request.content_type)
            body.content = await self._bodies.whole(request, limit)
        return body

    async def _receive_form(
        self, request: Request, limit: int, incoming: Incoming | None, body: Body
    ) -> None:
        body.form = form = MultipartForm(
            request.content_type or "",
            request.content_length,
            incoming.open if incoming else no_files,
            limit,
        )
        most = limit + (MAX_FILES * self._settings.upload_limit if incoming else 0)
        async for piece in self._bodies.pieces(request, most):
            form.feed(piece)

    async def discard(self, request: Request) -> bool:
        """Read the rest of an unused body; return whether it ended."""
        return await self._bodies.discard(request)


def media_type(request: Request) -> str:
    """Return the media type of the body without its parameters."""
    return (request.content_type or "").partition(";")[0].strip().lower()


def is_form(request: Request) -> bool:
    """Return whether a request is a posted form without files, which may override the method."""
    return request.method == "POST" and media_type(request) == FORM


def no_files(_part: FilePart) -> Sink:
    """Refuse a file; raises UnsupportedMediaType."""
    raise UnsupportedMediaType("Files cannot be sent to this address")
