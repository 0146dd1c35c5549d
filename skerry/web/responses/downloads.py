"""Downloads: whole files or ranges, streamed, and never as content that a browser would execute."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice

import falcon
from falcon.asgi import Request, Response

from skerry.errors import RangeNotSatisfiable
from skerry.files.blobs import Blobs
from skerry.resources.tickets import Attachment
from skerry.store.attachments import Download
from skerry.web import bodies
from skerry.web.execution import Execution
from skerry.web.responses.answer import matches

# Python reads no number of more than 4,300 digits; clients may name any end, however far.
_RANGE = re.compile(r"(?P<first>[0-9]{0,4000})-(?P<last>[0-9]{0,4000})")

# Image types that cannot contain scripts, with all aliases that browsers use.
_SHOWN = {
    "image/gif": "image/gif",
    "image/jpeg": "image/jpeg",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/png": "image/png",
    "image/webp": "image/webp",
    "image/x-png": "image/png",
}

_IMMUTABLE = "private, max-age=31536000, immutable"
_REVALIDATED = "private, max-age=0, must-revalidate"


@dataclass(frozen=True)
class Part:
    """The bytes of a file from ``start`` up to, but not including, ``stop``."""

    start: int
    stop: int


async def send(
    request: Request, response: Response, blobs: Blobs, execution: Execution, download: Download
) -> None:
    """Send a file, or the range of it that the client requests.

    Raises RangeNotSatisfiable for a range outside the file, NotFound or Unavailable if the file cannot be
    read.
    """
    attachment = download.attachment
    if matches(request.get_header("If-None-Match"), [_tag(attachment)]):
        _describe(response, download)
        response.status = falcon.HTTP_304
        return
    part = _part(request, attachment)
    sent = part or Part(0, attachment.size)
    if request.method != "HEAD":
        pieces = await execution.files(lambda: _begun(blobs.read(download.key, sent.start, sent.stop)))
        response.stream = _streamed(pieces, execution, bodies.of(request))
    # Set late, so that an error response has none of these headers.
    _describe(response, download)
    response.content_length = sent.stop - sent.start
    if part:
        response.status = falcon.HTTP_206
        response.set_header("Content-Range", f"bytes {part.start}-{part.stop - 1}/{attachment.size}")


def _begun(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Return the pieces after fetching the first, so that errors are raised before the response begins."""
    return chain(list(islice(pieces, 1)), pieces)


async def _streamed(
    pieces: Iterator[bytes], execution: Execution, source: bodies.BodyStream
) -> AsyncIterator[bytes]:
    """Yield a file as fast as the client reads it, without occupying a thread.

    Servers silently discard what is sent to a disconnected client, so disconnection is checked.
    """
    gone = asyncio.create_task(source.wait_disconnected())
    source.on_close(gone.cancel)
    while not gone.done() and (piece := await execution.files(lambda: next(pieces, b""))):
        yield piece


def _describe(response: Response, download: Download) -> None:
    attachment = download.attachment
    shown = _SHOWN.get(attachment.content_type)
    response.content_type = shown or "application/octet-stream"
    if shown:
        response.viewable_as = attachment.filename
    else:
        response.downloadable_as = attachment.filename
    response.set_header("Content-Security-Policy", "sandbox; default-src 'none'")
    response.set_header("X-Content-Type-Options", "nosniff")
    response.set_header("Accept-Ranges", "bytes")
    response.set_header("ETag", _tag(attachment))
    response.set_header("Last-Modified", _date(attachment))
    # The bytes never change, but permissions may.
    response.set_header("Cache-Control", _IMMUTABLE if download.lasting else _REVALIDATED)


def _tag(attachment: Attachment) -> str:
    return f'"{attachment.code}"'


def _date(attachment: Attachment) -> str:
    timestamp = attachment.created_at or datetime.fromtimestamp(0, UTC)
    return falcon.dt_to_http(timestamp)


def _part(request: Request, attachment: Attachment) -> Part | None:
    """Return the requested range, or None for the whole file; raises RangeNotSatisfiable."""
    unit, _, wanted = (request.get_header("Range") or "").partition("=")
    unchanged = request.get_header("If-Range") in (None, _tag(attachment), _date(attachment))
    # Servers may ignore a request for several ranges and send the whole file.
    if request.method != "GET" or unit.strip().lower() != "bytes" or "," in wanted or not unchanged:
        return None
    match = _RANGE.fullmatch(wanted.strip())
    if match is None or wanted.strip() == "-":
        raise RangeNotSatisfiable(attachment.size)
    return _bounded(match["first"], match["last"], attachment.size)


def _bounded(first: str, last: str, size: int) -> Part:
    if not first:
        part = Part(max(0, size - int(last)), size)
    else:
        part = Part(int(first), min(int(last) + 1, size) if last else size)
    if part.start >= part.stop:
        raise RangeNotSatisfiable(size)
    return part
