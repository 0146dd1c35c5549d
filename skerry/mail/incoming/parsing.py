"""A raw message, which may be anything at all, to what the rules have to know of it."""

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesFeedParser
from email.policy import Policy
from hashlib import sha256
from typing import Any, cast

from skerry.mail.incoming import headers
from skerry.mail.incoming.contents import contents
from skerry.mail.incoming.headers import RUBBISH
from skerry.mail.incoming.quotes import own_text
from skerry.tracker.mail.messages import IncomingMail
from skerry.tracker.mail.reply_addresses import masked

LARGEST = 32 * 1024 * 1024
"""Bytes of a message that is read."""

MOST_PARTS = 100
DEEPEST = 15
MOST_LINES = 600_000
LARGEST_HEADER = 256 * 1024
MOST_HEADER_LINES = 5_000

_LONGEST_SUBJECT = 1000
BEGINNING = 32 * 1024
"""Bytes of the header of a message that is not read, to find out whom to tell."""

_PIECE = 64 * 1024
_HEADER_END = re.compile(rb"\r?\n\r?\n|\r\r")


class _TooManyPartsError(Exception):
    """The message has too many parts."""


def parse(
    raw: bytes, authserv_id: str = "", return_path: str | None = None, size: int | None = None
) -> IncomingMail:
    """Return what is in a message; never raises.

    ``authserv_id`` is the name by which the trusted mail server signs what it finds out, and
    ``return_path`` the sender on the envelope, None where nobody knows it. ``size`` is how large the
    message is if only its beginning was received. What cannot be read has a ``problem``.
    """
    problem = _size_problem(raw, len(raw) if size is None else size)
    # A message that is too large is still answered, so its header is read.
    try:
        message = _parsed(_header_of(raw, BEGINNING) if problem else raw)
    except _TooManyPartsError:
        problem = f"The message has too many parts (at most {MOST_PARTS}, and {DEEPEST} in each other)"
        message = _parsed(_header_of(raw, BEGINNING))
    except RUBBISH:
        return IncomingMail(problem="The message cannot be read", automatic="unreadable")
    return _mail(message, raw, authserv_id, return_path, problem)


def _size_problem(raw: bytes, size: int) -> str:
    if size > LARGEST:
        return f"The message is too large (at most {LARGEST // 1024 // 1024} MiB)"
    header = _header_of(raw, LARGEST_HEADER)
    if len(header) >= LARGEST_HEADER or header.count(b"\n") > MOST_HEADER_LINES:
        return "The header of the message is too large"
    return "The message has too many lines" if raw.count(b"\n") + raw.count(b"\r") > 2 * MOST_LINES else ""


def _header_of(raw: bytes, most: int) -> bytes:
    """Return the header of a message, of which at most so many bytes are read."""
    end = _HEADER_END.search(raw, 0, most)
    return raw[: end.start() if end else most] + b"\n\n"


def _parsed(raw: bytes) -> EmailMessage:
    bounded = policy.default.clone(header_factory=headers.make, message_factory=_Factory())
    parser = BytesFeedParser(policy=bounded)
    # In pieces, as the library copies what it is given at once.
    for start in range(0, len(raw), _PIECE):
        parser.feed(raw[start : start + _PIECE])
    # The policy says what messages are made of.
    return cast("EmailMessage", parser.close())


class _Part(EmailMessage):
    """A message or a part of one, which does not lie too deep."""

    depth = 0

    def attach(self, payload: Any) -> None:
        """Add a part; reading each of its lines takes as long as it lies deep."""
        payload.depth = self.depth + 1
        if payload.depth > DEEPEST:
            raise _TooManyPartsError
        super().attach(payload)


class _Factory:
    """Makes the parts of one message, but not too many."""

    def __init__(self) -> None:
        """Start without parts."""
        self._made = 0

    def __call__(self, policy: "Policy[EmailMessage]") -> EmailMessage:
        """Return an empty part."""
        self._made += 1
        if self._made > MOST_PARTS:
            raise _TooManyPartsError
        return _Part(policy)


def _mail(
    message: EmailMessage, raw: bytes, authserv_id: str, return_path: str | None, problem: str
) -> IncomingMail:
    sender, name = headers.sender(message)
    subject = headers.text(message, "subject")[:_LONGEST_SUBJECT]
    found = contents(message)
    return IncomingMail(
        sender=sender,
        sender_name=name,
        recipients=headers.recipients(message),
        subject=subject,
        # Without an id of its own, the same bytes are the same message.
        message_id=headers.message_id(message) or f"<{sha256(raw).hexdigest()}@content.invalid>",
        references=headers.references(message),
        text=masked(own_text(found.text, subject)),
        files=tuple(found.files),
        automatic=headers.automatic(message, sender, return_path),
        proof=headers.proof(message, authserv_id, sender),
        problem=problem or ("" if sender else "The message has no sender, or several"),
    )
