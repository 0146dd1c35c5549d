"""The lines of a mail, and the signs that one of them comes from a mail of ours."""

import re
import unicodedata
from typing import NamedTuple

from skerry.mail.incoming.html_text import HISTORY
from skerry.mail.incoming.phrases import COLON, SIGNATURES
from skerry.mail.texts import REPLY_LINE

MAX_LINE_LENGTH = 600
"""How many characters of a line are examined."""

FIELD = re.compile(
    rf"\*{{0,2}}[^\W\d_][^\s{COLON}]{{0,24}}(?:\s[^\s{COLON}]{{1,15}}){{0,2}}\s?[{COLON}]\*{{0,2}}(?!//)"
)
"""The beginning of a line of a header, in any language."""

_REPLY_WORDS = REPLY_LINE.strip("- ").lower()
_DASHES = "-–—‒―−*_\\"
_QUOTED = re.compile(r"\s*>(?!:)")
_QUOTE = re.compile(r"\A[>|\s]*")
_ANY_QUOTE = re.compile(r"\A[\s>|»❯│┃¦＞]*(?:\w{1,20}>[\s>]*)?")
_IN_BRACKETS = re.compile(r"\[[^\[\]]{0,80}\]")
_SIGNED = re.compile(
    r"(?:reply|project)\+(?:[a-z2-7]{16,58}|…)@|<(?:\d{1,20}\.){0,3}ticket(?:\.\d{1,20}){3,6}@", re.IGNORECASE
)
_PREFIXES = re.compile(r"\A\s*(?:[^\W\d_]{1,5}(?:\[\d{1,3}\])?\s?[:：]\s*){0,5}")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MIN_SUBJECT_LENGTH = 5
_MIN_PART_LENGTH = 16


class Line(NamedTuple):
    """A line without marks: ``start`` is its beginning without quote marks, ``is_quoted`` whether it had any.

    ``is_history`` means that the structure of the HTML shows it as part of an earlier message.
    """

    text: str
    start: str
    is_quoted: bool
    is_history: bool


def line_of(raw: str) -> Line:
    """Return a line without its marks."""
    raw = raw.strip("\u200e\u200f\u202a\u202b\u202c\u2068\u2069\ufeff")
    text = raw.removeprefix(HISTORY)
    is_history = text != raw
    text = text if text in SIGNATURES else text.rstrip()
    start = text[:MAX_LINE_LENGTH]
    is_quoted = is_history or _QUOTED.match(start) is not None
    return Line(text, _QUOTE.sub("", start, count=1) if is_quoted else start.strip(), is_quoted, is_history)


def may_be_quoted(start: str) -> bool:
    """Return whether a line begins with any mark of quotes, also behind initials or a name: ``AB> text``."""
    marks = _ANY_QUOTE.match(start)
    return marks is not None and bool(marks[0])


def is_reply_line(start: str) -> bool:
    """Return whether a line is the first of our mail; programs write other dashes, blanks and quote marks."""
    before, after = _around_reply_words(start)
    if before is None:
        return False
    said = _IN_BRACKETS.sub("", _ANY_QUOTE.sub("", before))
    return not _has_words(said) and (before.endswith(tuple(_DASHES)) or not _has_words(after))


def may_be_reply_line(start: str) -> bool:
    """Return whether a line has the first one of our mail in it, behind whatever else."""
    before, after = _around_reply_words(start)
    return before is not None and (before.endswith(tuple(_DASHES)) or not _has_words(before + after))


def _around_reply_words(start: str) -> tuple[str | None, str]:
    """Return what is before and after the words of our first line, or None if they are not there."""
    before, found, after = _plain(start).partition(_REPLY_WORDS)
    return (before.rstrip(), after) if found else (None, "")


def _plain(text: str) -> str:
    """Return a text in lower case with simple characters and single blanks."""
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).lower().split())


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


class Signs:
    """The signs that a line comes from our mail: its sender, a signed address or id, or the subject."""

    def __init__(self, sender: str, subject: str) -> None:
        """Take the address of our mails, and the subject of the mail that may quote one."""
        self._sender = sender.lower()
        self._subject = _plain(_PREFIXES.sub("", subject))

    def are_in(self, line: Line) -> bool:
        """Return whether a line comes from a mail of ours."""
        return is_reply_line(line.start) or self.are_named(line.start)

    def are_named(self, start: str) -> bool:
        """Return whether a text names one of our addresses, or is a header line with our subject."""
        return self.are_addressed(start) or self._are_titled(start)

    def are_addressed(self, text: str) -> bool:
        """Return whether a text names one of our addresses."""
        if "@" not in text:
            return False
        return bool(self._sender and self._sender in text.lower()) or _SIGNED.search(text) is not None

    def _are_titled(self, start: str) -> bool:
        """Return whether a line of a header has our subject, of which long lines show only the beginning.

        Mail servers add words such as ``[EXTERNAL]`` before the subject of only one of both mails.
        """
        if len(self._subject) < _MIN_SUBJECT_LENGTH:
            return False
        start = _ANY_QUOTE.sub("", start)
        field = FIELD.match(start)
        if not field:
            return False
        value = _plain(_PREFIXES.sub("", start[field.end() :]))
        is_part = len(value) >= _MIN_PART_LENGTH and (
            self._subject.startswith(value) or self._subject.endswith(value)
        )
        return is_part or self._subject in value
