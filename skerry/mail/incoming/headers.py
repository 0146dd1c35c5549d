"""Headers of incoming messages, read within limits and trusted only if proven."""

import re
from collections.abc import Iterable
from contextlib import suppress
from email.errors import MessageError
from email.message import EmailMessage, Message
from itertools import islice
from typing import Any
from urllib.parse import unquote_to_bytes

from skerry.mail.incoming import charsets
from skerry.text import addresses
from skerry.text.characters import replace_invalid

MAX_LENGTH = 2_000
"""The maximum length of a structured header; the rest is ignored."""

MAX_LIST_LENGTH = 16_000
"""The maximum length of a header with a list of addresses or message ids, and of a subject.

A character of a subject may take eight to encode.
"""

RUBBISH = (MessageError, ValueError, LookupError, AttributeError, TypeError, AssertionError, RecursionError)
"""The exceptions that the library raises for malformed headers."""

_MAX = 50
_MAX_ADDRESS_LENGTH = 254
_LONG = (
    "subject",
    "to",
    "cc",
    "delivered-to",
    "x-original-to",
    "envelope-to",
    "x-envelope-to",
    "references",
    "in-reply-to",
)

_ATOM = r"[^\s<>\",;:()\[\]\\@]"
# Never the end of a longer one, which belongs to somebody else.
_ADDRESS = re.compile(rf"(?<!{_ATOM}){_ATOM}{{1,64}}@{_ATOM}{{1,190}}")
_IN_QUOTES = re.compile(rf"(?<!{_ATOM})'((?:(?!'){_ATOM}){{1,64}}@(?:(?!'){_ATOM}){{1,190}})'")
_ANGLE = re.compile(rf"<\s*({_ADDRESS.pattern})\s*>")
_COMMENT = re.compile(r"\(([^()]*)\)")
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")
_PLAIN = re.compile(r"=\s*\"([\w.@-]+)\"")
_HIDDEN = re.compile(r"\\.|[\"()]", re.DOTALL)
_EXTENDED = re.compile(r"([A-Za-z][\w-]{1,20})'[a-zA-Z-]{0,20}'(.*%[0-9A-Fa-f]{2}.*)")
_DMARC = re.compile(r"\s*dmarc\s*=\s*([a-z]+)\b(.*)", re.IGNORECASE | re.DOTALL)
_HEADER_FROM = re.compile(r"\bheader\.from\s*=\s*([^\s;]+)", re.IGNORECASE)

_PRECEDENCES = ("bulk", "junk", "auto_reply", "auto-reply")
_REPORTS = ("multipart/report", "message/disposition-notification")


def make(name: str, value: str) -> str:
    """Return the permitted beginning of a header's value, with its raw bytes decoded; never raises."""
    if name.lower() == "content-transfer-encoding":
        # The library compares it with what programs add: quotes, blanks or a parameter.
        return value.strip(" \t\r\n\"'").partition(";")[0]
    longest = MAX_LIST_LENGTH if name.lower() in _LONG else MAX_LENGTH
    said = value[:longest]
    if name.lower() == "subject" and len(value) > longest:
        # A subject is shown, so it is marked as cut, and not cut within an encoded word.
        said = f"{said.rpartition(' ')[0] or said} ..."
    # The library leaves raw bytes as surrogates.
    return said if said.isascii() else charsets.decode(said.encode("utf-8", "surrogateescape"))


def text(message: EmailMessage, name: str) -> str:
    """Return the first header with a name in one line; empty if there is none."""
    return _one_line(charsets.decode_words(str(message.get(name, ""))))


def parameter(part: Message, name: str, header: str) -> str:
    """Return a parameter of a header, however other characters are written; empty if there is none."""
    try:
        values: list[Any] = [value for key, value in part.get_params([], header) if key.lower() == name]
        for value in values:
            if isinstance(value, tuple):
                # In RFC 2231, the library returns the bytes as characters.
                return charsets.decode(value[2].encode("latin-1", "replace"), value[0] or "")
        return _unescaped(charsets.decode_words(values[0])) if values else ""
    except RUBBISH:
        return ""


def _unescaped(value: str) -> str:
    """Return a value that is written as in RFC 2231 although its name lacks the asterisk."""
    match = _EXTENDED.fullmatch(value)
    return charsets.decode(unquote_to_bytes(match[2]), match[1]) if match else value


def _one_line(value: str) -> str:
    return " ".join(replace_invalid(value).split())


def all_of(message: EmailMessage, *names: str) -> Iterable[str]:
    """Return the values of the headers with a name, limited to a plausible number."""
    for name in names:
        yield from map(str, islice(message.get_all(name, []), _MAX))


