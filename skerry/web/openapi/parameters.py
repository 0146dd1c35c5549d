"""Parameters and headers of requests and responses, and the security schemes."""

from itertools import pairwise
from typing import Any

from skerry import languages
from skerry.resources import examples
from skerry.tracker.audit.audit import KINDS
from skerry.web.requests import paging
from skerry.web.requests.parameters import TEXTS
from skerry.web.responses import idempotency
from skerry.web.route import ResponseKind, Route

Parameter = dict[str, Any]

_TEXT = {"type": "string"}
_PATTERNS = {"revision": r"^[^/\s]+$", "token": "^[0-9a-f]{40}$", "filename": "^[A-Za-z0-9_.-]+$"}


def _header(name: str, description: str) -> Parameter:
    return {"name": name, "in": "header", "description": description, "schema": _TEXT}


def _query(name: str, description: str = "", **schema: Any) -> Parameter:
    return {"name": name, "in": "query", "description": description, "schema": schema}


SHARED: dict[str, Parameter] = {
    "Page": _query("page", "The number of the page, from 1.", type="integer", minimum=1, default=1),
    "Limit": _query(
        "limit", "The number of items per page.", type="integer", minimum=1, maximum=paging.MAX, default=30
    ),
    "IfNoneMatch": _header(
        "If-None-Match", "The ETag of your copy; the response is 304 if nothing has changed."
    ),
    "IfMatch": _header(
        "If-Match", "The ETag of the version you are changing; the response is 412 if it has changed since."
    ),
    "IdempotencyKey": {
        **_header(
            "Idempotency-Key",
            "A key of your choice; a request repeated with it within a day is not carried out again.",
        ),
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    },
    "LastEventIdSeen": _header(
        "Last-Event-ID", "The position after which a stream continues, as `after` in the query."
    ),
    "Range": _header("Range", "The part of the file to return, such as `bytes=0-999`."),
}
"""The parameters that many operations share, by component name."""

HEADERS: dict[str, Parameter] = {
    "ETag": {"description": "A tag that changes when the content changes.", "schema": _TEXT},
    "Link": {"description": "The pages `first`, `prev`, `next` and `last`.", "schema": _TEXT},
    "LastEventId": {
        "description": "The position up to which events have been searched; send it as `after` to continue.",
        "schema": _TEXT,
    },
    "Next": {"description": "The address of the next events, if there are more.", "schema": _TEXT},
    "OldestEvent": {
        "description": "The number of the oldest event that is kept.",
        "schema": {"type": "integer"},
    },
    "Location": {
        "description": "The absolute address of the new resource.",
        "schema": {"type": "string", "format": "uri"},
    },
    "RetryAfter": {
        "description": "The number of seconds to wait before trying again.",
        "schema": {"type": "integer"},
    },
    "SearchedSince": {
        "description": "If a slow search covers only the tickets changed last: since when they have changed.",
        "schema": {"type": "string", "format": "date-time"},
    },
    "TextsShortened": {
        "description": "`true` if texts are shortened or omitted because the response would be too large.",
        "schema": {"type": "string"},
    },
    "Parts": {
        "description": "If texts are shortened or omitted, the pages that contain them in full.",
        "schema": {"type": "string"},
    },
    "TotalCount": {"description": "The number of items on all pages.", "schema": {"type": "integer"}},
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
        "description": "A token, under the name that old clients use.",
    },
    "queryToken": {
        "type": "apiKey",
        "in": "query",
        "name": "_token",
        "description": "A token. Prefer a header, because addresses are stored in logs and histories.",
    },
}
"""The kinds of credentials; any one is sufficient."""


_OF_NOTIFICATIONS: dict[str, Parameter] = {
    "project_id": {"type": "integer", "description": "The project whose notifications are meant."},
    "reason": {
        "type": "string",
        "enum": ["mention", "assigned", "watched"],
        "description": "The reason of the notifications that are meant.",
    },
}

EXTRA_PARAMS: dict[str, Parameter] = {
    **_OF_NOTIFICATIONS,
    "from": {"type": "string", "description": "The sender on the envelope of a mail; empty for a bounce."},
    "to": {
        "type": "string",
        "description": "The recipients on the envelope, separated by commas; default: those in the header.",
    },
    "multiple_watchers": {
        "type": "string",
        "description": "The ids of all watchers, separated by commas; they replace the current watchers.",
        "xml": {"name": "multiple-watchers"},
    },
    "overlap_hours": {
        "type": "integer",
        "description": "For how many hours the replaced token works; default: 24.",
    },
    "successor_id": {
        "type": "integer",
        "description": "The person who takes over the open tickets of the one who leaves; default: nobody.",
    },
    "watching": {
        "type": "boolean",
        "description": "Whether the caller watches the ticket; other watchers are not changed.",
    },
    "worker": {
        "type": "string",
        "description": "Which of several that share a token gives its claim back; default: without a name.",
    },
    "tick": {
        "type": "integer",
        "minimum": 1,
        "description": "The number of the task in the text to mark as done, from 1.",
    },
    "up_to": {
        "type": "integer",
        "description": "The number of the last event to mark as read; default: everything. For members only.",
    },
    "untick": {
        "type": "integer",
        "minimum": 1,
        "description": "The number of the task in the text to mark as not done, from 1.",
    },
}
"""The parameters that may be sent beside a draft, by name."""

_ASKED: dict[str, Parameter] = {
    **_OF_NOTIFICATIONS,
    "snoozed": {
        "type": "boolean",
        "description": "Whether to return the snoozed notifications, which are in no other list.",
    },
    "unread": {"type": "boolean", "description": "Whether to return only unread notifications."},
    "after": {
        "type": "string",
        "description": "An event number or a cursor to continue after; `now` is after the last event.",
    },
    "after_number": {
        "type": "integer",
        "minimum": 0,
        "description": "Only entries after this number, the oldest first; otherwise the newest are first.",
    },
    "kind": {"type": "string", "enum": sorted(KINDS), "description": "Only entries of this kind."},
    "user_id": {"type": "integer", "description": "Only entries of what this person did."},
    "q": {"type": "string", "description": "A search in the query language."},
    "caret": {"type": "integer", "minimum": 0, "description": "The position of the caret in the query."},
    "language": {
        "type": "string",
        "enum": list(languages.LANGUAGES),
        "description": "The language of the descriptions; default: English.",
    },
    "state": {
        "type": "string",
        "enum": ["open", "closed"],
        "description": "Only open or only closed milestones.",
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
        own = [_query(name, **_ASKED.get(name, _TEXT)) for name in route.extra_params]
        streams = ["LastEventIdSeen"] if route.response_kind is ResponseKind.EVENTS else []
        return own + _shared(*_PAGING.get(route.response_kind, ()), *streams, "IfNoneMatch")
    keys = ["IdempotencyKey"] if idempotency.heeds_keys(route) else []
    compared = ["IfMatch"] if is_compared and route.method != "POST" else []
    # Without a body they can only be in the query string.
    beside = [] if route.draft else [_query(name, **EXTRA_PARAMS[name]) for name in route.extra_params]
    return beside + _shared(*keys, *compared)


def _shared(*names: str) -> list[Parameter]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]
