"""HTTP/1.1 on uvicorn, with limits for slow and greedy clients."""

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

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

_REFUSAL = b"HTTP/1.1 %s\r\nretry-after: 5\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

# Java's client offers HTTP/2 by default, and httptools drops the body of a request with an upgrade.
_UPGRADE = re.compile(rb"\r\nu(?=pgrade[ \t]*:)", re.IGNORECASE)

_NOT_ASCII = re.compile(rb"[\x80-\xff]")


when_ending: list[Callable[[], object]] = []
"""Callbacks for the shutdown of connections, which end responses without an end of their own."""


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

    def __init__(self, *what: Any, **how: Any) -> None:
        """Create a connection, with the arguments of uvicorn's class."""
        # Otherwise an idle worker would accept all simultaneous connections and answer them alone.
        time.sleep(0)
        super().__init__(*what, **how)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        """Wait for a request, unless too many connections are open."""
        super().connection_made(transport)
        # By default, a slow client may have two pieces of a file in memory before the application waits.
        transport.set_write_buffer_limits(UNSENT_BYTES)
        if self.limit_concurrency and len(self.connections) >= self.limit_concurrency:
            self._refuse(b"503 Service Unavailable")
            return
        self._waiting_since = self.loop.time()
        self._timer = self.loop.call_later(_LOOK_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection."""
        if self._timer:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received data; headers, and data between requests, have a deadline and a limit."""
        if self._waiting_since is None and (self.cycle is None or self.cycle.response_complete):
            self._waiting_since = self.loop.time()
        if not self._is_in_body:
            data = self._as_parsed(data)
        self._header_bytes += len(data)
        super().data_received(data)
        if self._is_in_headers and self._header_bytes > HEADER_BYTES:
            self._refuse(b"431 Request Header Fields Too Large")

    def _as_parsed(self, data: bytes) -> bytes:
        """Return the beginning of a request in a form that httptools accepts."""
        head, end, rest = data.partition(b"\r\n\r\n")
        if not self._is_in_headers and not head.isascii():
            # Non-ASCII characters are percent-encoded, as clients should have done.
            line, *others = head.split(b"\r\n", 1)
            encoded = _NOT_ASCII.sub(lambda found: b"%%%02X" % found[0][0], line)
            head = b"\r\n".join([encoded, *others])
        return _UPGRADE.sub(b"\r\nx", head) + end + rest

    def on_message_begin(self) -> None:
        """Start a request."""
        self._is_in_headers, self._header_bytes = True, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; trailers are dropped, because nothing has checked them."""
        if self._is_in_headers:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Pass the request to the application."""
        if self.parser.should_upgrade():
            # The header was split in transit. No request is better than one without its body.
            raise ValueError("Another protocol is asked for")
        self._is_in_headers, self._is_in_body, self._waiting_since = False, True, None
        super().on_headers_complete()
        if self._is_ending:
            self.cycle.keep_alive = False

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

    def _refuse(self, status: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(_REFUSAL % status)
            self.transport.close()
