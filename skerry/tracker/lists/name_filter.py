"""Filtering of lists by name."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from skerry.text.words import words

T = TypeVar("T")


def filter_by_name(everything: Iterable[T], text: Callable[[T], str], search_text: str) -> list[T]:
    """Return the items whose text has, for each searched word, a word that begins with it.

    Case and accents are ignored, as in the search for tickets; an empty search matches everything.
    """
    wanted = words(search_text)
    if not wanted:
        return [] if search_text.strip() else list(everything)
    return [each for each in everything if _has(words(text(each)), wanted)]


def _has(found: Sequence[str], wanted: Sequence[str]) -> bool:
    return all(any(word.startswith(beginning) for word in found) for beginning in wanted)
