"""The tokenizer of queries and commands; linear in the length of the text."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from skerry.text.queries.query_tree import QueryError

MAX_LENGTH = 2000
"""The maximum length of a query or command."""

NEGATING = "not-"

KEY = re.compile(r"([^\s():\"'][^\s():]*):(?![:/])")
"""A keyword and its colon; before ``:`` or ``/`` the colon belongs to a plain word."""

_BLANKS = re.compile(r"\s*")
_ITEM = re.compile(r"[^\s(),]+")
# Neither database stores NUL, and lone surrogates have no UTF-8.
_UNUSABLE = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff]")

Kind = Literal["word", "term", "open", "close", "or"]


@dataclass(frozen=True)
class Raw:
    """A value or word as written, without its quotes and the blanks inside them."""

    text: str
    quoted: bool
    position: int


@dataclass(frozen=True)
class QueryToken:
    """A token: a word has one value, a term its key and values, the others neither."""

    kind: Kind
    position: int
    negated: bool = False
    key: str = ""
    values: tuple[Raw, ...] = field(default=())


def tokenize(text: str, resolve: Callable[[str, int], str]) -> list[QueryToken]:
    """Split the text into tokens; ``resolve`` maps a lower-case keyword to its own name or raises QueryError.

    Raises QueryError for unclosed quotes, empty values, and a text that is too long.
    """
    if len(text) > MAX_LENGTH:
        raise QueryError(MAX_LENGTH + 1, f"This is longer than {MAX_LENGTH} characters")
    unusable = _UNUSABLE.search(text)
    if unusable:
        position = unusable.start() + 1
        raise QueryError(position, f"The character at {position} cannot be used")
    return _Tokenizer(text, resolve).pieces()


class _Tokenizer:
    """Scans a query; ``at`` counts from 0, positions in messages count from 1."""

    def __init__(self, text: str, resolve: Callable[[str, int], str]) -> None:
        self.text = text
        self.resolve = resolve
        self.at = 0

    def pieces(self) -> list[QueryToken]:
        tokens: list[QueryToken] = []
        self.skip_blanks()
        while self.at < len(self.text):
            tokens.append(self.piece())
            self.skip_blanks()
        return tokens

    def skip_blanks(self) -> None:
        blanks = _BLANKS.match(self.text, self.at)
        self.at = blanks.end() if blanks else self.at

    def piece(self) -> QueryToken:
        position = self.at + 1
        negated = self.minus()
        if self.sees("("):
            self.at += 1
            return QueryToken("open", position, negated)
        if self.sees(")"):
            return self.close(position)
        key = KEY.match(self.text, self.at)
        if key:
            return self.term(key, position, negated)
        return self.word(position, negated)

    def minus(self) -> bool:
        if not self.sees("-"):
            return False
        self.at += 1
        if self.at_edge():
            raise QueryError(self.at, f"Nothing follows the minus at {self.at}")
        if self.sees("-"):
            raise QueryError(
                self.at,
                f"There are two minus signs at {self.at}; put quotes around a word that contains them",
            )
        return True

    def close(self, position: int) -> QueryToken:
        self.at += 1
        self.must_end("bracket")
        return QueryToken("close", position)

    def term(self, key: re.Match[str], position: int, negated: bool) -> QueryToken:
        written = key[1].lower()
        name = self.resolve(written.removeprefix(NEGATING), key.start() + 1)
        self.at = key.end()
        if self.at_edge():
            where = key.start() + 1
            raise QueryError(where, f"The keyword '{key[1]}' at {where} has no value right after its colon")
        values = self.several() if self.sees("(") else (self.value(),)
        return QueryToken("term", position, negated is not written.startswith(NEGATING), name, values)

    def several(self) -> tuple[Raw, ...]:
        opened = self.at + 1
        items: list[Raw] = []
        while not self.sees(")") or not items:
            self.at += 1
            self.skip_blanks_inside(opened)
            items.append(self.item())
            self.skip_blanks_inside(opened)
            if not self.sees(",") and not self.sees(")"):
                raise QueryError(self.at + 1, f"A comma or a closing bracket is missing at {self.at + 1}")
        self.at += 1
        self.must_end("bracket")
        return tuple(items)

    def skip_blanks_inside(self, opened: int) -> None:
        self.skip_blanks()
        if self.at >= len(self.text):
            raise _open("bracket", opened)

    def item(self) -> Raw:
        if self.sees('"') or self.sees("'"):
            return self.quotation()
        match = _ITEM.match(self.text, self.at)
        if not match:
            raise QueryError(self.at + 1, f"A value is missing at {self.at + 1}")
        self.at = match.end()
        return Raw(match[0], quoted=False, position=match.start() + 1)

    def word(self, position: int, negated: bool) -> QueryToken:
        raw = self.value()
        if raw.text == "OR" and not raw.quoted and not negated:
            return QueryToken("or", position)
        return QueryToken("word", position, negated, values=(raw,))

    def value(self) -> Raw:
        if not self.sees('"') and not self.sees("'"):
            return self.bare()
        raw = self.quotation()
        self.must_end("quote")
        return raw

    def quotation(self) -> Raw:
        """Return a quoted value; a doubled quote stands for itself."""
        opened, quote = self.at, self.text[self.at]
        parts: list[str] = []
        while True:
            end = self.text.find(quote, self.at + 1)
            if end < 0:
                raise _open("quote", opened + 1)
            parts.append(self.text[self.at + 1 : end])
            self.at = end + 1
            if not self.sees(quote):
                break
        said = quote.join(parts).strip()
        if not said:
            raise QueryError(opened + 1, f"There is nothing between the quotes at {opened + 1}")
        return Raw(said, quoted=True, position=opened + 1)

    def bare(self) -> Raw:
        """Return the value up to a blank or the closing bracket of a group; brackets within it must match."""
        start, opened = self.at, list[int]()
        while self.at < len(self.text) and not self.text[self.at].isspace():
            if self.sees("("):
                opened.append(self.at + 1)
            elif self.sees(")"):
                if not opened:
                    break
                opened.pop()
            self.at += 1
        if opened:
            raise _open("bracket", opened[-1])
        return Raw(self.text[start : self.at], quoted=False, position=start + 1)

    def sees(self, mark: str) -> bool:
        return self.text.startswith(mark, self.at)

    def at_edge(self) -> bool:
        return self.at >= len(self.text) or self.text[self.at].isspace() or self.sees(")")

    def must_end(self, what: str) -> None:
        if not self.at_edge():
            raise QueryError(self.at + 1, f"A space is missing at {self.at + 1}, after the {what}")


def _open(what: str, position: int) -> QueryError:
    return QueryError(position, f"The {what} opened at {position} is not closed")
