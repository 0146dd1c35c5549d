"""Completion: analysis of an unfinished query at the caret."""

import re
from dataclasses import dataclass
from typing import Literal

from skerry.text.queries.query_keys import NAMES

# Like the tokens of a query, but quotes and brackets may still be open.
_PIECE = re.compile(
    r"""(?=[^\s()]) -? (?i:not-)?
    (?: (?P<key>[^\s():"'][^\s():]*) (?P<colon>:(?![:/])) (?P<list>\( (?:"[^"]*"?|'[^']*'?|[^)"'])* )? )?
    (?P<value> "[^"]*"? | '[^']*'? | [^\s()]* ) \)?""",
    re.VERBOSE,
)
_ITEM = re.compile(r"""[(,]\s*("[^"]*"?|'[^']*'?|[^,"']*)""")
_BEGINS_A_KEY = re.compile(r"[A-Za-z_]*")


@dataclass(frozen=True)
class Completion:
    """What a candidate would replace: the text from offset ``start`` to ``end``, counted from 0.

    ``kind`` says what is being typed: a keyword, the value of the keyword ``key``, or a word. ``prefix`` is
    the part before the caret, without an opening quote.
    """

    kind: Literal["key", "value", "word"]
    start: int
    end: int
    prefix: str = ""
    key: str = ""


def complete(text: str, caret: int) -> Completion:
    """Return the completion at the caret, an offset from 0; accepts any text and any caret."""
    caret = min(max(caret, 0), len(text))
    for piece in _PIECE.finditer(text):
        if piece.start() > caret:
            break
        if caret <= piece.end():
            return _at_caret(piece, caret)
    return Completion("key", caret, caret)


def piece_at(text: str, offset: int) -> tuple[int, int]:
    """Return the start and the end of the word or term at an offset from 0, or of one character."""
    spans = (piece.span() for piece in _PIECE.finditer(text))
    here = (span for span in spans if span[0] <= offset < span[1])
    return next(here, (offset, min(offset + 1, len(text))))


def _at_caret(piece: re.Match[str], caret: int) -> Completion:
    if piece["colon"] and caret >= piece.end("colon"):
        return _value(piece, caret)
    group = "key" if piece["colon"] else "value"
    start, end = piece.span(group)
    typed = piece.string[start : max(start, caret)]
    kind: Literal["key", "word"] = "key" if piece["colon"] or _BEGINS_A_KEY.fullmatch(typed) else "word"
    # The candidates are keywords with their colons.
    return Completion(kind, start, piece.end("colon") if piece["colon"] else end, _unquoted(typed))


def _value(piece: re.Match[str], caret: int) -> Completion:
    key = NAMES.get(piece["key"].lower(), piece["key"].lower())
    start, end = _item(piece, caret) if piece["list"] else piece.span("value")
    if not start <= caret <= end:
        return Completion("word", caret, caret)
    return Completion("value", start, end, _unquoted(piece.string[start:caret]), key)


def _item(piece: re.Match[str], caret: int) -> tuple[int, int]:
    """Return the position of the list item at the caret, or the empty position at the caret."""
    begin, end = piece.span("list")
    if caret > end:
        return end, end
    spans = [item.span(1) for item in _ITEM.finditer(piece.string, begin, end)]
    return next((span for span in spans if span[0] <= caret <= span[1]), (caret, caret))


def _unquoted(typed: str) -> str:
    quote = typed[:1]
    return typed[1:].removesuffix(quote) if quote in {'"', "'"} else typed
