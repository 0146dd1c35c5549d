"""How the values of a query's keywords are parsed."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping

from skerry.text.queries.dates import DateSpan, read_due, read_span
from skerry.text.queries.query_tokens import Raw
from skerry.text.queries.query_tree import Comparison, Dates, Nothing, Phrase, QueryError, Sort, Text, Word
from skerry.text.words import begins_words, words

SORTS: dict[str, str] = {
    "updated": "updated",
    "created": "created",
    "importance": "importance",
    "priority": "importance",
    "number": "number",
    "title": "title",
    "state": "state",
    "milestone": "milestone",
    "due": "due",
    "relevance": "relevance",
}
"""All words that may follow ``sort:``, and the order that each names."""

CLAIMED, READY = "claimed", "ready"
"""Values of ``is:`` whose tickets change without an event, when a claim begins or ends."""

HAS: dict[str, str] = {
    "attachment": "attachment",
    "attachments": "attachment",
    "comment": "comments",
    "comments": "comments",
    "child": "children",
    "children": "children",
}

PRIVATE = "private"
"""The value of ``is:`` that finds private tickets, and the command that makes them so."""

IS: dict[str, str] = {"blocked": "blocked", CLAIMED: CLAIMED, PRIVATE: PRIVATE, READY: READY}

MAX_NUMBER_LENGTH = 18
"""The maximum number of digits of a number; every such number fits into 64 bits."""

_SHOWN = 40
_TICKET = re.compile(r"(?:[\w-]*#)?0*[1-9][0-9]{0,17}", re.ASCII)
_SIGN = re.compile(r"<=|>=|<|>|=")
_COMPARISON = re.compile(r"(<=|>=|<|>|=|)#?([0-9]+)")


def as_text(raw: Raw) -> Text:
    """Return the value, to be resolved by the project."""
    return Text(raw.text, raw.position)


def as_text_or_none(raw: Raw) -> Text | Nothing:
    """Return the value, to be resolved by the project, unless it is a bare ``none``."""
    return Nothing(raw.position) if is_none(raw) else as_text(raw)


def is_none(raw: Raw) -> bool:
    """Return whether a value is the word ``none``; in quotes it is a name."""
    return not raw.quoted and raw.text.lower() == "none"


def as_words(raw: Raw) -> Word | Phrase:
    """Parse a word, a prefix with its ``*``, or a quoted phrase."""
    text = raw.text if raw.quoted else raw.text.removesuffix("*")
    if not text:
        raise QueryError(raw.position, f"There is nothing before the * at {raw.position}")
    parts = words(text)
    if not parts:
        sentence = f"{as_written(text)} at {raw.position} contains no letter or digit to search for"
        raise QueryError(raw.position, sentence)
    if raw.quoted:
        return Phrase(text, raw.position)
    prefix = text != raw.text
    if prefix and not begins_words(parts[-1]):
        sentence = f"The * at {raw.position} must follow at least two letters or digits"
        raise QueryError(raw.position, sentence)
    return Word(text, prefix, raw.position)


def as_comparison(raw: Raw) -> Comparison:
    """Parse a whole number, with or without a comparison operator."""
    match = _COMPARISON.fullmatch(raw.text)
    if match is None:
        raise QueryError(raw.position, f"Cannot read {as_written(raw.text)} at {raw.position} as a number")
    return Comparison(match[1] or "=", as_number(match[2], raw.position), raw.position)


def as_number(digits: str, position: int) -> int:
    """Parse digits; raises QueryError for more than 18 of them."""
    if len(digits) > MAX_NUMBER_LENGTH:
        raise QueryError(position, f"The number at {position} is too large")
    return int(digits)


def as_importance(raw: Raw) -> Comparison | Text:
    """Parse an importance: a number, or the name of a level of the project; ``none`` is 0."""
    if raw.text.lower() == "none":
        return Comparison("=", 0, raw.position)
    # Names of levels begin with a letter.
    return as_text(raw) if sign_and_name(raw.text)[1][:1].isalpha() else as_comparison(raw)


def sign_and_name(text: str) -> tuple[str, str]:
    """Return the comparison operator before the name of a level, and the name."""
    sign = _SIGN.match(text)
    return (sign[0], text[len(sign[0]) :].strip()) if sign else ("=", text)


def as_dates(raw: Raw) -> Dates:
    """Parse a date or a span of dates."""
    return _span(raw, read_span)


def as_due(raw: Raw) -> Dates | Nothing:
    """Parse a day or a span of days, ``overdue``, or a bare ``none``."""
    return Nothing(raw.position) if is_none(raw) else _span(raw, read_due)


def _span(raw: Raw, read: Callable[[str], DateSpan]) -> Dates:
    try:
        return Dates(read(raw.text), raw.position)
    except ValueError as reason:
        raise QueryError(
            raw.position, f"Cannot read {as_written(raw.text)} at {raw.position} as a date: {reason}"
        ) from None


def as_has(raw: Raw) -> Text:
    """Parse the value of ``has:``."""
    return Text(one_of(raw, HAS, "has"), raw.position)


def as_is(raw: Raw) -> Text:
    """Parse the value of ``is:``."""
    return Text(one_of(raw, IS, "is"), raw.position)


def as_ticket(raw: Raw) -> Text:
    """Parse the number of a ticket, with or without the word of its project."""
    if not _TICKET.fullmatch(raw.text):
        raise not_a_ticket(raw)
    return as_text(raw)


def as_sort(raw: Raw) -> Sort:
    """Parse an order, with a trailing ``-`` to reverse it."""
    name = raw.text.removesuffix("-")
    known = one_of(Raw(name, raw.quoted, raw.position), SORTS, "sort")
    return Sort(known, name != raw.text, raw.position)


def one_of(raw: Raw, known: Mapping[str, str], key: str) -> str:
    """Return what a value stands for; raises QueryError for an unknown one."""
    choice = known.get(raw.text.lower())
    if choice is None:
        options = ", ".join(dict.fromkeys(known.values()))
        sentence = f"Cannot read {as_written(raw.text)} at {raw.position}; {key}: takes one of {options}"
        raise QueryError(raw.position, sentence)
    return choice


def as_written(text: str) -> str:
    """Return the text in quotes, shortened, for an error message."""
    return f"'{text[:_SHOWN]}…'" if len(text) > _SHOWN else f"'{text}'"


def not_a_ticket(raw: Raw) -> QueryError:
    """Return the error for a value that names no ticket."""
    where = raw.position
    return QueryError(
        where, f"Cannot read {as_written(raw.text)} at {where} as a ticket; write #12 or roof#12"
    )


def unknown(name: str, position: int, names: Iterable[str], otherwise: str) -> QueryError:
    """Return the error for an unknown keyword, with the closest one or an instruction."""
    near = difflib.get_close_matches(name, names, 1) if len(name) <= _SHOWN else []
    hint = f"did you mean '{near[0]}'?" if near else otherwise
    return QueryError(position, f"Unknown keyword {as_written(name)} at {position}; {hint}")
