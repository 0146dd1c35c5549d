"""Answers: which statuses a line of the map has, and what each one holds."""

from collections.abc import Iterator
from typing import Any

from skerry import errors
from skerry.errors import SkerryError
from skerry.tracker.access import Need
from skerry.web import answer
from skerry.web.openapi import bodies, sentences
from skerry.web.routes import Gives, Line

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
    errors.Unauthenticated: {"WWW-Authenticate": "WWWAuthenticate"},
    errors.TooManyRequests: {"Retry-After": "RetryAfter"},
    errors.Unavailable: {"Retry-After": "RetryAfter"},
}


def shared() -> dict[str, Response]:
    """Return the answers that say what went wrong, by the names of their components."""
    kinds = (*_ALWAYS, errors.Forbidden, *_WHEN_WRITING, errors.RangeNotSatisfiable)
    return {kind.__name__: _error(kind) for kind in kinds}


def _error(kind: type[SkerryError]) -> Response:
    found = {"description": sentences.first_line(kind), "content": bodies.errors(kind.default)}
    return {**found, "headers": _headers(_HEADERS[kind])} if kind in _HEADERS else found


def of(line: Line) -> dict[str, Response]:
    """Return the answers of a line by status."""
    found = {"201" if line.makes else "200": _success(line)}
    if line.tries:
        tried = f"What was only tried: the {line.kind.singular.replace('_', ' ')} that would be made."
        found["200"] = {"description": tried, "content": bodies.shown(line.kind)}
    if line.gives is Gives.FILE:
        found["206"] = {**_success(line), "description": "The part that was asked for."}
    if not line.writes:
        found["304"] = {"description": "It has not changed.", "headers": _headers({"ETag": "ETag"})}
    for kind in _errors(line):
        found[answer.STATUSES[kind][:3]] = {"$ref": f"#/components/responses/{kind.__name__}"}
    return dict(sorted(found.items()))


def _success(line: Line) -> Response:
    noun = line.kind.singular.replace("_", " ")
    if line.gives is Gives.NOTHING:
        return {"description": "Done; the body is empty."}
    if line.gives is Gives.FILE:
        content: Response = {"application/octet-stream": {}, "image/*": {}}
        return {"description": "The file.", "headers": _headers({"ETag": "ETag"}), "content": content}
    if line.makes:
        headers = _headers({"Location": "Location"})
        return {
            "description": f"The {noun} that was made.",
            "headers": headers,
            "content": bodies.shown(line.kind),
        }
    return _shown(line, noun)


def _shown(line: Line, noun: str) -> Response:
    if line.writes:
        return {"description": f"The {noun} as it is now.", "content": bodies.shown(line.kind)}
    names = {"ETag": "ETag"}
    if line.kind.texts:
        names["X-Texts-Shortened"] = "TextsShortened"
    if line.parts:
        names["Link"] = "Parts"
    if line.gives is Gives.PAGE:
        names.update({"X-Total-Count": "TotalCount", "Link": "Link"})
    single = line.gives is Gives.ITEM
    return {
        "description": f"The {noun}." if single else f"A list: every item is a {noun}.",
        "headers": _headers(names),
        "content": bodies.shown(line.kind) if single else bodies.listed(line.kind),
    }


def _errors(line: Line) -> Iterator[type[SkerryError]]:
    yield from _ALWAYS
    if line.need not in (Need.OPEN, Need.SEE):
        yield errors.Forbidden
    if line.writes:
        yield from _WHEN_WRITING
    elif line.gives is Gives.PAGE or line.beside:
        yield errors.Invalid
    elif line.gives is Gives.FILE:
        yield errors.RangeNotSatisfiable


def _headers(names: dict[str, str]) -> dict[str, Response]:
    return {name: {"$ref": f"#/components/headers/{component}"} for name, component in names.items()}
