"""The levels of importance of a project, as listed in its settings."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from skerry.text.states import definitions, six_digits
from skerry.text.words import folded

DEFAULT = "4 Urgent/c0392b\n3 High/c2570c\n2 Medium/8a6d00\n1 Low/5f6b7a"
"""The levels of a new project."""

MAX_LEVELS = 20
MAX_NAME_LENGTH = 50
MAX_TEXT_LENGTH = 2_000
MAX_NUMBER = 2**31 - 1

PLAIN_COLOR = "5f6b7a"
"""The colour of levels that come without one."""

_LINE = re.compile(
    r"(?P<number>[0-9]{1,10})[ \t]+(?P<name>[^/]+?)[ \t]*/[ \t]*(?P<color>[0-9a-fA-F]{6}|[0-9a-fA-F]{3})"
)
# A name begins with a letter, so that no number or comparison can be taken for one.
_NAME_CHARACTERS = {"Mn", "Mc", "Nd"}
_SIGNS = " -_.+"


class LevelsError(ValueError):
    """The text is not a list of levels; the message names the line."""


class Level(NamedTuple):
    """A level: its number, its name as written, and its colour as six lower-case hex digits."""

    number: int
    name: str
    color: str


class Levels:
    """The levels of a project, the most important first; there may be none.

    Each line is ``number name/color`` with three or six hex digits; ``#`` begins a comment. Numbers are
    different and at least 1. Names differ by more than case, begin with a letter, and consist of letters,
    digits, spaces and ``- _ . +``. Raises LevelsError if a line is anything else.
    """

    def __init__(self, text: str) -> None:
        """Parse the text."""
        if len(text) > MAX_TEXT_LENGTH:
            raise LevelsError(f"Importance levels are too long (at most {MAX_TEXT_LENGTH} characters)")
        levels = [_level(*definition) for definition in definitions("Importance levels", text)]
        if len(levels) > MAX_LEVELS:
            raise LevelsError(f"Importance levels can have at most {MAX_LEVELS} lines")
        self.all = tuple(sorted(levels, reverse=True))
        self._by_number: Mapping[int, Level] = {level.number: level for level in self.all}
        self._by_name: Mapping[str, Level] = {folded(level.name): level for level in self.all}
        if len(levels) != len(self._by_number) or len(levels) != len(self._by_name):
            raise LevelsError("Importance levels must have different numbers and names")

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.all)

    def find(self, name: str) -> Level | None:
        """Return the level with this name in any case, or None."""
        return self._by_name.get(folded(name))

    def of(self, number: int | None) -> Level | None:
        """Return the level with a number, or None."""
        return self._by_number.get(number or 0)

    def name_of(self, number: int | None) -> str | None:
        """Return the name of the level with a number, or None."""
        level = self.of(number)
        return level and level.name


@lru_cache(maxsize=256)
def read_levels(text: str | None) -> Levels:
    """Return the levels in a text, cached; raises LevelsError as Levels does."""
    return Levels(text or "")


def write_levels(names: Mapping[int, str]) -> str:
    """Return levels with these names by number as a text; what cannot be a level is left out."""
    text = ""
    for number, name in sorted(names.items(), reverse=True):
        more = f"{text}\n{number} {_spellable(name)}/{PLAIN_COLOR}".lstrip()
        try:
            Levels(more)
        except LevelsError:
            continue
        text = more
    return text


def _spellable(name: str) -> str:
    kept = "".join(each if _fits(each) else " " for each in unicodedata.normalize("NFC", name))
    return " ".join(kept.split())[:MAX_NAME_LENGTH]


def _level(place: str, line: str) -> Level:
    match = _LINE.fullmatch(line)
    if not match or not match["name"][0].isalpha() or not all(map(_fits, match["name"])):
        raise LevelsError(
            f"{place}: write a number, a name, a slash and 3 or 6 hex digits, as in 3 High/c2570c"
        )
    if not 1 <= int(match["number"]) <= MAX_NUMBER:
        raise LevelsError(f"{place}: the number must be from 1 to {MAX_NUMBER}")
    if len(match["name"]) > MAX_NAME_LENGTH:
        raise LevelsError(f"{place}: the name is too long (at most {MAX_NAME_LENGTH} characters)")
    if folded(match["name"]) == "none":
        raise LevelsError(f"{place}: none means no importance; write another name")
    name = " ".join(match["name"].split())
    return Level(int(match["number"]), name, six_digits(match["color"].lower()))


def _fits(character: str) -> bool:
    is_part = character.isalpha() or character in _SIGNS
    return is_part or unicodedata.category(character) in _NAME_CHARACTERS
