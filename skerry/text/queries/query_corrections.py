"""What a query with a mistake probably means: other spellings of it, tried one after the other."""

import difflib
import re
from calendar import monthrange
from collections.abc import Iterator

from skerry.text.queries.dates import NAMED, UPCOMING
from skerry.text.queries.query import is_query
from skerry.text.queries.query_complete import piece_at
from skerry.text.queries.query_keys import KEYS, NAMES
from skerry.text.queries.query_tokens import MAX_LENGTH
from skerry.text.queries.query_tree import QueryError
from skerry.text.queries.query_values import SORTS

_MAX_TRIES = 20

_TERM = re.compile(
    r"(?P<sign>-?(?:not-)?)(?P<key>[^\s():\"'<>=!]+)(?::\s*|(?=[<>=!≤≥]))(?P<value>.*)", re.DOTALL
)

# What people write for a keyword elsewhere.
_KEYWORDS = {
    **dict.fromkeys(("assignee", "assigned_to", "owner"), "responsible"),
    **dict.fromkeys(("label", "labels", "tag", "tags"), "tagged"),
    **dict.fromkeys(("author", "creator", "reporter"), "reported_by"),
    **dict.fromkeys(("status", "is"), "state"),
    **dict.fromkeys(("prio", "severity"), "importance"),
    **dict.fromkeys(("duedate", "due_on", "deadline"), "due"),
    "order": "sort",
    "text": "keyword",
}

_OPERATORS = {"=>": ">=", "≥": ">=", "=<": "<=", "≤": "<=", "==": "", "=": "", ":": ""}
_OPERATOR = re.compile("|".join(_OPERATORS))
_NOT = re.compile(r"!=|<>|!")

_DAYS = (
    re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})", re.ASCII),
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<day>\d{1,2})-(?P<month>\d{1,2})-(?P<year>\d{4})", re.ASCII),
)
_MONTH = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2}))?", re.ASCII)
_AGO = re.compile(r"(?:last[ -])?(?P<count>\d{1,4})[ -]?(?P<unit>d|w|m|y|day|week|month|year)s?", re.ASCII)
_UNITS = {"d": "day", "w": "week", "m": "month", "y": "year"}
_SPANS = {name.replace(" ", "-"): name for name in (*NAMED, *UPCOMING)}
_DIGITS = re.compile(r"\d[\d.,']*", re.ASCII)


def corrected(text: str, error: QueryError) -> str | None:
    """Return the query as it was probably meant, or None."""
    if len(text) > MAX_LENGTH:
        return None
    for count, candidate in enumerate(_candidates(text, error.position - 1)):
        if count == _MAX_TRIES:
            break
        if candidate != text and is_query(candidate):
            return candidate
    return None


def examples_of(text: str, error: QueryError) -> tuple[str, ...]:
    """Return examples of the keyword with the mistake."""
    start, end = piece_at(text, error.position - 1)
    name = text[start:end].lstrip("-").partition(":")[0].lower().removeprefix("not-")
    key = KEYS.get(NAMES.get(name, ""))
    return key.examples if key else ()


def _candidates(text: str, at: int) -> Iterator[str]:
    here, before, after = text[at : at + 1], text[:at], text[at + 1 :]
    if here in ("'", '"'):
        yield text.rstrip() + here
        yield before + after
    if here == "(":
        yield text.rstrip() + ")"
    if here == ")" or text[at : at + 2] == "--":
        yield before + after
    start, end = piece_at(text, at)
    yield text[:start] + text[end:].lstrip() if text[start:end] in ("OR", "-") else text
    for term in _terms(text[start:end]):
        yield text[:start] + term + text[end:]
    # A blank after the colon, or none after a quote or a bracket.
    yield text[:end] + text[end:].lstrip() if text[start:end].endswith(":") else text
    yield f"{before} {text[at:]}"


def _terms(term: str) -> Iterator[str]:
    """Return other spellings of a term."""
    match = _TERM.fullmatch(term)
    if match is None:
        return
    sign, key, value = match["sign"], match["key"].lower(), match["value"]
    if key == "sort" and sign:
        yield f"sort:{value}-"
    negation = _NOT.match(value)
    if negation:
        yield f"-{key}:{value[negation.end() :]}"
    for name in _names(key):
        yield f"{sign}{name}:{value}"
        for other in (*_values(value.strip("\"'").strip()), *_choices(name, value)):
            yield f"{sign}{name}:{_quoted(other)}"


def _names(key: str) -> Iterator[str]:
    if key in NAMES:
        yield key
    elif key in _KEYWORDS:
        yield _KEYWORDS[key]
    else:
        yield from difflib.get_close_matches(key, NAMES, 1)
    if key == "is":
        yield "state"


def _choices(name: str, value: str) -> list[str]:
    """Return the value of a keyword with the most similar name; an order with a minus before it falls."""
    choices = SORTS if name == "sort" else KEYS[NAMES[name]].choices
    bare = value.strip("-")
    close = difflib.get_close_matches(bare.lower(), choices, 1)
    return [each + "-" * (name == "sort" and bare != value) for each in close]


def _values(value: str) -> Iterator[str]:
    operator = _OPERATOR.match(value)
    if operator:
        value = value[operator.end() :].strip()
        yield _OPERATORS[operator[0]] + value
    sign = "" if not operator else _OPERATORS[operator[0]]
    sign, value = (value[:1], value[1:].strip()) if value[:1] in ("<", ">") else (sign, value)
    first, dots, last = value.partition("..")
    if dots:
        yield f"{_day(first)}..{_day(last)}"
        yield f"{_day(last)}..{_day(first)}"
        return
    yield from (sign + each for each in _dates(value))
    number = _DIGITS.search(value)
    if number:
        yield sign + re.sub(r"\D", "", number[0])


def _dates(value: str) -> Iterator[str]:
    if _day(value) != value:
        yield _day(value)
    month = _MONTH.fullmatch(value)
    if month and month["month"]:
        yield f"{_of(month['year'], month['month'], '1')}..{_of(month['year'], month['month'], '31')}"
    elif month:
        yield f"{month['year']}-01-01..{month['year']}-12-31"
    ago = _AGO.fullmatch(value.lower())
    if ago:
        yield f"{ago['count']} {_UNITS.get(ago['unit'], ago['unit'])}s ago"
    yield from difflib.get_close_matches(value.lower().replace(" ", "-"), _SPANS, 1)


def _day(value: str) -> str:
    """Return a day of another spelling in the form of the language, or else the value."""
    match = next(filter(None, (pattern.fullmatch(value.strip()) for pattern in _DAYS)), None)
    return _of(match["year"], match["month"], match["day"]) if match else value.strip()


def _of(year: str, month: str, day: str) -> str:
    """Return a day that exists: the last one of the month if it has fewer."""
    within = min(max(int(month), 1), 12)
    last = monthrange(max(int(year), 1), within)[1]
    return f"{year}-{within:02}-{min(max(int(day), 1), last):02}"


def _quoted(value: str) -> str:
    return f"'{value}'" if " " in value else value
