"""Responses: the only module that turns records and errors into statuses, headers and bodies."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote

import falcon
from falcon.asgi import Request, Response

from skerry import errors
from skerry.errors import SkerryError
from skerry.tracker.context import Params, ResultPage
from skerry.web.middleware import RequestInfo
from skerry.web.requests import paging
from skerry.web.responses import feeds
from skerry.web.route import ResponseKind, Result, Route, names_in
from skerry.wire import budget
from skerry.wire.formats import Format
from skerry.wire.record import CachedRecord, Record, last_change, written

STATUSES: Mapping[type[SkerryError], str] = {
    errors.BadRequest: falcon.HTTP_400,
    errors.Unauthenticated: falcon.HTTP_401,
    errors.Forbidden: falcon.HTTP_403,
    errors.SignedOut: falcon.HTTP_403,
    errors.SignInAgain: falcon.HTTP_403,
    errors.FactorNeeded: falcon.HTTP_403,
    errors.StaleForm: falcon.HTTP_403,
    errors.NotFound: falcon.HTTP_404,
    errors.MethodNotAllowed: falcon.HTTP_405,
    errors.NotAcceptable: falcon.HTTP_406,
    errors.RequestTimeout: falcon.HTTP_408,
    errors.Conflict: falcon.HTTP_409,
    errors.SerializationFailure: falcon.HTTP_409,
    errors.Gone: falcon.HTTP_410,
    errors.PreconditionFailed: falcon.HTTP_412,
    errors.TooLarge: falcon.HTTP_413,
    errors.RangeNotSatisfiable: falcon.HTTP_416,
    errors.UnsupportedMediaType: falcon.HTTP_415,
    errors.Invalid: falcon.HTTP_422,
    errors.TooManyRequests: falcon.HTTP_429,
    errors.Unavailable: falcon.HTTP_503,
    errors.QueryTimeout: falcon.HTTP_503,
    errors.SecretUnreadable: falcon.HTTP_503,
}
"""The status for each class of error."""

REDISPLAYED = (
    errors.Invalid,
    errors.Conflict,
    errors.SerializationFailure,
    errors.PreconditionFailed,
    errors.TooLarge,
    errors.StaleForm,
)
"""Errors that are shown above a form, which keeps the entered values."""

_KEEPING = ("Cache-Control", "private, max-age=0, must-revalidate")

_CONDITIONS = ("If-Match", "If-None-Match", "If-Unmodified-Since")

SHORTENED = "X-Texts-Shortened"
"""The header of responses in which some texts are shortened."""

IGNORED = "X-Ignored-Fields"
"""The header with the names in a request that are not known, and so were ignored."""

LAST_EVENT = "X-Last-Event-Id"
"""The header with the cursor up to which events were examined."""

OLDEST = "X-Oldest-Event"
"""The header with the oldest event kept, set when older events were requested."""

CHALLENGE = 'Basic realm="Skerry", charset="UTF-8"'


def encode(form: Format, result: Result) -> bytes:
    """Return the body for a record or a list."""
    if isinstance(result, ResultPage):
        return form.items(result.kind, result.records, result.extra)
    return form.item(budget.alone(result))


def entity_tag(body: bytes) -> str:
    """Return the entity tag of a response."""
    return f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()[:27]}"'


def _tag(form: Format, result: Result, body: bytes) -> str:
    """Return the entity tag of a result; for a list of cached records, it is derived from their digests."""
    if not isinstance(result, ResultPage) or not result.records or not issubclass(result.kind, CachedRecord):
        return entity_tag(body)
    inside = [written(record, form.digest) for record in result.records]
    return entity_tag(b"".join([form.name.encode(), repr(result.extra).encode(), *inside]))


@dataclass(frozen=True)
class Reply:
    """The response to a change; ``location`` is the URL of a created resource.

    ``shortened`` says that some texts are shortened. ``secret`` is a new secret that a page shows once
    instead of redirecting; ``user_id`` is the user to sign in to this browser, or 0.
    """

    status: str
    content_type: str
    body: bytes
    location: str | None = None
    shortened: bool = False
    secret: Record | None = None
    user_id: int = 0


def reply(route: Route, form: Format, base: str, params: Params, result: Result, made: str) -> Reply:
    """Return the response for a result; ``base`` is the prefix of its location.

    ``made`` is the status of a creation.
    """
    if route.response_kind is ResponseKind.EMPTY:
        return Reply(falcon.HTTP_200, form.content_type, b"")
    body, shortened = encode(form, result), budget.alone(result) is not result
    if isinstance(result, Record) and result.is_waiting:
        return Reply(falcon.HTTP_202, form.content_type, body, shortened=shortened)
    if not _has_made(route, result):
        return Reply(falcon.HTTP_200, form.content_type, body, shortened=shortened)
    # Header values are ASCII, but a revision in a path may contain any characters.
    *above, own = names_in(route.location)
    location_values = {name: params.ids.get(name, getattr(result, name, None)) for name in above}
    location_values[own] = getattr(result, own)
    fields = {name: quote(str(value), safe="") for name, value in location_values.items()}
    location = f"{base}{route.location.format_map(fields)}.{form.name}"
    return Reply(made, form.content_type, body, location, shortened)


def _has_made(route: Route, result: Result) -> bool:
    """Return whether a resource with a URL was created; a dry run creates nothing."""
    return bool(route.location) and not (route.dry_run_field and result.id is None)


def send(response: Response, reply: Reply, ignored: Sequence[str] = ()) -> None:
    """Send the response to a change; ``ignored`` are the names in the request that are not known."""
    response.status, response.content_type = reply.status, reply.content_type
    if reply.location:
        response.set_header("Location", reply.location)
    if reply.shortened:
        response.set_header(SHORTENED, "true")
    if ignored:
        response.set_header(IGNORED, ", ".join(ignored))
    send_body(response, reply.body)


class Representation(NamedTuple):
    """A result ready to be sent: its entity tag, its headers, and the body."""

    tag: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class UseCaseResult(NamedTuple):
    """The result of a use case, and the length of its longest text if some are shortened, or None."""

    result: Result
    shortened: int | None


def represent(
    form: Format, info: RequestInfo, route: Route, params: Params, found: UseCaseResult
) -> Representation:
    """Return a result ready to be sent."""
    result, shortened = found
    shown: Result = budget.alone(result) if isinstance(result, Record) else result
    if shown is not result:
        shortened = max(shortened or 0, budget.longest([result]))
    is_feed = form in feeds.LIST_FORMATS.values()
    body = feeds.write(form, info, params, shown) if is_feed else encode(form, shown)
    headers = feeds.headers_of(form) if is_feed else ()
    is_table = bool(headers)
    headers = (*headers, *_changed_at(result))
    if isinstance(shown, ResultPage) and shown.total is not None and not is_table:
        headers = (*_page(info, params, shown, shown.total), *headers)
    if isinstance(shown, ResultPage) and shown.last is not None:
        headers = (*_cursors(info, params, shown), *headers)
    if shortened is not None:
        headers = (*_shortened(info, route, params, shortened), *headers)
    return Representation(entity_tag(body) if is_table else _tag(form, shown, body), headers, body)


def _shortened(info: RequestInfo, route: Route, params: Params, longest: int) -> Iterable[tuple[str, str]]:
    """Return the headers for shortened texts, with links to the complete parts."""
    yield SHORTENED, "true"
    if route.parts:
        address = f"{info.base}{route.parts.path.format_map(params.ids)}{_extension(info)}"
        limit = budget.whole_on_a_page(longest)
        yield "Link", f'<{address}?limit={limit}&page=1>; rel="{route.parts.relation}"'


def _extension(info: RequestInfo) -> str:
    return f".{info.extension}" if info.extension else ""


def _changed_at(result: Result) -> tuple[tuple[str, str], ...]:
    timestamp = _last_change(result)
    return () if timestamp is None else (("Last-Modified", falcon.dt_to_http(timestamp)),)


def _last_change(result: Result) -> datetime | None:
    """Return the time of the last change, None for a list."""
    return last_change(result) if isinstance(result, Record) else None


def headers(form: Format, representation: Representation) -> list[tuple[str, str]]:
    """Return the headers of a response with a result, or of a 304."""
    return [
        ("Content-Type", form.content_type),
        *representation.headers,
        ("ETag", representation.tag),
        _KEEPING,
    ]


def send_conditionally(
    request: Request, response: Response, form: Format, representation: Representation
) -> None:
    """Send the response to a request that reads, or a 304 if the client has the result."""
    response.set_headers(headers(form, representation))
    if matches(request.get_header("If-None-Match"), [representation.tag]):
        response.status = falcon.HTTP_304
    else:
        send_body(response, representation.body)


def send_body(response: Response, body: bytes) -> None:
    """Send a body, compressed if it is large and the client accepts that."""
    response.data = body
    response.context.compress = True


def _page(
    info: RequestInfo, params: Params, results: ResultPage[Record], total: int
) -> Iterable[tuple[str, str]]:
    address = f"{info.base}{info.quoted_path}{_extension(info)}"
    yield from paging.headers(address, params.query, params.page, total, exact=results.exact).items()
    if results.searched_since:
        yield "X-Searched-Since", f"{results.searched_since:%Y-%m-%dT%H:%M:%SZ}"
        yield "X-Total-Count-Exact", "false"


def _cursors(info: RequestInfo, params: Params, results: ResultPage[Record]) -> Iterable[tuple[str, str]]:
    """Return the headers of a list with cursors."""
    yield LAST_EVENT, results.last or ""
    if results.next is not None:
        address = f"{info.base}{info.quoted_path}{_extension(info)}"
        yield "Link", paging.next_link(address, params.query, results.next)


# Proxies that compress answers append the encoding to the tag.
_ENCODED = re.compile(r'(?:--?|;)(?:gzip|gz|br|zstd|deflate)"$')


def matches(header: str | None, tags: Iterable[str]) -> bool:
    """Return whether an If-Match or If-None-Match header contains one of the tags."""
    if header is None:
        return False
    sent = {_ENCODED.sub('"', piece.strip().removeprefix("W/")) for piece in header.split(",")}
    return "*" in sent or not sent.isdisjoint(tags)


def is_conditional(request: Request) -> bool:
    """Return whether a change depends on a condition such as If-Match."""
    return any(request.get_header(name) is not None for name in _CONDITIONS)


def reject_if_match(request: Request) -> None:
    """Raise PreconditionFailed for a conditional change of a resource that cannot be read."""
    if request.get_header("If-Match") is not None:
        raise errors.PreconditionFailed("If-Match is not supported at this address")


def check_unchanged(request: Request, present: Result, forms: Iterable[Format]) -> None:
    """Raise PreconditionFailed unless the resource, in the requested format, meets the condition."""
    tags = [_tag(form, present, encode(form, present)) for form in forms]
    representation, missing = request.get_header("If-Match"), request.get_header("If-None-Match")
    if _was_changed(request, present) if representation is None else not matches(representation, tags):
        raise errors.PreconditionFailed
    if matches(missing, tags):
        raise errors.PreconditionFailed("Something already exists here")


def _was_changed(request: Request, present: Result) -> bool:
    """Return whether the resource changed after the second in the header; invalid dates are ignored."""
    timestamp = _last_change(present)
    header = request.get_header("If-Unmodified-Since")
    if header is None or timestamp is None:
        return False
    with suppress(ValueError):
        return bool(timestamp.replace(microsecond=0) > falcon.http_date_to_dt(header))
    return False


def fail(response: Response, form: Format, failure: SkerryError) -> None:
    """Send an error in the client's format."""
    response.status = STATUSES.get(type(failure), falcon.HTTP_500)
    response.content_type = form.content_type
    response.data = form.errors(failure.sentences, int(response.status[:3]))
    set_error_headers(response, failure)


def set_error_headers(response: Response, failure: SkerryError) -> None:
    """Set the headers of an error response."""
    if isinstance(failure, errors.Unauthenticated):
        response.set_header("WWW-Authenticate", CHALLENGE)
    if isinstance(failure, errors.MethodNotAllowed):
        response.set_header("Allow", ", ".join(failure.allowed))
    if isinstance(failure, errors.RangeNotSatisfiable):
        response.set_header("Content-Range", f"bytes */{failure.size}")
    if isinstance(failure, errors.RequestTimeout):
        response.set_header("Connection", "close")
    if isinstance(failure, errors.TooManyRequests | errors.Unavailable):
        response.set_header("Retry-After", str(failure.retry_after))
    if isinstance(failure, errors.Gone) and failure.oldest is not None:
        response.set_header(OLDEST, str(failure.oldest))
    if isinstance(failure, errors.TooManyRequests):
        # Old clients recognize only this header, and wait two minutes without it.
        response.set_header("X-Rate-Limit-Retry-After", str(failure.retry_after))
