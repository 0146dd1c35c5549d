"""HTTP/1.1 on uvicorn, with limits for slow and greedy clients."""

import asyncio
import re
import time
from collections import deque
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlsplit

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

HEADER_SECONDS = 15
"""How long a client may take to send the request line and the headers."""

HEADER_BYTES = 64 * 1024
"""The maximum size of the request line and the headers."""

UNSENT_BYTES = 16 * 1024
"""How much of a response may be buffered before the application has to wait."""

STALLED_SECONDS = 60
"""How long a client may stop reading while a response is buffered."""

_LOOK_SECONDS = 5
_ENDING_SECONDS = 0.5

_REFUSAL = (
    b"HTTP/1.1 %s\r\n%scontent-type: application/%s; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s"
)
_IN_XML = b'<?xml version="1.0" encoding="UTF-8"?><errors><error>%s</error></errors>'
_IN_JSON = b'{"errors":["%s"]}'

# Java's client offers HTTP/2 by default, and httptools drops the body of a request with an upgrade.
_UPGRADE = re.compile(rb"^u(?=pgrade[ \t]*:)", re.IGNORECASE | re.MULTILINE)

_END_OF_LINE = b"\r\n"
_EMPTY_LINE = b"\r\n\r\n"

_BAD_REQUEST = b"400 Bad Request"
_TOO_LARGE = b"431 Request Header Fields Too Large"
_FULL = b"503 Service Unavailable"
_LATER = b"retry-after: 5\r\n"
_OTHER_VERSION = b"505 HTTP Version Not Supported"

_SENTENCES = {
    _BAD_REQUEST: b"The request is not valid HTTP",
    _TOO_LARGE: b"The address and headers of the request are too large (at most 64 KiB)",
    _FULL: b"Too many connections are open; try again later",
    _OTHER_VERSION: b"The request must use HTTP/1.1 or HTTP/1.0",
}

_NOT_ASCII = re.compile(rb"[\x80-\xff]")


when_ending: list[Callable[[], object]] = []
"""Callbacks for the shutdown of connections, which end responses without an end of their own."""


