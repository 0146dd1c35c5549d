"""New passwords that are easy to guess: repeats, sequences, what is known of a person, and common ones.

A common one counts with digits around it, with digits and signs for letters, and said twice.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

_FILE = Path(__file__).with_name("common_passwords.txt")
_ROWS = ("qwertyuiop", "qwertzuiopü", "asdfghjklöä", "zxcvbnm", "yxcvbnm", "1234567890", "azertyuiop")
_NEXT = {pair for row in _ROWS for way in (row, row[::-1]) for pair in pairwise(way)}

_BREAKS = 3
"""How many pieces a password has at least, each a repeated character or a sequence."""

_PIECE = 3
"""How many characters the pieces of a password have at most, on average."""

_LEFT = 4
"""How many characters a password has at least beside what is known of its owner."""

_EDGES = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_END = re.compile(r"[\W\d_]+$")
_WORD_AND_DIGITS = re.compile(r"[^\W\d_]{1,10}[\W_]?(\d+)[\W_]{0,2}")
_LOOKALIKES = str.maketrans("@48301!5$7", "aabeoiisst")


def problem(password: str, known: Iterable[str]) -> str:
    """Return why a password is easy to guess, as a sentence; empty if nothing is known against it.

    ``known`` are the address and the name of its owner.
    """
    folded = password.casefold()
    word = _EDGES.sub("", folded)
    if _is_repeated(folded) or (2 * len(word) > len(folded) and _is_repeated(word)):
        return "Password repeats itself; add other words"
    if _pieces(folded) < max(_BREAKS, len(folded) / _PIECE):
        return "Password is a sequence of neighbouring characters; add other words"
    if _says_little_beside(folded, known):
        return "Password is almost the address or the name; choose one that says nothing about you"
    if {folded, word, *(each.translate(_LOOKALIKES) for each in (word, _END.sub("", folded)))} & _common():
        return "Password is one of the most common ones; add other words"
    alone = _WORD_AND_DIGITS.fullmatch(folded)
    if alone and _pieces(alone[1]) == 1:
        return "Password is one word with a sequence behind; add other words"
    return ""


def _is_repeated(text: str) -> bool:
    """Return whether a text consists of one piece again and again, the last time perhaps cut."""
    return any(
        (text[:size] * (len(text) // size + 1))[: len(text)] == text for size in range(1, len(text) // 2 + 1)
    )


def _pieces(text: str) -> int:
    """Return into how many pieces a text falls: runs of equal characters, of an alphabet, or of keys."""
    return 1 + sum(
        abs(ord(one) - ord(other)) > 1 and (one, other) not in _NEXT for one, other in pairwise(text)
    )


def _says_little_beside(text: str, known: Iterable[str]) -> bool:
    left, has_any = _letters(text), False
    for said in known:
        name, _, host = said.casefold().partition("@")
        words = [said.casefold(), name, *host.split("."), *re.split(r"\W+", name)]
        for word in sorted(map(_letters, words), key=len, reverse=True):
            if len(word) >= _LEFT - 1 and word in left:
                left, has_any = left.replace(word, ""), True
    return has_any and len(left) < _LEFT


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


@cache
def _common() -> frozenset[str]:
    """Return common passwords: long ones, and words that many lengthen by digits."""
    return frozenset(_FILE.read_text("utf-8").split())
