"""Messages as bytes: headers by RFC 5322 and RFC 2047, and texts by RFC 2045.

The newer interface of the standard library encodes headers that must not be encoded, such as a long
``List-Unsubscribe``, and loses blanks between encoded words. So headers are written with ``email.header``.
"""

from collections.abc import Mapping
from email.charset import QP, Charset
from email.header import Header
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.policy import compat32
from email.utils import quote
from typing import Any

# With a blank before it, an encoded word has at most 75 characters.
_WIDTH = 76
_POLICY = compat32.clone(max_line_length=_WIDTH, linesep="\r\n", mangle_from_=False)

Named = tuple[str, str]
"""The address of a person or a list, after its name, which may be empty."""

_UTF8 = Charset("utf-8")
_UTF8.body_encoding = QP


def message(headers: Mapping[str, str | Named], subject: str, text: str, html: str) -> "Message[Any, Any]":
    """Return a message with a plain text and an HTML part; ``headers`` are structured ones.

    Raises ValueError for a header that cannot be sent.
    """
    made: Message[Any, Any] = MIMEMultipart("alternative", policy=_POLICY)
    made["Subject"] = _words("Subject", subject)
    for name, value in headers.items():
        made[name] = _structured(name, value) if isinstance(value, str) else _named(name, *value)
    made.attach(_part("plain", text))
    made.attach(_part("html", html))
    return made


def _part(form: str, text: str) -> "Message[Any, Any]":
    made: Message[Any, Any] = MIMENonMultipart("text", form, policy=_POLICY)
    made.set_payload(text, _UTF8)
    return made


def _structured(name: str, value: str) -> Header:
    """Return a header that is folded at its blanks and never encoded; raises ValueError."""
    if not value.isascii():
        raise ValueError(f"{name} has characters outside ASCII: {value}")
    # Without the name, a value without blanks stays on its line.
    return Header(value, "us-ascii", header_name=name if " " in value else None)


def _words(name: str, text: str) -> Header:
    """Return text for a header, which is encoded if folding or reading could change it."""
    return Header(text, "us-ascii" if _is_plain(text) else _UTF8, header_name=name)


def _named(name: str, words: str, address: str) -> Header:
    """Return an address with its name, which is encoded if a quoted string could change it."""
    if _is_plain(words):
        return _structured(name, f'"{quote(words)}" <{address}>' if words else f"<{address}>")
    made = _words(name, words)
    made.append(str(_structured(name, f"<{address}>")), "us-ascii")
    return made


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and len(text) < _WIDTH // 2 and "=?" not in text
