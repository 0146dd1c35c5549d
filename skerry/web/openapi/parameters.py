"""Parameters and headers of requests and responses, and the security schemes."""

from itertools import pairwise
from typing import Any

from skerry.resources import examples
from skerry.web.requests import idempotency, paging
from skerry.web.requests.parameters import TEXTS
from skerry.web.routes.route import ResponseKind, Route

Parameter = dict[str, Any]

_TEXT = {"type": "string"}
_PATTERNS = {"revision": r"^[^/\s]+$", "token": "^[0-9a-f]{40}$", "filename": "^[A-Za-z0-9_.-]+$"}


def _header(name: str, description: str) -> Parameter:
    return {"name": name, "in": "header", "description": description, "schema": _TEXT}


def _query(name: str, description: str = "", **schema: Any) -> Parameter:
    return {"name": name, "in": "query", "description": description, "schema": schema}


SHARED: dict[str, Parameter] = {
    "Page": _query("page", "Which page, from 1.", type="integer", minimum=1, default=1),
    "Limit": _query(
        "limit", "How many on a page.", type="integer", minimum=1, maximum=paging.MOST, default=30
    ),
    "IfNoneMatch": _header("If-None-Match", "The ETag of what you have; 304 if it is still the same."),
    "IfMatch": _header("If-Match", "The ETag of what you mean to change; 412 if it has changed since."),
    "IdempotencyKey": {
        **_header(
            "Idempotency-Key", "Your own name for this request; sent again within a day it is not done again."
        ),
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    },
    "Range": _header("Range", "The part of the file that you want: `bytes=0-999`."),
}
"""The parameters that many operations share, by component name."""

HEADERS: dict[str, Parameter] = {
    "ETag": {"description": "Changes when what is shown changes.", "schema": _TEXT},
    "Link": {"description": "The pages `first`, `prev`, `next` and `last`.", "schema": _TEXT},
    "LastEventId": {
        "description": "How far the events have been looked through: the `after` to go on with.",
        "schema": _TEXT,
    },
    "Next": {"description": "Where the next events stand, if there are more.", "schema": _TEXT},
    "OldestEvent": {"description": "The oldest event that is kept.", "schema": {"type": "integer"}},
    "Location": {
        "description": "The absolute address of what was made.",
        "schema": {"type": "string", "format": "uri"},
    },
    "RetryAfter": {"description": "After how many seconds to try again.", "schema": {"type": "integer"}},
    "TextsShortened": {
        "description": "`true` where texts are shortened or left out, as all of them would be too large.",
        "schema": {"type": "string"},
    },
    "Parts": {
        "description": "Where texts are shortened or left out: the pages in which all of them are.",
        "schema": {"type": "string"},
    },
    "TotalCount": {"description": "How many there are on all pages.", "schema": {"type": "integer"}},
    "WWWAuthenticate": {"description": "How to sign in.", "schema": _TEXT},
}
"""The response headers, by component name."""

SECURITY: dict[str, Parameter] = {
    "basic": {
        "type": "http",
        "scheme": "basic",
        "description": "Login and password, or a token and the password `x`.",
    },
    "bearer": {"type": "http", "scheme": "bearer", "description": "A token."},
    "serviceToken": {"type": "apiKey", "in": "header", "name": "X-ServiceToken", "description": "A token."},
    "lighthouseToken": {
        "type": "apiKey",
        "in": "header",
        "name": "X-LighthouseToken",
        "description": "The same, as old clients call it.",
    },
    "queryToken": {
        "type": "apiKey",
        "in": "query",
        "name": "_token",
        "description": "A token. Addresses are written down in many places: prefer a header.",
    },
}
"""The kinds of credentials; any one is sufficient."""


BESIDE: dict[str, Parameter] = {
    "from": {
        "type": "string",
        "description": "The sender on the envelope of a mail; empty for a bounce.",
    },
    "to": {
        "type": "string",
        "description": "The recipients on the envelope, separated by commas; without it those in the header.",
    },
    "multiple_watchers": {
        "type": "string",
        "description": "Ids of people, separated by commas: exactly they will watch from now on.",
        "xml": {"name": "multiple-watchers"},
    },
    "successor_id": {
        "type": "integer",
        "description": "Who gets the open tickets of whoever leaves; without it they stay as they are.",
    },
    "watching": {"type": "boolean", "description": "Whether the caller watches; all others stay."},
    "tick": {"type": "integer", "minimum": 1, "description": "Which task of the text is done now, from 1."},
    "up_to": {
        "type": "integer",
        "description": "The number of the last event of what was read; without it everything was.",
    },
    "untick": {"type": "integer", "minimum": 1, "description": "Which task is not done after all."},
}
"""The parameters that may be sent beside a draft, by name."""

_ASKED: dict[str, Parameter] = {
    "unread": {"type": "boolean", "description": "Whether only those are wanted that are not read yet."},
    "after": {
        "type": "string",
        "description": "The number of the event, or the cursor, to go on behind; `now` is behind the last.",
    },
    "q": {"type": "string", "description": "What to look for, in the query language."},
    "caret": {"type": "integer", "minimum": 0, "description": "Where in the query something is being typed."},
    "state": {
        "type": "string",
        "enum": ["open", "closed"],
        "description": "Only the open or the closed ones.",
    },
}


_PAGING = {ResponseKind.PAGE: ("Page", "Limit"), ResponseKind.EVENTS: ("Limit",)}


def in_path(path: str) -> list[Parameter]:
    """Return the parameters of a path."""
    return [_segment(name, example) for name, example in path_examples(path).items()]


def path_examples(path: str) -> dict[str, object]:
    """Return sample values for the parameters of a path; an id refers to the preceding name."""
    segments = path.split("/")
    pairs = [(before, name[1:-1]) for before, name in pairwise(segments) if name.startswith("{")]
    return {name: examples.value(before.removesuffix("s"), name, 1) for before, name in pairs}


def _segment(name: str, example: object) -> Parameter:
    number = {"type": "integer", "format": "int64", "minimum": 1}
    text = {**_TEXT, "pattern": _PATTERNS.get(name, ".")}
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": text if name in TEXTS else number,
        "example": example,
    }


def of(route: Route, *, is_compared: bool) -> list[Parameter]:
    """Return the parameters of a route outside its path."""
    if route.response_kind is ResponseKind.FILE:
        return _shared("Range", "IfNoneMatch")
    if not route.writes:
        own = [_query(name, **_ASKED.get(name, _TEXT)) for name in route.beside]
        return own + _shared(*_PAGING.get(route.response_kind, ()), "IfNoneMatch")
    compared = is_compared and route.method != "POST"
    # Without a body they can only be in the query string.
    beside = [] if route.draft else [_query(name, **BESIDE[name]) for name in route.beside]
    return beside + _shared(*["IdempotencyKey"] * idempotency.heeds_keys(route), *["IfMatch"] * compared)


def _shared(*names: str) -> list[Parameter]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]
