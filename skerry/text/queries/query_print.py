"""Serialization of a query's tree as text that parses to the same tree."""

import re
from types import UnionType

from skerry.text.queries.query_tokens import KEY
from skerry.text.queries.query_tree import (
    And,
    Comparison,
    Condition,
    Dates,
    Everything,
    Not,
    Nothing,
    Number,
    Or,
    Phrase,
    Query,
    Term,
    Text,
    Value,
    Word,
)

Leaf = Term | Word | Phrase | Number | Everything

_BARE_VALUE = re.compile(r"[^\s()\"',:/][^\s()\"',]*")
# Text that would be more than a word without quotes.
_MORE_THAN_A_WORD = re.compile(r"-.*|#?[0-9]+|OR|(?i:all)")


def print_query(query: Query) -> str:
    """Return a parsed query as text that parses to an equal one."""
    sorts = [f"sort:{sort.key}{'-' * sort.reverse}" for sort in query.sorts]
    if sorts and isinstance(query.condition, Everything):
        return " ".join(sorts)
    return " ".join([_condition(query.condition), *sorts])


def _condition(condition: Condition) -> str:
    match condition:
        case And(parts):
            return _and(parts)
        case Or(parts):
            return " OR ".join(_inside(part, Or) for part in parts)
        case Not(part):
            return f"-{_inside(part, And | Or | Not)}"
        case _:
            return _leaf(condition)


def _leaf(condition: Leaf) -> str:
    match condition:
        case Term():
            return _term(condition)
        case Word():
            return _plain_word(condition)
        case Phrase(text):
            return _quotation(text)
        case Number(number):
            return f"#{number}"
        case _:
            return "all"


def _and(parts: tuple[Condition, ...]) -> str:
    """Return joined parts, with every state but the first in brackets: adjacent states mean either."""
    written: list[str] = []
    states = 0
    for part in parts:
        is_state = isinstance(part, Term) and part.key == "state"
        states += is_state
        written.append(f"({_condition(part)})" if is_state and states > 1 else _inside(part, And | Or))
    return " ".join(written)


def _inside(part: Condition, bracketed: type | UnionType) -> str:
    return f"({_condition(part)})" if isinstance(part, bracketed) else _condition(part)


def _term(term: Term) -> str:
    values = [_value(value) for value in term.values]
    if len(values) == 1 and not values[0].startswith((":", "/")):
        return f"{term.key}:{values[0]}"
    return f"{term.key}:({','.join(values)})"


def _value(value: Value) -> str:
    match value:
        case Text(text):
            return quoted_name(text)
        case Nothing():
            return "none"
        case Dates(span):
            return quoted(span.text)
        case Comparison(op, number):
            return f"{op.removeprefix('=')}{number}"
        case Phrase(text):
            return _quotation(text)
        case _:
            return f"{value.text}{'*' * value.prefix}"


def _plain_word(word: Word) -> str:
    written = _value(word)
    if not KEY.match(written) and not _MORE_THAN_A_WORD.fullmatch(written):
        return written
    return _term(Term("keyword", (word,)))


def quoted(text: str) -> str:
    """Return a value for use after a keyword's colon, in quotes if it needs them."""
    return text if _BARE_VALUE.fullmatch(text) else _quotation(text)


def quoted_name(text: str) -> str:
    """Return a name, in quotes if it is ``none``."""
    return _quotation(text) if text.lower() == "none" else quoted(text)


def _quotation(text: str) -> str:
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace('"', '""') + '"'