class Connected:
    """A transport that ignores writes to a client that has left, which uvloop considers an error."""

    def __init__(self, transport: asyncio.Transport) -> None:
        """Wrap a transport; methods are looked up once, because each request calls several of them."""
        self._transport = transport
        self._write, self.is_closing, self.close = transport.write, transport.is_closing, transport.close

    def __getattr__(self, name: str) -> Any:
        """Return another attribute of the transport."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write data unless the connection is closing."""
        if not self.is_closing():
            self._write(data)

    def pause_reading(self) -> None:
        """Stop reading unless the connection is closing."""
        if not self.is_closing():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Continue to read unless the connection is closing."""
        if not self.is_closing():
            self._transport.resume_reading()


class Protocol(HttpToolsProtocol):
    """A connection, which is closed if the client is too slow or if there are too many connections."""

    _timer: asyncio.TimerHandle | None = None
    _waiting_since: float | None = None
    _is_in_headers = False
    _is_in_body = False
    _is_ending = False
    _header_bytes = 0
    _unsent = 0
    _stalled = 0
    _refusal = _BAD_REQUEST
    _is_refused = False
    _request_line = b""
    # The beginning of a line of headers that is not complete.
    _line = b""
    # The rest of a body, or None if it is chunked, and the last bytes of a chunked one.
    _left: int | None = 0
    _last = b""

    def __init__(self, *what: Any, **how: Any) -> None:
        """Create a connection, with the arguments of uvicorn's class."""
        # Otherwise an idle worker would accept all simultaneous connections and answer them alone.
        time.sleep(0)
        super().__init__(*what, **how)
        self._unanswered: deque[RequestResponseCycle] = deque()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        """Wait for a request, unless too many connections are open."""
        super().connection_made(cast("asyncio.Transport", Connected(transport)))
        # By default, a slow client may have two pieces of a file in memory before the application waits.
        transport.set_write_buffer_limits(UNSENT_BYTES)
        if self.limit_concurrency and len(self.connections) >= self.limit_concurrency:
            self._refuse(_FULL, _LATER)
            return
        self._waiting_since = self.loop.time()
        self._timer = self.loop.call_later(_LOOK_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection."""
        if self._timer:
            self._timer.cancel()
        for cycle in self._unanswered:
            # uvicorn notifies only the newest of several pipelined requests.
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received data; headers, and data between requests, have a deadline and a limit."""
        if self._waiting_since is None and (self.cycle is None or self.cycle.response_complete):
            self._waiting_since = self.loop.time()
        data, start = self._line + data, 0
        self._line = b""
        while start < len(data) and not (self._is_refused or self.transport.is_closing()):
            end = self._end_of_body(data, start) if self._is_in_body else self._end_of_lines(data, start)
            if end == start:
                self._line = data[start:]
                break
            super().data_received(data[start:end] if self._is_in_body else self._as_parsed(data[start:end]))
            start = end

    def _end_of_lines(self, data: bytes, start: int) -> int:
        """Return the end of the headers, or of the last line of them that is complete."""
        if data.startswith(_END_OF_LINE, start):
            end = start + len(_END_OF_LINE)
        elif (empty := data.find(_EMPTY_LINE, start)) >= 0:
            end = empty + len(_EMPTY_LINE)
        else:
            end = max(start, data.rfind(b"\n", start) + 1)
        if self._header_bytes + (end - start or len(data) - start) > HEADER_BYTES:
            self._refusal = _TOO_LARGE
            if not self._is_in_headers:
                self._request_line = data[start:]
            self.send_400_response("")
            return start
        self._header_bytes += end - start
        return end

    def _end_of_body(self, data: bytes, start: int) -> int:
        """Return the end of the body, or of a part of it.

        A chunked body ends after an empty line, and so may some of its parts.
        """
        if self._left is not None:
            end = min(len(data), start + self._left)
            self._left -= end - start
            return end
        before = len(self._last)
        empty = (self._last + data[start : start + len(_EMPTY_LINE)]).find(_EMPTY_LINE)
        if empty >= 0:
            end = start + empty + len(_EMPTY_LINE) - before
        else:
            empty = data.find(_EMPTY_LINE, start)
            end = empty + len(_EMPTY_LINE) if empty >= 0 else len(data)
        self._last = (self._last + data[start:end][-3:])[-3:]
        return end

    def _as_parsed(self, lines: bytes) -> bytes:
        """Return the lines of a request in a form that httptools accepts."""
        if not self._is_in_headers:
            line, end, others = lines.partition(_END_OF_LINE)
            self._request_line = line
            if line.count(b" ") == 1:
                # The form of HTTP/0.9, which has no headers.
                return line + _EMPTY_LINE
            if not line.isascii():
                # Non-ASCII characters are percent-encoded, as clients should have done.
                lines = _NOT_ASCII.sub(lambda found: b"%%%02X" % found[0][0], line) + end + others
        return _UPGRADE.sub(b"x", lines) if b"upgrade" in lines.lower() else lines

    def on_message_begin(self) -> None:
        """Start a request."""
        self._is_in_headers = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; trailers are dropped, because nothing has checked them."""
        if self._is_in_headers:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Pass the request to the application."""
        version, names = self.parser.get_http_version(), dict(self.headers)
        chunked = b"transfer-encoding" in names
        if version not in ("1.0", "1.1"):
            self._refusal = _OTHER_VERSION
            raise ValueError("Only HTTP/1.0 and HTTP/1.1 are spoken")
        if self.parser.should_upgrade() or (chunked and version == "1.0"):
            raise ValueError("Where the body ends is unclear")
        self._follow_target()
        self._left, self._last = None if chunked else int(names.get(b"content-length", 0)), b""
        self._header_bytes = 0
        self._is_in_headers, self._is_in_body, self._waiting_since = False, True, None
        super().on_headers_complete()
        self._unanswered.append(self.cycle)
        if self._is_ending:
            self.cycle.keep_alive = False

    def _follow_target(self) -> None:
        """Replace the host by that of an absolute target, which wins (RFC 9112, 3.2.2)."""
        if self.url.startswith((b"/", b"*")):
            return
        target = urlsplit(self.url)
        if target.netloc:
            host = target.netloc.rpartition(b"@")[2]
            if self.parser.get_http_version() == "1.0" and not any(
                name == b"host" for name, _ in self.headers
            ):
                self.headers.append((b"host", b""))
            self.headers[:] = [(name, host if name == b"host" else value) for name, value in self.headers]
            self.url = (target.path or b"/") + (b"?" + target.query if target.query else b"")

    def on_response_complete(self) -> None:
        """Continue with the next request."""
        self._unanswered.popleft()
        super().on_response_complete()

    def on_message_complete(self) -> None:
        """End the body."""
        self._is_in_body = False
        super().on_message_complete()

    def shutdown(self) -> None:
        """Close the connection after its request; a request in transit has a moment to arrive."""
        self._is_ending = True
        for call in when_ending:
            call()
        self.loop.call_later(_ENDING_SECONDS, super().shutdown)

    def resume_writing(self) -> None:
        """Resume a response after the client has read some of it."""
        self._stalled = 0
        super().resume_writing()

    def _look(self) -> None:
        """Close the connection if its client is too slow; otherwise check again later."""
        unsent = self.transport.get_write_buffer_size()
        self._stalled = self._stalled + 1 if 0 < self._unsent <= unsent else 0
        self._unsent = unsent
        if self._stalled * _LOOK_SECONDS >= STALLED_SECONDS:
            self.transport.abort()
        elif self._is_late():
            self.transport.close()
        self._timer = self.loop.call_later(_LOOK_SECONDS, self._look)

    def _is_late(self) -> bool:
        """Return whether the headers of a request are overdue."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        since = self._waiting_since
        return since is not None and not is_answering and self.loop.time() - since > HEADER_SECONDS

    def send_400_response(self, _msg: str) -> None:
        """Refuse a request that cannot be parsed; those before it are answered first."""
        self._is_refused = True
        if self._unanswered and not self._is_in_body:
            self._log(self._refusal)
            self._unanswered[-1].keep_alive = False
        else:
            self._refuse(self._refusal)

    def _refuse(self, status: bytes, header: bytes = b"") -> None:
        if not self.transport.is_closing():
            self._log(status)
            path = re.split(rb"[ ?]", self._request_line, maxsplit=2)[1:2]
            is_xml = path and path[0].lower().endswith(b".xml")
            body = (_IN_XML if is_xml else _IN_JSON) % _SENTENCES[status]
            kind = b"xml" if is_xml else b"json"
            self.transport.write(_REFUSAL % (status, header, kind, len(body), body))
            self.transport.close()

    def _log(self, status: bytes) -> None:
        self.logger.error("Refused a request from %s: %s", (self.client or ("?",))[0], status.decode())
