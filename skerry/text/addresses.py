"""E-mail addresses, in the form that every mail server accepts."""

import re
from collections.abc import Iterator

import idna

MAX_LENGTH = 254

_EXAMPLE = "Email must be an address such as ada@example.org"
_NOT_ASCII = "Email must have only ASCII letters, digits and signs before the @"
_DOTS = "Email must not have two dots in a row, or one beside the @ or at the beginning"
_MAX_LOCAL = 64
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_LABEL = r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")


# Blanks, control characters, and characters without width.
_INVISIBLE = (
    r"\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
_ENDS = re.compile(rf"^[{_INVISIBLE}]+|[{_INVISIBLE}]+$")
_HIDDEN = re.compile(rf"(?! )[{_INVISIBLE}]")


class BadAddress(ValueError):
    """The text is not an e-mail address to which mail can be sent; the message is a sentence."""


def normal(text: str) -> str:
    """Return an address in lower case and ASCII, as it is stored; raises BadAddress.

    An international domain is written as its ASCII form. Mailboxes whose own name is not ASCII are refused,
    because many mail servers do not send to them.
    """
    address = trimmed(text).lower()
    hidden = _HIDDEN.search(address)
    if hidden:
        problem = f"Email contains an invisible character (U+{ord(hidden[0]):04X})"
        raise BadAddress(problem)
    local, _, domain = address.rpartition("@")
    if not local or "@" in local or " " in address:
        raise BadAddress(_EXAMPLE)
    if not local.isascii():
        raise BadAddress(_NOT_ASCII)
    if local.startswith(".") or local.endswith(".") or ".." in local:
        raise BadAddress(_DOTS)
    domain = _ascii(domain)
    address = f"{local}@{domain}"
    is_right = _LOCAL.fullmatch(local) and _DOMAIN.fullmatch(domain)
    if not is_right or len(local) > _MAX_LOCAL or len(address) > MAX_LENGTH:
        raise BadAddress(_EXAMPLE)
    return address


def forms(text: str) -> Iterator[str]:
    """Yield the forms in which an address may be stored; older ones are stored as they were typed."""
    typed = text.lower()
    yield typed
    try:
        written = normal(text)
    except BadAddress:
        return
    if written != typed:
        yield written


def trimmed(text: str) -> str:
    """Return a text without blanks and invisible characters at its ends, which copying may add."""
    return _ENDS.sub("", text)


def _ascii(domain: str) -> str:
    try:
        return domain if domain.isascii() else idna.encode(domain, uts46=True).decode()
    except idna.IDNAError as error:
        raise BadAddress(_EXAMPLE) from error
