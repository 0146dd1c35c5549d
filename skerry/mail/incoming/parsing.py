"""Parsing of raw messages, which may contain anything."""

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesFeedParser
from email.policy import Policy
from hashlib import sha256
from typing import Any, cast

from skerry.mail.incoming import headers
from skerry.mail.incoming.contents import Contents, contents
from skerry.mail.incoming.headers import RUBBISH
from skerry.mail.incoming.quotes import divide, whole
from skerry.text.rendered_html import shortened
from skerry.tracker.mail.incoming_mails import IncomingMail, MailText
from skerry.tracker.mail.reply_addresses import masked

MAX_SIZE = 32 * 1024 * 1024
"""The maximum size of a message, in bytes."""

MAX_PARTS = 100
MAX_DEPTH = 15
MAX_LINES = 600_000
MAX_HEADER_SIZE = 256 * 1024
MAX_HEADER_LINES = 5_000

_MAX_SUBJECT_LENGTH = 4000
BEGINNING = 32 * 1024
"""How many bytes of an oversized message are read, to find its sender."""

_PIECE = 64 * 1024
_HEADER_END = re.compile(rb"\r?\n\r?\n|\r\r")


class _TooManyPartsError(Exception):
    """The message has too many parts."""


def parse(
    raw: bytes,
    authserv_id: str = "",
    return_path: str | None = None,
    size: int | None = None,
    own_address: str = "",
) -> IncomingMail:
    """Return the parsed message; never raises.

    ``authserv_id`` is the name of the trusted mail server in its Authentication-Results, and ``return_path``
    the sender of the envelope, or None if it is unknown. ``size`` is the size of the message if only its
    beginning was received. ``own_address`` is the sender of this server's mail. A message that cannot be read
    has a ``problem``.
    """
    problem = _size_problem(raw, len(raw) if size is None else size)
    # The header of an oversized message is read, because its sender gets an answer.
    try:
        message = _parsed(_header_of(raw, BEGINNING) if problem else raw)
    except _TooManyPartsError:
        problem = f"The message has too many parts (at most {MAX_PARTS}, and {MAX_DEPTH} in each other)"
        message = _parsed(_header_of(raw, BEGINNING))
    except RUBBISH:
        return IncomingMail(problem="The message cannot be read")
    return _mail(message, raw, authserv_id, return_path, problem, own_address)


def _size_problem(raw: bytes, size: int) -> str:
    if size > MAX_SIZE:
        return f"The message is too large (at most {MAX_SIZE // 1024 // 1024} MiB)"
    header = _header_of(raw, MAX_HEADER_SIZE)
    if len(header) >= MAX_HEADER_SIZE or header.count(b"\n") > MAX_HEADER_LINES:
        return "The header of the message is too large"
    return "The message has too many lines" if raw.count(b"\n") + raw.count(b"\r") > 2 * MAX_LINES else ""


def _header_of(raw: bytes, most: int) -> bytes:
    """Return the header of a message, reading at most ``most`` bytes."""
    end = _HEADER_END.search(raw, 0, most)
    return raw[: end.start() if end else most] + b"\n\n"


def _parsed(raw: bytes) -> EmailMessage:
    bounded = policy.default.clone(
        header_factory=headers.make, message_factory=_Factory(), refold_source="none"
    )
    parser = BytesFeedParser(policy=bounded)
    # In chunks, because the library copies its input.
    for start in range(0, len(raw), _PIECE):
        parser.feed(raw[start : start + _PIECE])
    # The message factory of the policy determines the type.
    return cast("EmailMessage", parser.close())


class _Part(EmailMessage):
    """A message or a part of one, nested at most ``MAX_DEPTH`` levels."""

    depth = 0

    def attach(self, payload: Any) -> None:
        """Add a part, limiting the depth, because each level adds to the time of parsing a line."""
        payload.depth = self.depth + 1
        if payload.depth > MAX_DEPTH:
            raise _TooManyPartsError
        super().attach(payload)


class _Factory:
    """A factory for the parts of one message that limits their number."""

    def __init__(self) -> None:
        self._made = 0

    def __call__(self, policy: "Policy[EmailMessage]") -> EmailMessage:
        """Return an empty part; raises ``_TooManyPartsError``."""
        self._made += 1
        if self._made > MAX_PARTS:
            raise _TooManyPartsError
        return _Part(policy)


def _mail(
    message: EmailMessage,
    raw: bytes,
    authserv_id: str,
    return_path: str | None,
    problem: str,
    own_address: str,
) -> IncomingMail:
    sender, name = headers.sender(message)
    subject = shortened(headers.text(message, "subject"), _MAX_SUBJECT_LENGTH)
    parts = contents(message)
    return IncomingMail(
        sender=sender,
        sender_name=name,
        recipients=headers.recipients(message),
        subject=subject,
        # Without a Message-ID, messages with the same bytes are the same message.
        message_id=headers.message_id(message) or f"<{sha256(raw).hexdigest()}@content.invalid>",
        references=headers.references(message),
        whole=_masked(whole(parts.text, own_address)),
        reply=_masked(_reply(parts, subject, own_address)),
        files=tuple(parts.files),
        automatic=headers.automatic(message, return_path),
        bulk=headers.bulk(message),
        proof=headers.proof(message, authserv_id, sender),
        trusted_server=authserv_id,
        problem=problem or ("" if sender else "The message must have exactly one sender"),
    )


def _reply(parts: Contents, subject: str, own_address: str) -> MailText:
    """Return the text of a reply, from its HTML if only that shows where an earlier message begins."""
    plain = divide(parts.text, subject, own_address)
    if plain.quoted or not parts.formatted:
        return plain
    formatted = divide(parts.formatted_text, subject, own_address)
    return formatted if formatted.quoted else plain


def _masked(text: MailText) -> MailText:
    return MailText(masked(text.own), masked(text.quoted), text.commands)
