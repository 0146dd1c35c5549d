"""The text and the files in the parts of a message."""

import codecs
import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

from skerry.mail.incoming.headers import RUBBISH
from skerry.mail.incoming.html_text import to_text
from skerry.text.characters import replace_invalid
from skerry.tracker.mail.messages import MailFile

MAX_TEXT_LENGTH = 256 * 1024
"""The maximum length of a text, in characters; the rest is cut off."""

_CUT = " […]"
"""Marks a text that was cut; it stands on the last line, which may be a quote."""

_MAX_NAME_LENGTH = 200
# Encodings that are slow, or that are not character sets.
_NO_CHARSETS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined")
_LINE_END = re.compile(r"\r\n|\r|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_SIGNATURES = (
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/pgp-encrypted",
)


@dataclass
class Contents:
    """The texts and files of a message, or of a part of one."""

    texts: list[str] = field(default_factory=list)
    files: list[MailFile] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return all texts, separated by blank lines."""
        return _bounded("\n\n".join(each for each in self.texts if each.strip()))

    def add(self, other: "Contents") -> None:
        """Add the contents of another part."""
        self.texts += other.texts
        self.files += other.files


def contents(part: Message) -> Contents:
    """Return the contents of a part of a message, including its subparts."""
    kind, found = part.get_content_type(), Contents()
    children = _parts(part)
    if kind == "multipart/alternative" and children:
        return _alternative(children)
    if part.get_content_maintype() == "multipart":
        for each in children:
            found.add(contents(each))
        if not children:
            found.texts.append(_text(part, "text/plain"))
    elif kind in ("text/plain", "text/html") and not _is_file(part):
        found.texts.append(_text(part, kind))
    elif kind not in _SIGNATURES:
        content = _message(part) if kind == "message/rfc822" else _bytes(part)
        if content:
            found.files.append(MailFile(_filename(part, kind), kind, content))
    return found


def _alternative(parts: list[Message]) -> Contents:
    """Return the plain alternative, or else the last one with a text, and the files of all alternatives."""
    forms = [contents(each) for each in parts]
    found = Contents(files=[file for form in forms for file in form.files])
    plain = [form for part, form in zip(parts, forms, strict=True) if part.get_content_type() == "text/plain"]
    chosen = next((form for form in (*plain, *reversed(forms)) if form.text.strip()), Contents())
    found.texts = chosen.texts
    return found


def _parts(part: Message) -> list[Message]:
    # Without the check, the payload would be decoded, which fails for an invalid encoding.
    payload: Any = part.get_payload() if part.is_multipart() else []
    return [each for each in payload if isinstance(each, Message)]


def _is_file(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_said_name(part))


def _said_name(part: Message) -> str:
    try:
        return replace_invalid(part.get_filename() or "").strip()
    except RUBBISH:
        return ""


def _filename(part: Message, kind: str) -> str:
    name = _said_name(part)
    if name:
        stem, dot, ending = name.rpartition(".")
        # A long name is shortened before its extension.
        return (
            name
            if len(name) <= _MAX_NAME_LENGTH
            else f"{(stem or name)[: _MAX_NAME_LENGTH - 20]}{dot}{ending[:19]}"
        )
    if kind == "message/rfc822":
        return "message.eml"
    return f"file{mimetypes.guess_extension(kind) or '.bin'}"


def _bytes(part: Message) -> bytes:
    try:
        content: Any = part.get_payload(decode=True)
    except RUBBISH:
        return b""
    return content if isinstance(content, bytes) else b""


def _message(part: Message) -> bytes:
    """Return the message that a part contains."""
    try:
        inner = _parts(part)
        return bytes(inner[0]) if inner else _bytes(part)
    except (*RUBBISH, OSError):
        return b""


def _text(part: Message, kind: str) -> str:
    content = _bytes(part)
    text = _decoded(content[: 4 * MAX_TEXT_LENGTH], _param(part, "charset"))
    text = _LINE_END.sub("\n", text)
    if kind == "text/html":
        text = to_text(text)
    elif _param(part, "format").lower() == "flowed":
        text = _unflowed(text, joins=_param(part, "delsp").lower() == "yes")
    return _bounded(replace_invalid(text), is_cut=len(content) > 4 * MAX_TEXT_LENGTH)


def _bounded(text: str, *, is_cut: bool = False) -> str:
    """Return the text, shortened if it is too long, with a mark at the end if something is missing."""
    if len(text) <= MAX_TEXT_LENGTH and not is_cut:
        return text
    return text[: MAX_TEXT_LENGTH - len(_CUT)].rstrip() + _CUT


def _param(part: Message, name: str) -> str:
    try:
        return str(part.get_param(name) or "")
    except RUBBISH:
        return ""


def _decoded(content: bytes, charset: str) -> str:
    """Return the text in the given character set, or in one that fits if it is unknown."""
    try:
        name = codecs.lookup(charset or "ascii").name
        if name not in _NO_CHARSETS:
            # Text declared as ASCII often has another encoding.
            return content.decode(name, "strict" if name == "ascii" else "replace")
    except (LookupError, ValueError, TypeError):
        pass
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _unflowed(text: str, *, joins: bool) -> str:
    """Return format=flowed text with each paragraph joined into one line (RFC 3676)."""
    return "\n".join(_paragraphs(text.split("\n"), joins=joins))


def _paragraphs(lines: list[str], *, joins: bool) -> Iterator[str]:
    begun: list[str] = []
    depth = 0
    for line in lines:
        here = len(line) - len(line.lstrip(">"))
        said = line[here:].removeprefix(" ") if here or line.startswith(" ") else line
        if begun and (here != depth or said == "-- "):
            yield _joined(begun, depth)
            begun = []
        depth = here
        flows = said.endswith(" ") and said != "-- "
        begun.append(said[:-1] if flows and joins else said)
        if not flows:
            yield _joined(begun, depth)
            begun = []
    if begun:
        yield _joined(begun, depth)


def _joined(lines: list[str], depth: int) -> str:
    return f"{'>' * depth} {''.join(lines)}" if depth else "".join(lines)