def sender(message: EmailMessage) -> tuple[str, str]:
    """Return address and name of the sender; empty unless ``From`` has exactly one address.

    Many programs do not quote names with special characters. The address is never taken from a name,
    because the server that verifies the sender would read another one.
    """
    # Some programs encode the address as well.
    written = map(replace_invalid, all_of(message, "from"))
    values = [each if "@" in each else charsets.decode_words(each) for each in written]
    mailboxes = set().union(*(_mailboxes(_bare(value)) or _mailboxes(value) for value in values))
    if len(mailboxes) != 1:
        return "", ""
    address = mailboxes.pop()
    with suppress(addresses.BadAddress):
        address = addresses.normal(address)
    return ("", "") if len(address) > _MAX_ADDRESS_LENGTH else (address, _name(values[0]))


def _mailboxes(value: str) -> set[str]:
    """Return the address in each piece of a list, preferring those in angle brackets."""
    mailboxes: set[str] = set()
    for piece in re.split("[,;:]", _IN_QUOTES.sub(r"\1", value)):
        mailboxes.update(_ANGLE.findall(piece) or _ADDRESS.findall(piece))
    return {each.lower() for each in mailboxes}


def _name(value: str) -> str:
    """Return the name beside the address of a mailbox."""
    before, angle, _ = value.rpartition("<")
    name = before if angle else "".join(_COMMENT.findall(value))
    name = re.sub(r"\\(.)", r"\1", name.strip(' \t\r\n"'))
    return _one_line(charsets.decode_words(name)).strip('"')


def recipients(message: EmailMessage) -> tuple[str, ...]:
    """Return all recipient addresses in the headers, in lower case."""
    names = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to", "cc")
    values = (_IN_QUOTES.sub(r"\1", value) for value in all_of(message, *names))
    mailboxes = (address.lower() for value in values for address in _ADDRESS.findall(value))
    return tuple(islice(dict.fromkeys(mailboxes), 1000))


def message_id(message: EmailMessage) -> str:
    """Return the Message-ID, empty if there is none."""
    match = _MESSAGE_ID.search(text(message, "message-id"))
    return match[0] if match else ""


def references(message: EmailMessage) -> tuple[str, ...]:
    """Return the ids of the messages that this message replies to."""
    values = all_of(message, "references", "in-reply-to")
    ids = (each for value in values for each in _MESSAGE_ID.findall(value))
    return tuple(islice(dict.fromkeys(ids), 100))


def proof(message: EmailMessage, authserv_id: str, address: str) -> str:
    """Return the result of the named server for the sender: ``pass``, ``fail``, or empty.

    Results of other servers are ignored, because anybody can forge them. Contradictory results of the named
    server prove nothing.
    """
    domain = address.rpartition("@")[2]
    if not authserv_id or not domain:
        return ""
    results: set[str] = set()
    for value in all_of(message, "authentication-results"):
        server, *parts = _bare(value).split(";")
        if server.split()[:1] and server.split()[0].lower() == authserv_id.lower():
            results.update(filter(None, (_dmarc(part, domain) for part in parts)))
    return results.pop() if len(results) == 1 and results <= {"pass", "fail"} else ""


def _bare(value: str) -> str:
    """Return a header without comments, which may be nested, and with quoted strings only as plain names.

    Both may contain text of the sender, which could pass for a result of the server. Everything after an
    unterminated one is dropped.
    """
    value = _PLAIN.sub(r"=\1", value)
    kept: list[str] = []
    depth, quoted, start = 0, False, 0
    for mark in _HIDDEN.finditer(value):
        if not (depth or quoted):
            kept.append(value[start : mark.start()])
        if mark[0] == '"' and not depth:
            quoted = not quoted
        elif mark[0] in "()" and not quoted:
            depth = max(0, depth + (1 if mark[0] == "(" else -1))
        start = mark.end()
    rest = "" if depth or quoted else value[start:]
    return " ".join((*kept, rest))


def _dmarc(part: str, domain: str) -> str:
    match = _DMARC.match(part)
    if not match:
        return ""
    of = _HEADER_FROM.search(match[2])
    result = match[1].lower()
    if not of or of[1].lower().rpartition("@")[2] != domain:
        return "other"
    return result if result in ("pass", "fail") else "none"


def automatic(message: EmailMessage, return_path: str | None) -> str:
    """Return why a message was certainly sent by a program; empty if it may be from a person.

    ``return_path`` is the sender of the envelope, or None if it is unknown.
    """
    submitted = [
        re.split(r"[\s;(]", value.strip(), maxsplit=1)[0] for value in all_of(message, "auto-submitted")
    ]
    # Some mail servers write MAILER-DAEMON for an empty sender.
    bounced = return_path is not None and "@" not in return_path
    if any(value.lower() not in ("", "no") for value in submitted):
        return "Auto-Submitted"
    return "empty return path" if bounced or "<>" in all_of(message, "return-path") else ""


def bulk(message: EmailMessage) -> str:
    """Return why a message is no reply of a person, although people may send such mail to a project."""
    if text(message, "precedence").lower() in _PRECEDENCES:
        return "Precedence"
    return "report" if message.get_content_type() in _REPORTS else ""
