"""Answers: records and errors become statuses, headers and bytes, here and nowhere else."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import falcon

from skerry import errors
from skerry.errors import Trouble
from skerry.tracker.visit import Ask, Listing
from skerry.web import front, pages, paging
from skerry.web.compression import compressed
from skerry.web.front import Arrival
from skerry.web.routes import Gives, Line
from skerry.wire.formats import Format

STATUSES: Mapping[type[Trouble], str] = {
    errors.Unreadable: falcon.HTTP_400,
    errors.Unauthenticated: falcon.HTTP_401,
    errors.Forbidden: falcon.HTTP_403,
    errors.Missing: falcon.HTTP_404,
    errors.MethodNotAllowed: falcon.HTTP_405,
    errors.NotAcceptable: falcon.HTTP_406,
    errors.Conflict: falcon.HTTP_409,
    errors.Stale: falcon.HTTP_412,
    errors.TooLarge: falcon.HTTP_413,
    errors.Unsupported: falcon.HTTP_415,
    errors.Invalid: falcon.HTTP_422,
    errors.TooMany: falcon.HTTP_429,
    errors.Unavailable: falcon.HTTP_503,
}
"""The one table from what can go wrong to the status that says so."""

CHALLENGE = 'Basic realm="Skerry", charset="UTF-8"'


def encode(form: Format, result: Any) -> bytes:
    """Give the body that shows a record or a list of them."""
    if isinstance(result, Listing):
        return form.items(result.kind, result.records, result.extra)
    return form.item(result)


def entity_tag(body: bytes) -> str:
    """Give the tag that changes when what is shown changes."""
    return f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()[:27]}"'


def succeed(
    request: falcon.Request, response: falcon.Response, line: Line, form: Format, ask: Ask, result: Any
) -> None:
    """Answer with what the work gave."""
    if line.gives is Gives.NOTHING:
        response.content_type, response.data = form.content_type, b""
        return
    body = encode(form, result)
    response.content_type = form.content_type
    if line.makes:
        _created(request, response, line, form, result)
    elif not line.writes:
        _page(request, response, ask, result)
        if _not_modified(request, response, entity_tag(body)):
            return
    response.data, encoding = compressed(body, request.get_header("Accept-Encoding"))
    if encoding:
        response.set_header("Content-Encoding", encoding)


def _created(
    request: falcon.Request, response: falcon.Response, line: Line, form: Format, result: Any
) -> None:
    arrival: Arrival = request.env[front.KEY]
    fields = {name: getattr(result, name) for name in result.__struct_fields__}
    response.status = falcon.HTTP_201
    response.set_header("Location", f"{arrival.base}{line.makes.format_map(fields)}.{form.name}")


def _page(request: falcon.Request, response: falcon.Response, ask: Ask, result: Any) -> None:
    if isinstance(result, Listing) and result.total is not None:
        arrival: Arrival = request.env[front.KEY]
        extension = f".{arrival.extension}" if arrival.extension else ""
        address = f"{arrival.base}{arrival.path}{extension}"
        for name, value in paging.headers(address, ask.query, ask.page, result.total).items():
            response.set_header(name, value)


def _not_modified(request: falcon.Request, response: falcon.Response, tag: str) -> bool:
    response.set_header("ETag", tag)
    response.set_header("Cache-Control", "private, max-age=0, must-revalidate")
    response.append_header("Vary", "Accept, Accept-Encoding, Authorization")
    if not _matches(request.get_header("If-None-Match"), [tag]):
        return False
    response.status, response.data = falcon.HTTP_304, None
    return True


def _matches(header: str | None, tags: Iterable[str]) -> bool:
    if header is None:
        return False
    sent = {piece.strip().removeprefix("W/") for piece in header.split(",")}
    return "*" in sent or not sent.isdisjoint(tags)


def check_unchanged(request: falcon.Request, bodies: Iterable[bytes]) -> None:
    """Raise Stale if the caller's If-Match names none of the bodies that show what is there now."""
    header = request.get_header("If-Match")
    if header is not None and not _matches(header, [entity_tag(body) for body in bodies]):
        raise errors.Stale


def fail(response: falcon.Response, form: Format | None, trouble: Trouble) -> None:
    """Answer with what went wrong, in the caller's format, or as a page for a browser."""
    response.status = STATUSES.get(type(trouble), falcon.HTTP_500)
    status = int(response.status[:3])
    if form is None:
        response.content_type = falcon.MEDIA_HTML
        response.data = pages.error(status, trouble.sentences)
    else:
        response.content_type = form.content_type
        response.data = form.errors(trouble.sentences, status)
    if isinstance(trouble, errors.Unauthenticated):
        response.set_header("WWW-Authenticate", CHALLENGE)
    if isinstance(trouble, errors.MethodNotAllowed):
        response.set_header("Allow", ", ".join(trouble.allowed))
    if isinstance(trouble, errors.TooMany | errors.Unavailable):
        response.set_header("Retry-After", str(trouble.retry_after))
