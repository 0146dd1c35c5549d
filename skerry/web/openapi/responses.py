"""The responses of a route by status, with their contents."""

from collections.abc import Iterator
from typing import Any

from skerry import errors
from skerry.errors import SkerryError
from skerry.resources.held_texts import HeldText
from skerry.resources.tickets import Ticket
from skerry.tracker.access import Permission
from skerry.web.openapi import bodies, sentences
from skerry.web.responses import answer, moved_tickets
from skerry.web.route import ResponseKind, Route

Response = dict[str, Any]

_ALWAYS = (
    errors.BadRequest,
    errors.Unauthenticated,
    errors.NotFound,
    errors.NotAcceptable,
    errors.TooManyRequests,
    errors.Unavailable,
)
_WHEN_WRITING = (
    errors.Conflict,
    errors.PreconditionFailed,
    errors.TooLarge,
    errors.RequestTimeout,
    errors.UnsupportedMediaType,
    errors.Invalid,
)
_HEADERS: dict[type[SkerryError], dict[str, str]] = {
    errors.Gone: {answer.OLDEST: "OldestEvent"},
    errors.Unauthenticated: {"WWW-Authenticate": "WWWAuthenticate"},
    errors.TooManyRequests: {"Retry-After": "RetryAfter"},
    errors.Unavailable: {"Retry-After": "RetryAfter"},
}


def shared() -> dict[str, Response]:
    """Return the error responses by component name."""
    kinds = (*_ALWAYS, errors.Forbidden, *_WHEN_WRITING, errors.Gone, errors.RangeNotSatisfiable)
    return {kind.__name__: _error(kind) for kind in kinds}


def _error(kind: type[SkerryError]) -> Response:
    response = {"description": sentences.first_line(kind), "content": bodies.errors(kind.default)}
    return {**response, "headers": _headers(_HEADERS[kind])} if kind in _HEADERS else response


def of(route: Route) -> dict[str, Response]:
    """Return the responses of a route by status."""
    # A dry run has the same answer.
    responses = {"201" if route.location and not route.dry_run_field else "200": _success(route)}
    if route.hold:
        responses["202"] = {
            "description": "The text waits until a member of the project releases it.",
            "content": bodies.one_of(HeldText),
        }
    if route.response_kind is ResponseKind.FILE:
        responses["206"] = {**_success(route), "description": "The requested part."}
    if not route.writes:
        responses["304"] = {"description": "Not changed.", "headers": _headers({"ETag": "ETag"})}
    if moved_tickets.is_below(route.path):
        responses["308" if route.writes else "301"] = {
            "description": "The ticket was moved to another project.",
            "headers": _headers({"Location": "Location"}),
        }
    for kind in _errors(route):
        responses[answer.STATUSES[kind][:3]] = {"$ref": f"#/components/responses/{kind.__name__}"}
    return dict(sorted(responses.items()))


def _success(route: Route) -> Response:
    noun = route.kind.singular.replace("_", " ")
    if route.response_kind is ResponseKind.EMPTY:
        return {"description": "Done; the body is empty."}
    if route.response_kind is ResponseKind.FILE:
        content: Response = {"application/octet-stream": {}, "image/*": {}}
        return {"description": "The file.", "headers": _headers({"ETag": "ETag"}), "content": content}
    if route.response_kind is ResponseKind.FEED:
        content = {"application/atom+xml": {}, "text/calendar": {}}
        return {"description": "The list.", "headers": _headers({"ETag": "ETag"}), "content": content}
    if route.location:
        headers = _headers({"Location": "Location"})
        return {
            "description": f"The {noun} that was created.",
            "headers": headers,
            "content": bodies.one_of(route.kind),
        }
    return _content_of(route, noun)


def _content_of(route: Route, noun: str) -> Response:
    if route.writes:
        return {"description": f"The {noun} as it is now.", "content": bodies.one_of(route.kind)}
    names = {"ETag": "ETag"}
    if route.kind.texts:
        names["X-Texts-Shortened"] = "TextsShortened"
    if route.parts:
        names["Link"] = "Parts"
    if route.response_kind is ResponseKind.PAGE:
        names.update({"X-Total-Count": "TotalCount", "Link": "Link"})
        if route.kind is Ticket:
            names["X-Searched-Since"] = "SearchedSince"
    if route.response_kind is ResponseKind.EVENTS:
        names.update({answer.LAST_EVENT: "LastEventId", "Link": "Next"})
    single = route.response_kind is ResponseKind.ITEM
    content = bodies.one_of(route.kind) if single else bodies.list_of(route.kind)
    if route.response_kind is ResponseKind.EVENTS:
        content |= bodies.STREAM
    return {
        "description": f"The {noun}." if single else f"A list: every item is a {noun}.",
        "headers": _headers(names),
        "content": content,
    }


def _errors(route: Route) -> Iterator[type[SkerryError]]:
    yield from _ALWAYS
    # The scopes of a token may exclude what everybody else may read.
    if route.scopes is not None or route.permission not in (Permission.PUBLIC, Permission.VIEW):
        yield errors.Forbidden
    if route.writes:
        yield from _WHEN_WRITING
    elif route.response_kind is ResponseKind.PAGE or route.extra_params:
        yield errors.Invalid
        if route.response_kind is ResponseKind.EVENTS:
            yield errors.Gone
    elif route.response_kind is ResponseKind.FILE:
        yield errors.RangeNotSatisfiable


def _headers(names: dict[str, str]) -> dict[str, Response]:
    return {name: {"$ref": f"#/components/headers/{component}"} for name, component in names.items()}
