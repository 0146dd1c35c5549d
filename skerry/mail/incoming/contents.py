"""The text and the files in the parts of a message."""

import binascii
import json
import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

from skerry.mail.incoming.charsets import decode, decode_html
from skerry.mail.incoming.headers import RUBBISH, parameter
from skerry.mail.incoming.html_text import HISTORY, to_text
from skerry.text.characters import replace_invalid
from skerry.tracker.mail.incoming_mails import MailFile

MAX_TEXT_LENGTH = 256 * 1024
"""The maximum length of a text, in characters; the rest is cut off."""

_CUT = " […]"
"""The mark at the end of a text that was cut; it is on the last line, which may be a quote."""

_TEXTS = ("text/plain", "text/html", "text/markdown")
_MAX_NAME_LENGTH = 200
_LINE_END = re.compile(r"\r\n|\r|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UUENCODED = re.compile(
    rb"^begin [0-7]{3,4} +([^\r\n]{1,200}?)\s*\r?\n((?:[!-`][ -`]{0,90}\r?\n)+?)(?:[` ]?\r?\n)?end *\r?$",
    re.MULTILINE,
)
_REACTION = "text/vnd.google.email-reaction+json"
_MAX_EMOJI_LENGTH = 40
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
    formatted: list[str] = field(default_factory=list)
    files: list[MailFile] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return all texts, separated by blank lines."""
        return _together(self.texts)

    @property
    def formatted_text(self) -> str:
        """Return the text of the HTML beside the plain texts, which shows its structure."""
        return _together(self.formatted)

    def add(self, other: "Contents") -> None:
        """Add the contents of another part."""
        self.texts += other.texts
        self.formatted += other.formatted
        self.files += other.files


def contents(part: Message) -> Contents:
    """Return the contents of a part of a message, including its subparts."""
    kind, collected = part.get_content_type(), Contents()
    children = _parts(part)
    if kind == "multipart/alternative" and children:
        return _alternative(children)
    if part.get_content_maintype() == "multipart":
        for each in children:
            collected.add(contents(each))
        if not children:
            collected.texts.append(_decoded(part, "text/plain", _bytes(part)))
    elif kind in _TEXTS and not _is_file(part):
        text, collected.files = _without_files(_bytes(part))
        collected.texts.append(_decoded(part, kind, text))
    elif kind == _REACTION:
        collected.texts.append(_emoji(part))
    elif kind not in _SIGNATURES:
        content = _message(part) if part.get_content_maintype() == "message" else _bytes(part)
        if content:
            collected.files.append(MailFile(_filename(part, kind), kind, content))
    return collected


def _alternative(parts: list[Message]) -> Contents:
    """Return the plain alternative, or else the last one with a text, and the files of all alternatives."""
    forms = [contents(each) for each in parts]
    collected = Contents(files=[file for form in forms for file in form.files])
    kinds = [part.get_content_type() for part in parts]
    by_kind = [
        form
        for wanted in (_REACTION, "text/plain")
        for kind, form in zip(kinds, forms, strict=True)
        if kind == wanted
    ]
    chosen = next((form for form in (*by_kind, *reversed(forms)) if form.text.strip()), Contents())
    collected.texts = chosen.texts
    if chosen is not forms[-1] and _REACTION not in kinds:
        collected.formatted = forms[-1].texts
    return collected


def _parts(part: Message) -> list[Message]:
    # Without the check, the payload would be decoded, which fails for an invalid encoding.
    payload: Any = part.get_payload() if part.is_multipart() else []
    return [each for each in payload if isinstance(each, Message)]


def _is_file(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_said_name(part))


def _said_name(part: Message) -> str:
    name = parameter(part, "filename", "content-disposition") or parameter(part, "name", "content-type")
    name = replace_invalid(name).strip(' "')
    # Some programs write quotes that are none in mail.
    quoted = re.fullmatch("'(.+)'", name)
    return quoted[1] if quoted else name


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
    if kind in ("message/rfc822", "message/global"):
        return "message.eml"
    return f"file{mimetypes.guess_extension(kind) or '.bin'}"


def _bytes(part: Message) -> bytes:
    try:
        content: Any = part.get_payload(decode=True)
    except RUBBISH:
        return b""
    return content if isinstance(content, bytes) else b""


def _message(part: Message) -> bytes:
    """Return what a part of a kind of messages contains, which the library has parsed."""
    try:
        return b"".join(map(bytes, _parts(part))) or _bytes(part)
    except (*RUBBISH, OSError):
        return b""


def _without_files(content: bytes) -> tuple[bytes, list[MailFile]]:
    """Return a text without the files that old programs write into it (uuencode), and the files."""
    files: list[MailFile] = []

    def extract(match: re.Match[bytes]) -> bytes:
        try:
            content = b"".join(map(_uudecoded, match[2].splitlines()))
        except binascii.Error:
            return match[0]
        name = replace_invalid(decode(match[1]))
        files.append(MailFile(name, mimetypes.guess_type(name)[0] or "application/octet-stream", content))
        return b""

    return (_UUENCODED.sub(extract, content) if b"begin " in content else content), files


def _uudecoded(line: bytes) -> bytes:
    # Blanks at its end may be missing, and some programs add a character.
    length = (((line[0] - 32) & 63) * 4 + 5) // 3
    return binascii.a2b_uu(line[:length].ljust(length))


def _decoded(part: Message, kind: str, content: bytes) -> str:
    decoded = decode_html if kind == "text/html" else decode
    text = decoded(content[: 4 * MAX_TEXT_LENGTH], parameter(part, "charset", "content-type"))
    # Only the structure of HTML sets this mark.
    text = _LINE_END.sub("\n", text).replace(HISTORY, "")
    if kind == "text/html":
        text = to_text(text)
    elif parameter(part, "format", "content-type").lower() == "flowed":
        text = _unflowed(text, joins=parameter(part, "delsp", "content-type").lower() == "yes")
    return _bounded(replace_invalid(text), is_cut=len(content) > 4 * MAX_TEXT_LENGTH)


def _together(texts: list[str]) -> str:
    return _bounded("\n\n".join(each for each in texts if each.strip()))


def _bounded(text: str, *, is_cut: bool = False) -> str:
    """Return the text, shortened if it is too long, with a mark at the end if something is missing."""
    if len(text) <= MAX_TEXT_LENGTH and not is_cut:
        return text
    return text[: MAX_TEXT_LENGTH - len(_CUT)].rstrip() + _CUT


def _emoji(part: Message) -> str:
    """Return the emoji of a reaction, which Gmail sends as JSON beside a sentence about it."""
    try:
        return replace_invalid(str(json.loads(_bytes(part))["emoji"]))[:_MAX_EMOJI_LENGTH]
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""


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
