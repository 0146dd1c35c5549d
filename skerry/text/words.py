"""Splitting of texts into words, by the same rules for indexing and for searching.

Both databases receive these words and never split or fold a text themselves, so that searches have the same
results on both.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

MAX_WORD_LENGTH = 64
"""The length of a word; further characters are ignored."""

ROOM = 600_000
"""How many bytes of words are indexed for one ticket, each word counted with ``OVERHEAD``.

PostgreSQL can index at most a mebibyte of words for a row.
"""

OVERHEAD = 16
"""How many bytes are counted for each word in addition to its own."""

_ASCII_WORD = re.compile(r"[a-z0-9]+")

# Scripts without blanks between words, and Hangul, which appends particles to words: each character is a
# word, so that a run of them is found anywhere.
_ALONE = re.compile(
    "[\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1100-\u11ff"  # Hangul, in parts
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3105-\u312f"  # Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7ff]"  # Hangul
)

# The combining classes of overlays, of Hebrew and Arabic points, and of accents. Marks of the other
# classes are part of how a letter is written: vowels of Indic scripts, the voicing of kana.
_ACCENTS = frozenset([1, *range(10, 37), *range(200, 256)])
SELECTORS = frozenset([0x034F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
"""The codes of invisible marks, which choose how a character is written."""


# Three times as many characters as in a large Chinese dictionary; a text may contain all 1,100,000 of
# Unicode.
_MAX_FOLDED = 30_000


class _Folding(dict[int, str | None]):
    """A cache with the folded form of each character: itself, nothing, or a space between words."""

    def __missing__(self, code: int) -> str | None:
        if len(self) >= _MAX_FOLDED:
            self.clear()
        folded = self[code] = _folded(chr(code))
        return folded


def _folded(character: str) -> str | None:
    category = unicodedata.category(character)
    if category == "Cf" or ord(character) in SELECTORS:
        return None
    if category.startswith("M"):
        return None if unicodedata.combining(character) in _ACCENTS else character
    return character if character.isalnum() else " "


_FOLDING = _Folding()


def words(text: str) -> list[str]:
    """Return the words of a text in order: runs of letters and digits, without case and accents.

    All other characters separate words, so that ``snake_case``, ``Foo::Bar`` and ``ada@example.org`` are two
    or three consecutive words.
    """
    if text.isascii():
        pieces = _ASCII_WORD.findall(text.lower())
    else:
        # Case folding can produce characters that decompose, and decomposition characters with case.
        apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        whole = unicodedata.normalize("NFC", apart.translate(_FOLDING))
        pieces = _ALONE.sub(r" \g<0> ", whole).split()
    return [word[:MAX_WORD_LENGTH] for word in pieces]


def begins_words(word: str) -> bool:
    """Return whether a word may be searched for as a prefix.

    A single letter would match most texts, so it is only allowed in scripts where a character is a word.
    """
    return len(word) > 1 or _ALONE.match(word) is not None


def kept(texts: Iterable[str], room: int = ROOM) -> tuple[list[list[str]], int]:
    """Return the words of each of a ticket's texts that fit, and the remaining room.

    From the first word that does not fit, the rest is omitted and cannot be found.
    """
    kept_texts: list[list[str]] = []
    for text in texts:
        fitting, room = _fitting(words(text), room)
        kept_texts.append(fitting)
    return kept_texts, room


def _fitting(text: list[str], room: int) -> tuple[list[str], int]:
    """Return the words that fit and the remaining room, which is 0 after a word did not fit."""
    size = len("".join(text).encode()) + OVERHEAD * len(text)
    if size <= room:
        return text, room - size
    for place, word in enumerate(text):
        room -= len(word.encode()) + OVERHEAD
        if room < 0:
            return text[:place], 0
    return text, room


def folded(name: str) -> str:
    """Return a name in the form for comparison: lower case, single spaces, composed accents."""
    return " ".join(small(name).split())


def small(text: str) -> str:
    """Return a text in lower case and composed characters."""
    return unicodedata.normalize("NFC", text.casefold())


T = TypeVar("T")


def having_words(everything: Iterable[T], text: Callable[[T], str], search_text: str) -> list[T]:
    """Return the items whose text has, for each searched word, a word that begins with it.

    Case and accents are ignored, as in the search for tickets; an empty search matches everything.
    """
    wanted = words(search_text)
    if not wanted:
        return [] if search_text.strip() else list(everything)
    return [each for each in everything if _has(words(text(each)), wanted)]


def _has(found: Sequence[str], wanted: Sequence[str]) -> bool:
    return all(any(word.startswith(beginning) for word in found) for beginning in wanted)
