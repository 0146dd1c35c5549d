"""What to ask, when to ask again, and what answers mean; nothing is sent here."""

import re
import secrets
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Generic

import httpx

from skerry.client.records import ClientError, Event, R, Record, Values, as_kind, decoded

_LONGEST_PAUSE = 60.0

Outcome = httpx.Response | httpx.TransportError
"""An answer, or why there is none."""


class Exchange:
    """A request until its ``answer``; until then ``request`` is to be sent after a ``pause``."""

    def __init__(self, request: httpx.Request, *, repeats: bool) -> None:
        """Begin; a change gets a key, with which it may be sent twice, if ``repeats`` is on."""
        if repeats and request.method in ("POST", "PUT"):
            request.headers.setdefault("Idempotency-Key", secrets.token_hex(16))
        self.request, self.pause = request, 0.0
        self.answer: httpx.Response | None = None
        self._wait, self._left, self._moves = 0.25, 3, 3
        self._is_safe = request.method == "GET" or "Idempotency-Key" in request.headers

    def take(self, outcome: Outcome) -> None:
        """Take what came of the request; raises ClientError if that is final and no success."""
        pause = self._pause_after(outcome) if self._left else None
        if pause is not None:
            self.pause, self._wait, self._left = pause, self._wait * 2, self._left - 1
        elif isinstance(outcome, httpx.Response) and outcome.next_request and self._moves:
            self._move(outcome, outcome.next_request)
        else:
            self.answer = checked(outcome)

    def _pause_after(self, outcome: Outcome) -> float | None:
        """Return the seconds until the request is sent again, or None if it is not."""
        if not isinstance(outcome, httpx.Response):
            never_arrived = isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout)
            return self._wait if self._is_safe or never_arrived else None
        told = _retry_after(outcome)
        pause = self._wait if told is None else told
        may = is_busy(outcome) and (self._is_safe or told is not None)
        return pause if may and pause <= _LONGEST_PAUSE else None

    def _move(self, answer: httpx.Response, request: httpx.Request) -> None:
        """Follow to the new address of a ticket; another server must not see the token."""
        before, after = ((each.method, each.url.scheme, each.url.netloc) for each in (self.request, request))
        if before != after:
            raise ClientError([f"The server refers to {request.url}"], answer.status_code)
        self.request, self.pause, self._moves = request, 0.0, self._moves - 1


def is_busy(answer: httpx.Response) -> bool:
    """Return whether the same request may succeed later."""
    return answer.status_code in (429, 502, 503, 504)


def _retry_after(answer: httpx.Response) -> float | None:
    """Return the seconds that the server asks to wait."""
    told = answer.headers.get("Retry-After", "")
    try:
        return float(told) if told.isdecimal() else max(0.0, parsedate_to_datetime(told).timestamp() - time())
    except ValueError:
        return None


def checked(outcome: Outcome) -> httpx.Response:
    """Return an answer that is a success; raises ClientError."""
    if not isinstance(outcome, httpx.Response):
        reason = re.sub(r"^\[Errno -?\d+\] ", "", str(outcome)) or type(outcome).__name__
        raise ClientError([f"{outcome.request.url.copy_with(raw_path=b'/')} cannot be reached: {reason}"], 0)
    if outcome.is_success:
        return outcome
    said = decoded(outcome.content) if "json" in outcome.headers.get("Content-Type", "") else []
    words = [sentence for sentence in said if isinstance(sentence, str)] if isinstance(said, list) else []
    answered = f"The server answered {outcome.status_code} {outcome.reason_phrase}".rstrip()
    raise ClientError(words or [answered], outcome.status_code)


def body_of(kind: type[Record], values: Values, if_match: str = "") -> dict[str, Any]:
    """Return the parts of a request that makes or changes a resource."""
    return {"json": {kind.kind: values}, "headers": {"If-Match": if_match} if if_match else {}}


def record_of(answer: httpx.Response, kind: type[R]) -> R:
    """Return the resource in an answer; it is empty if there is none; raises ClientError."""
    return as_kind(decoded(answer.content), kind, etag=answer.headers.get("ETag", ""))


class Pages(Generic[R]):
    """The pages of a list: ``params`` are those of the next one, and ``more`` says whether there is one."""

    def __init__(self, kind: type[R], params: dict[str, Any]) -> None:
        self._kind = kind
        self._last: list[Any] = [None]
        self.params, self.more = ({"limit": 100, "page": 1} if kind.pages else {}) | params, True

    def take(self, answer: httpx.Response) -> list[R]:
        """Return the items of a page."""
        content = decoded(answer.content)
        if isinstance(content, dict):
            content = next((part for part in content.values() if isinstance(part, list)), [])
        # A server that knows no pages sends the same one for ever.
        content, self._last = [] if content == self._last else content, content
        # A server of the original's interface does not say whether there is more.
        is_told = "X-Total-Count" in answer.headers
        self.more = self._kind.pages and ("next" in answer.links if is_told else bool(content))
        self.params = self.params | {"page": int(self.params.get("page", 1)) + 1}
        return [as_kind(item, self._kind) for item in content]


class EventReader:
    """Reads events: the pages of those that were missed, then the lines of streams."""

    def __init__(self, after: str) -> None:
        self._after, self.more, self._id, self._pause = after, True, "", 0.0
        self._data: list[str] = []

    @property
    def params(self) -> dict[str, str]:
        """Return where the next page or stream begins."""
        return {"after": self._after} if self._after else {}

    @property
    def parts(self) -> dict[str, Any]:
        """Return the parts of a request for a stream; the server is never silent for long."""
        return {"params": self.params, "headers": {"Accept": "text/event-stream"}, "timeout": 60}

    def page(self, answer: httpx.Response) -> list[Event]:
        """Return the events of a page."""
        self._after = answer.headers.get("X-Last-Event-Id", self._after)
        self.more = "next" in answer.links
        content = decoded(answer.content)
        return [as_kind(item, Event, cursor=str(item.get("number") or self._after)) for item in content]

    def read(self, line: str) -> Iterator[Event]:
        """Yield the event that ends with this line."""
        name, _, value = line.partition(":")
        if name == "id":
            self._id = value.strip()
        elif name == "data":
            self._data.append(value.removeprefix(" "))
        elif not line and self._data:
            event = as_kind(decoded("\n".join(self._data)), Event, cursor=self._id)
            self._data, self._after, self._pause = [], self._id, 0.0
            yield event

    def cut(self) -> float:
        """Forget an unfinished event, which comes again, and return the seconds until the next stream."""
        self._data, self._pause = [], min(self._pause * 2 + 0.25, 15.0)
        return self._pause
