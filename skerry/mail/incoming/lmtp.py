"""An LMTP server (RFC 2033) for mail from a mail server, with a reply for each recipient.

One process listens: the one that holds the lock on a file in the data folder. When it ends, another process
takes over within a second; the mail server retries in the meantime.
"""

import asyncio
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any, Protocol

from aiosmtpd.controller import BaseThreadedController, Controller, UnixSocketController
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from skerry.errors import SerializationFailure, Unavailable
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.parsing import MAX_SIZE

_LOCK = "lmtp.lock"
_PAUSE_SECONDS = 30
_TAKEN = "250 2.0.0 Accepted"
_NOWHERE = "550 5.1.1 No recipient address accepts mail"
_LATER = "451 4.3.0 Temporarily unavailable; try again later"


Report = Callable[[str, Exception], object]


class Held(Protocol):
    """The part of ``background.Held`` that is used here."""

    stopping: Event


class Handler:
    """Handles the mail of all connections."""

    def __init__(self, deliverer: Deliverer, report: Report) -> None:
        """Create a handler; ``report`` is called with unexpected errors."""
        self._deliverer, self._report = deliverer, report

    async def handle_exception(self, error: Exception) -> str:
        """Reply with a temporary failure after an unexpected error: the mail server keeps the mail."""
        self._report("mail in", error)
        return _LATER

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Accept a recipient whose address was signed by an account."""
        try:
            known = await asyncio.to_thread(self._deliverer.knows, address)
        except (Unavailable, SerializationFailure):
            return _LATER
        if not known:
            return _NOWHERE
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802 - the library's name
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        """Process a message, and return a reply for each recipient."""
        raw, return_path = envelope.original_content or b"", (envelope.mail_from or "").strip("<>")
        answers = [
            await asyncio.to_thread(self._answer, raw, recipient, return_path)
            for recipient in envelope.rcpt_tos
        ]
        return "\r\n".join(answers)

    def _answer(self, raw: bytes, recipient: str, return_path: str) -> str:
        try:
            bounces = self._deliverer.bounces(self._deliverer.deliver(raw, [recipient], return_path))
        except (Unavailable, SerializationFailure, OSError):
            return _LATER
        except Exception as error:  # noqa: BLE001 - other recipients need a reply, too
            self._report("mail in", error)
            return _LATER
        if bounces is None:
            return _TAKEN
        return f"550 5.7.1 {bounces}".encode("ascii", "replace").decode()


class _Protocol(LMTP):
    """LMTP without a limit on the length of lines, as the mail server cannot change them."""

    line_length_limit = MAX_SIZE


class _UnixController(UnixSocketController):
    def factory(self) -> SMTP:
        return _Protocol(self.handler, **self.SMTP_kwargs)


class _TcpController(Controller):
    def factory(self) -> SMTP:
        return _Protocol(self.handler, **self.SMTP_kwargs)


class Listener:
    """Listens while this process holds the lock; called repeatedly in the background."""

    def __init__(self, place: str, data: Path, deliverer: Deliverer, report: Report) -> None:
        """Create a listener for a path or for ``host:port``."""
        self._place, self._lock, self._handler = place, data / _LOCK, Handler(deliverer, report)

    def __call__(self, held: Held) -> None:
        """Listen until the process stops, unless another process listens already."""
        with self._locked() as is_first:
            if not is_first:
                return
            controller = self._controller()
            try:
                controller.start()
            except (OSError, TimeoutError):
                held.stopping.wait(_PAUSE_SECONDS)
                raise
            try:
                if self._place.startswith("/"):
                    # The headers of a mail are trusted, so only the owner and the group may connect.
                    Path(self._place).chmod(0o660)
                held.stopping.wait()
            finally:
                controller.stop()

    @contextmanager
    def _locked(self) -> Iterator[bool]:
        file = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(file)

    def _controller(self) -> BaseThreadedController:
        options: dict[str, Any] = {"data_size_limit": MAX_SIZE, "ident": "Skerry"}
        if self._place.startswith("/"):
            return _UnixController(self._handler, self._place, **options)
        host, _, port = self._place.rpartition(":")
        return _TcpController(self._handler, host.strip("[]"), int(port), **options)
