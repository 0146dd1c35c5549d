"""The log: a line for each request, for people or for programs."""

import json
import logging
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

from skerry.errors import Unavailable


class Log:
    """A logger that writes to standard error; it is never given secrets."""

    def __init__(self, style: str = "text", stream: TextIO | None = None) -> None:
        """Create a logger that writes ``text`` for people or ``json`` for programs."""
        self._line = _json if style == "json" else _text
        self._request = _json_request if style == "json" else _text_request
        self._stream = stream or sys.stderr

    def request(self, method: str, path: str, status: int, milliseconds: float, request_id: str) -> None:
        """Log the response to a request."""
        self._write(self._request(method, path, status, milliseconds, request_id))

    def event(self, what: str, **details: object) -> None:
        """Log an event of the service itself."""
        self._write(self._line(_now(), what, details))

    def unavailable(self, request_id: str, failure: Unavailable) -> None:
        """Log the reason of an error that the response does not contain."""
        if failure.__cause__:
            self.event("unavailable", request_id=request_id, reason=failure.reason)

    def failure(self, what: str, request_id: str, error: BaseException) -> None:
        """Log an internal failure with its traceback."""
        trace = "".join(traceback.format_exception(error)).rstrip()
        self._write(self._line(_now(), what, {"request_id": request_id}, trace))

    def _write(self, line: str) -> None:
        # A full disk must not make requests fail.
        with suppress(OSError):
            self._stream.write(f"{line}\n")
            self._stream.flush()


class LogFormatter(logging.Formatter):
    """A formatter for the log records of the HTTP server."""

    def __init__(self, style: str) -> None:
        """Create a formatter with a style of ``Log``."""
        super().__init__()
        self._line = _json if style == "json" else _text

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for a record."""
        trace = self.formatException(record.exc_info) if record.exc_info else None
        return self._line(_now(), "server", {"said": record.getMessage()}, trace)


def _now() -> str:
    return f"{datetime.now(UTC).isoformat(timespec='microseconds')[:-6]}Z"


def _json(timestamp: str, what: str, details: Mapping[str, object], trace: str | None = None) -> str:
    """Return a line for programs: an object with the time, what happened, and the details."""
    exception = {"exception": trace} if trace else {}
    return json.dumps({"timestamp": timestamp, "event": what, **details, **exception}, default=repr)


def _json_request(method: str, path: str, status: int, milliseconds: float, request_id: str) -> str:
    details = {
        "method": method,
        "path": path,
        "status": status,
        "milliseconds": round(milliseconds, 1),
        "request_id": request_id,
    }
    return _json(_now(), "request", details)


def _text_request(method: str, path: str, status: int, milliseconds: float, request_id: str) -> str:
    """Return the most frequent kind of line, with the same result as ``_text``."""
    return (
        f"{_now()} request method={_plain(method)} path={_plain(path)} status={status} "
        f"milliseconds={milliseconds:.1f} request_id={request_id}"
    )


def _text(timestamp: str, what: str, details: Mapping[str, object], trace: str | None = None) -> str:
    """Return a line for people: the time, what happened, then names and values."""
    line = " ".join([timestamp, what, *[f"{name}={_plain(value)}" for name, value in details.items()]])
    return f"{line}\n{trace}" if trace else line


def _plain(value: object) -> str:
    text = str(value)
    # Values sent by a client must not look like a second line of the log.
    return text if text and text.isprintable() and " " not in text else repr(text)
