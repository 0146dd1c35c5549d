"""Tags: short lower-case labels that people type into one field."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from skerry.visibility import is_visible

MAX_TAG_LENGTH = 100
MAX_TAGS = 100

# Needs no normal form.
_PLAIN = re.compile(r"[a-z0-9\-_@!.:#+/]+")
_SIGNS = frozenset(" -_@!'.:#+/")
_PIECE = re.compile(
    r"""
    "(?P<double>[^"]*)"
  | '(?P<single>[^']*)'(?!\S)
  | (?P<word>[^\s"]+)
""",
    re.VERBOSE,
)


def read_tags(text: str) -> tuple[str, ...]:
    """Return the tags in the order in which they are first named, each once and in normal form.

    If the text has a comma, tags are separated by commas and may contain blanks; otherwise they are separated
    by blanks, except inside quotes. A tag keeps letters, digits, blanks and ``- _ @ ! ' . : # + /``, in lower
    case. Raises ValueError with a sentence if a tag or the list is too long.
    """
    tags = dict.fromkeys(filter(None, map(_normal, _pieces(text))))
    if len(tags) > MAX_TAGS:
        raise ValueError(f"Too many tags (at most {MAX_TAGS})")
    if any(len(tag) > MAX_TAG_LENGTH for tag in tags):
        raise ValueError(f"Tag is too long (at most {MAX_TAG_LENGTH} characters each)")
    return tuple(tags)


def visible_tags(text: str, before: str) -> tuple[str, ...]:
    """Return the tags in a text that people can see, or that were there before; raises as ``read_tags``."""
    kept = read_tags(before)
    return tuple(tag for tag in read_tags(text) if is_visible(tag) or tag in kept)


def _pieces(text: str) -> Iterator[str]:
    if "," in text:
        yield from text.split(",")
        return
    for match in _PIECE.finditer(text):
        yield match[match.lastgroup or 0]


def _normal(piece: str) -> str:
    lower = piece.lower()
    if _PLAIN.fullmatch(lower):
        return lower
    # Letters are composed last, because removing a character between two can make them compose.
    kept = unicodedata.normalize("NFC", "".join(_allowed(lower)))
    return " ".join(kept.split()).strip(" '")


def _allowed(piece: str) -> Iterator[str]:
    """Yield the characters that stay; a combining mark stays with the letter before it."""
    after_letter = False
    for character in piece:
        if character.isalpha() or character.isdecimal():
            after_letter = True
            yield character
        elif after_letter and unicodedata.category(character) in {"Mn", "Mc"}:
            yield character
        else:
            after_letter = False
            if character in _SIGNS or character.isspace():
                yield character


def write_tags(tags: Iterable[str]) -> str | None:
    """Return tags in normal form as one text that parses to the same set; None if there are none."""
    ordered = sorted(set(tags), key=lambda tag: (tag.upper(), tag))
    return " ".join(f'"{tag}"' if " " in tag else tag for tag in ordered) or None
