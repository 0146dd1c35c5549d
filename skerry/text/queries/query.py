"""The query language: text to a checked tree, and back.

``parse`` parses the whole text or raises QueryError with a sentence that names the problem
and its position; it never ignores a part. Values that depend on the project stay text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

from skerry.text.queries.query_keys import KEYS, NAMES
from skerry.text.queries.query_tokens import QueryToken, Raw, tokenize
from skerry.text.queries.query_tree import (
    And,
    Condition,
    Dates,
    Everything,
    Not,
    Nothing,
    Number,
    Or,
    Phrase,
    Query,
    QueryError,
    Sort,
    Term,
    Text,
    Value,
    Word,
)
from skerry.text.queries.query_values import as_number, as_sort, as_words, as_written, is_none, unknown

MAX_DEPTH = 50
"""The maximum depth of brackets in a query."""

MAX_PREFIXES = 8
"""The maximum number of words with a ``*`` in a query: each is a search for all words with that prefix."""

CACHED = 300
"""How many parsed queries are cached."""

MAX_CACHED_LENGTH = 100
"""The maximum length of a cached query, which limits the memory of the cache."""

_NUMBER = re.compile(r"#([0-9]+)|([0-9]+)")


def parse(text: str) -> Query:
    """Parse a query; an empty one matches everything. Raises QueryError and nothing else."""
    return _parse_cached(text) if len(text) <= MAX_CACHED_LENGTH else _parse(text)


def is_query(text: str) -> bool:
    """Return whether a text is a query without a mistake."""
    try:
        parse(text)
    except QueryError:
        return False
    return True


@lru_cache(maxsize=CACHED)
def _parse_cached(text: str) -> Query:
    query = _parse(text)
    is_timeless = not any(isinstance(value, Dates) for value in _values(query.condition))
    return replace(query, text=text) if is_timeless else query


def _parse(text: str) -> Query:
    query = _QueryParser(tokenize(text, _own_name)).query()
    words = (value for value in _values(query.condition) if isinstance(value, Word))
    prefixes = sorted(word.position for word in words if word.prefix)
    if len(prefixes) > MAX_PREFIXES:
        position = prefixes[MAX_PREFIXES]
        raise QueryError(position, f"More than {MAX_PREFIXES} words with a * at {position}")
    return query


def _values(condition: Condition) -> Iterator[Value]:
    """Yield the values in a condition; words and phrases count as values."""
    if isinstance(condition, And | Or):
        for part in condition.parts:
            yield from _values(part)
    elif isinstance(condition, Not):
        yield from _values(condition.part)
    elif isinstance(condition, Term):
        yield from condition.values
    elif isinstance(condition, Word | Phrase):
        yield condition


MILESTONE_ID = "milestone_id"
"""The keyword that tools of the original service use for a milestone with an id."""


def _own_name(name: str, position: int) -> str:
    if name == MILESTONE_ID:
        return name
    if name not in NAMES:
        raise unknown(name, position, NAMES, "put quotes around it to search for the text")
    return NAMES[name]


def _milestone_with_id(raw: Raw) -> Value:
    if is_none(raw) or not raw.text.strip("0"):
        return Nothing(raw.position)
    if not (raw.text.isascii() and raw.text.isdecimal()):
        raise QueryError(raw.position, f"Cannot read {as_written(raw.text)} at {raw.position} as a number")
    return Text(f"id#{as_number(raw.text, raw.position)}", raw.position)


class _QueryParser:
    """A recursive-descent parser, with a method for each rule of the grammar."""

    def __init__(self, pieces: list[QueryToken]) -> None:
        self.pieces = pieces
        self.choosing = [piece for piece in pieces if piece.key != "sort"]
        self.at = 0
        self.depth = 0
        self.sorts: list[Sort] = []

    def query(self) -> Query:
        if not self.choosing or self.is_all():
            for piece in self.pieces:
                self.keep_sorts(piece)
            return Query(Everything(), tuple(self.sorts))
        condition = self.either()
        if self.at < len(self.pieces):
            raise _never_opened(self.pieces[self.at].position)
        return Query(condition, tuple(self.sorts))

    def is_all(self) -> bool:
        if len(self.choosing) != 1 or self.choosing[0].kind != "word" or self.choosing[0].negated:
            return False
        raw = self.choosing[0].values[0]
        return not raw.quoted and raw.text.lower() == "all"

    def either(self) -> Condition:
        parts = [self.both()]
        while self.kind() == "or":
            self.at += 1
            parts.append(self.both())
        return _one_or(parts, Or)

    def both(self) -> Condition:
        start = self.at
        parts: list[Condition] = []
        states: int | None = None
        while self.kind() in ("word", "term", "open"):
            piece = self.pieces[self.at]
            self.at += 1
            if piece.key == "sort":
                self.keep_sorts(piece)
            elif piece.key == "state" and not piece.negated and states is not None:
                parts[states] = _joined(cast("Term", parts[states]), cast("Term", self.part(piece)))
            else:
                states = len(parts) if piece.key == "state" and not piece.negated else states
                parts.append(self.part(piece))
        if not parts:
            raise self.gap(start)
        return _one_or(parts, And)

    def keep_sorts(self, piece: QueryToken) -> None:
        if piece.key != "sort":
            return
        if piece.negated:
            raise QueryError(piece.position, f"The sort at {piece.position} cannot be negated")
        if self.depth:
            raise QueryError(piece.position, f"The sort at {piece.position} belongs outside the brackets")
        self.sorts += [as_sort(raw) for raw in piece.values]

    def part(self, piece: QueryToken) -> Condition:
        condition = self.one(piece)
        return Not(condition) if piece.negated else condition

    def one(self, piece: QueryToken) -> Condition:
        if piece.kind == "open":
            return self.group(piece)
        if piece.kind == "word":
            return _word(piece, alone=len(self.choosing) == 1 and not piece.negated)
        if piece.key == "keyword":
            return _one_or([as_words(raw) for raw in piece.values], Or)
        if piece.key == MILESTONE_ID:
            return Term("milestone", tuple(map(_milestone_with_id, piece.values)), piece.position)
        return Term(piece.key, tuple(KEYS[piece.key].read(raw) for raw in piece.values), piece.position)

    def group(self, opened: QueryToken) -> Condition:
        if self.depth == MAX_DEPTH:
            raise QueryError(
                opened.position, f"More than {MAX_DEPTH} levels of brackets at {opened.position}"
            )
        self.depth += 1
        condition = self.either()
        if self.kind() != "close":
            raise _not_closed(opened.position)
        self.at += 1
        self.depth -= 1
        return condition

    def kind(self) -> str:
        return self.pieces[self.at].kind if self.at < len(self.pieces) else "end"

    def gap(self, start: int) -> QueryError:
        """Return the error for what is missing between the token before ``start`` and the current one."""
        if self.kind() == "or":
            position = self.pieces[self.at].position
            return QueryError(position, f"There is nothing before the OR at {position}")
        if not start:
            return _never_opened(self.pieces[self.at].position)
        before = self.pieces[start - 1]
        if before.kind == "or":
            return QueryError(before.position, f"Nothing follows the OR at {before.position}")
        if self.kind() == "end":
            return _not_closed(before.position)
        return QueryError(before.position, f"There is nothing between the brackets at {before.position}")


def _one_or(parts: Sequence[Condition], several: type[And | Or]) -> Condition:
    return parts[0] if len(parts) == 1 else several(tuple(parts))


def _joined(first: Term, second: Term) -> Term:
    return Term(first.key, first.values + second.values, first.position)


def _word(piece: QueryToken, *, alone: bool) -> Condition:
    """Parse a word, or a number, which needs its ``#`` unless it is the whole query."""
    raw = piece.values[0]
    match = None if raw.quoted else _NUMBER.fullmatch(raw.text)
    if match and (match[1] or alone):
        return Number(as_number(match[1] or match[2], raw.position), piece.position)
    return as_words(raw)


def _never_opened(position: int) -> QueryError:
    return QueryError(position, f"The bracket closed at {position} was never opened")


def _not_closed(position: int) -> QueryError:
    return QueryError(position, f"The bracket opened at {position} is not closed")
