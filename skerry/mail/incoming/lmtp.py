"""An LMTP server (RFC 2033) for mail from a mail server, with a reply for each recipient.

One process listens: the one that holds the lock on a file in the data folder. When it ends, another process
takes over within a second; the mail server retries in the meantime.
"""

import asyncio
import os
import re
import smtplib
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from aiosmtpd.controller import BaseThreadedController, Controller, UnixSocketController
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from skerry.background import Held
from skerry.errors import SerializationFailure, Unavailable, in_words
from skerry.failures import Failures, Report
from skerry.filesystem import lock_if_free
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.parsing import MAX_SIZE
from skerry.text.characters import printable

NAME = "mail in"

_LOCK = "lmtp.lock"
_PAUSE_SECONDS = 30
_GREETING_SECONDS = 5
_TAKEN = "250 2.0.0 Accepted"
_NOWHERE = "550 5.1.1 No recipient address accepts mail"
_LATER = "451 4.3.0 Temporarily unavailable; try again later"
_ADDRESS = re.compile(r"[^\s<>:]+@[^\s<>]+")


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

    async def note_refusal(self, envelope: Envelope, command: str, reply: str) -> None:
        """Record a mail that is refused before its text is received."""
        sender = _ADDRESS.search(envelope.mail_from or command)
        reason = printable(f"{command}: {reply}")
        with suppress(Unavailable, SerializationFailure, OSError):
            await asyncio.to_thread(
                self._deliverer.note_refused,
                printable(sender[0] if sender else ""),
                envelope.rcpt_tos,
                reason,
            )

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
    """LMTP that records every mail that it refuses, without a limit on the length of lines.

    The mail server cannot make lines shorter.
    """

    line_length_limit = MAX_SIZE
    _command = ""
    """The command about a mail that is being processed, with its argument."""
    _mail: Envelope | None = None
    """The mail that the command is about."""

    async def smtp_MAIL(self, arg: str | None) -> None:  # noqa: N802 - the library's name
        """Handle the command that begins a mail."""
        await self._note_refusals(f"MAIL {arg}", super().smtp_MAIL(arg))

    async def smtp_RCPT(self, arg: str | None) -> None:  # noqa: N802 - the library's name
        """Handle the command that names a recipient."""
        await self._note_refusals(f"RCPT {arg}", super().smtp_RCPT(arg))

    async def smtp_DATA(self, arg: str | None) -> None:  # noqa: N802 - the library's name
        """Handle the command that begins the text."""
        await self._note_refusals("DATA", super().smtp_DATA(arg))

    async def _note_refusals(self, command: str, processing: Awaitable[None]) -> None:
        self._command, self._mail = command, self.envelope
        try:
            await processing
        finally:
            self._command, self._mail = "", None

    async def push(self, status: str | bytes) -> None:
        """Send a reply; a single reply to a text is repeated, as LMTP requires one for each recipient."""
        said = status if isinstance(status, str) else status.decode("ascii", "replace")
        # The handler has answered and recorded what it refused, so the next mail begins.
        envelope = self._mail if self._mail is self.envelope else None
        if envelope and said.startswith("5"):
            await self.event_handler.note_refusal(envelope, self._command, said)
        is_of_text = self._command == "DATA" and said.startswith(("4", "5"))
        recipients = len(envelope.rcpt_tos) if is_of_text and envelope else 1
        await super().push("\r\n".join([said] * max(recipients, 1)))


class _UnixController(UnixSocketController):
    def factory(self) -> SMTP:
        return _Protocol(self.handler, **self.SMTP_kwargs)


class _TcpController(Controller):
    def factory(self) -> SMTP:
        return _Protocol(self.handler, **self.SMTP_kwargs)


def greet(place: str) -> None:
    """Connect to a listener as a mail server does; raises OSError if nobody replies."""
    host, _, port = ("", "", 0) if place.startswith("/") else place.rpartition(":")
    try:
        with smtplib.LMTP(host.strip("[]") or place, int(port), timeout=_GREETING_SECONDS) as server:
            server.ehlo_or_helo_if_needed()
    except smtplib.SMTPException as error:
        raise OSError(str(error)) from error


class Listener:
    """Listens while this process holds the lock; called repeatedly in the background."""

    def __init__(
        self, place: str, data: Path, deliverer: Deliverer, report: Report, failures: Failures
    ) -> None:
        """Create a listener for a path or for ``host:port``."""
        self._place, self._lock, self._handler = place, data / _LOCK, Handler(deliverer, report)
        self._failures = failures

    def __call__(self, held: Held) -> None:
        """Listen until the process stops, unless another process listens already."""
        try:
            with self._locked() as is_first:
                if is_first:
                    self._listen(held)
        except (OSError, TimeoutError) as error:
            self._failures.note(NAME, f"Skerry cannot receive mail at {self._place}: {in_words(error)}")
            held.stopping.wait(_PAUSE_SECONDS)

    def _listen(self, held: Held) -> None:
        controller = self._controller()
        try:
            controller.start()
            if self._place.startswith("/"):
                # The headers of a mail are trusted, so only the owner and the group may connect.
                Path(self._place).chmod(0o660)
            self._failures.end(NAME, f"Skerry can receive mail at {self._place} again")
            held.stopping.wait()
        finally:
            controller.stop()
            controller.loop.close()

    @contextmanager
    def _locked(self) -> Iterator[bool]:
        file = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield lock_if_free(file)
        finally:
            os.close(file)

    def _controller(self) -> BaseThreadedController:
        options: dict[str, Any] = {"data_size_limit": MAX_SIZE, "ident": "Skerry"}
        if self._place.startswith("/"):
            return _UnixController(self._handler, self._place, **options)
        host, _, port = self._place.rpartition(":")
        return _TcpController(self._handler, host.strip("[]"), int(port), **options)
