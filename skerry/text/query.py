"""The query language: text to a checked tree, and back.

``parse`` understands the whole text or raises QueryError with a sentence that says what and
where; it never ignores a part. Values that depend on the project stay text.
"""

import re

from skerry.text.query_keys import (
    KEYS,
    NAMES,
    Key,
    as_number,
    as_sort,
    as_words,
    unknown,
)
from skerry.text.query_pieces import LONGEST, Piece, Raw, cut
from skerry.text.query_tree import (
    And,
    Comparison,
    Condition,
    Dates,
    Everything,
    Not,
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

__all__ = [
    "KEYS",
    "LONGEST",
    "NAMES",
    "And",
    "Comparison",
    "Condition",
    "Dates",
    "Everything",
    "Key",
    "Not",
    "Number",
    "Or",
    "Phrase",
    "Query",
    "QueryError",
    "Sort",
    "Term",
    "Text",
    "Value",
    "Word",
    "parse",
]

DEEPEST = 50
"""Levels of brackets a query may have."""

_MARKED_NUMBER = re.compile(r"#([0-9]+)")
_BARE_NUMBER = re.compile(r"[0-9]+")


def parse(text: str) -> Query:
    """Understand a query, an empty one as everything; raises QueryError and nothing else."""
    pieces = cut(text, _own_name)
    sorts = [piece for piece in pieces if piece.key == "sort"]
    if len(pieces) - len(sorts) == 1:
        pieces = [_alone(piece) or piece for piece in pieces]
    return _Reader(pieces).query()


def _own_name(name: str, position: int) -> str:
    if name not in NAMES:
        raise unknown(name, position, NAMES)
    return NAMES[name]


def _alone(piece: Piece) -> Piece | None:
    """Read a bare number or ``all`` as more than words, which they are only without company."""
    if piece.kind != "word" or piece.negated or piece.values[0].quoted:
        return None
    raw = piece.values[0]
    if _BARE_NUMBER.fullmatch(raw.text):
        return Piece("word", piece.position, values=(Raw(f"#{raw.text}", quoted=False, position=raw.position),))
    return Piece("all", piece.position) if raw.text.lower() == "all" else None


class _Reader:
    """Builds the tree by recursive descent, one method for each rule of the grammar."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.at = 0
        self.opened: list[int] = []
        self.sorts: list[Sort] = []

    def query(self) -> Query:
        condition = self.either() if self.selects() else self.only_sorts()
        if self.at < len(self.pieces):
            position = self.pieces[self.at].position
            raise QueryError(position, f"The bracket closed at {position} was never opened")
        return Query(condition, tuple(self.sorts))

    def selects(self) -> bool:
        return any(piece.key != "sort" and piece.kind != "all" for piece in self.pieces)

    def only_sorts(self) -> Condition:
        for piece in self.pieces:
            if piece.kind == "term":
                self.keep_sorts(piece)
        self.at = len(self.pieces)
        return Everything()

    def either(self) -> Condition:
        parts = [self.both()]
        while self.kind() == "or":
            self.at += 1
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def both(self) -> Condition:
        parts: list[Condition] = []
        states: int | None = None
        while self.kind() in ("word", "term", "open"):
            piece = self.pieces[self.at]
            self.at += 1
            if piece.key == "sort":
                self.keep_sorts(piece)
                continue
            part = self.part(piece)
            if isinstance(part, Term) and piece.key == "state" and states is not None:
                parts[states] = _joined(parts[states], part)
                continue
            if isinstance(part, Term) and piece.key == "state":
                states = len(parts)
            parts.append(part)
        if not parts:
            raise self.nothing()
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def keep_sorts(self, piece: Piece) -> None:
        if piece.negated:
            raise QueryError(piece.position, f"The sort at {piece.position} cannot be negated")
        if self.opened:
            raise QueryError(piece.position, f"The sort at {piece.position} belongs outside the brackets")
        self.sorts += [as_sort(raw) for raw in piece.values]

    def part(self, piece: Piece) -> Condition:
        condition = self.group(piece) if piece.kind == "open" else _condition(piece)
        return Not(condition) if piece.negated else condition

    def group(self, piece: Piece) -> Condition:
        if len(self.opened) == DEEPEST:
            raise QueryError(piece.position, f"More than {DEEPEST} levels of brackets at {piece.position}")
        self.opened.append(piece.position)
        condition = self.either()
        if self.kind() != "close":
            raise QueryError(piece.position, f"The bracket opened at {piece.position} is not closed")
        self.at += 1
        self.opened.pop()
        return condition

    def kind(self) -> str:
        return self.pieces[self.at].kind if self.at < len(self.pieces) else "end"

    def nothing(self) -> QueryError:
        """Say why a part of the query is empty, from what stands around the gap."""
        if self.kind() == "or":
            position = self.pieces[self.at].position
            return QueryError(position, f"Nothing stands before the OR at {position}")
        before = self.pieces[self.at - 1] if self.at else self.pieces[0]
        if before.kind == "or":
            return QueryError(before.position, f"Nothing stands after the OR at {before.position}")
        return self.empty_brackets(before)

    def empty_brackets(self, before: Piece) -> QueryError:
        position = self.pieces[self.at].position if self.kind() == "close" else before.position
        if before.kind != "open":
            return QueryError(position, f"The bracket closed at {position} was never opened")
        if self.kind() != "close":
            return QueryError(position, f"The bracket opened at {position} is not closed")
        return QueryError(before.position, f"There is nothing between the brackets at {before.position}")
