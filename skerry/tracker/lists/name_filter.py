"""Lists in which something is found by name."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from skerry.text.words import words

T = TypeVar("T")


def filter_by_name(everything: Iterable[T], text: Callable[[T], str], sought: str) -> list[T]:
    """Return those whose text has, for each word sought, a word that begins with it.

    Case and accents do not count, as in searches for tickets; where nothing is sought, all are found.
    """
    wanted = words(sought)
    if not wanted:
        return [] if sought.strip() else list(everything)
    return [each for each in everything if _has(words(text(each)), wanted)]


def _has(found: Sequence[str], wanted: Sequence[str]) -> bool:
    return all(any(word.startswith(beginning) for word in found) for beginning in wanted)
