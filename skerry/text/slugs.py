"""Readable endings of URLs: ``/tickets/45-leaking-roof``."""

import re

_DROPPED = re.compile(r"[^\w\s-]+", re.ASCII)
_GAP = re.compile(r"[\s-]+", re.ASCII)
# Eighteen digits always fit a signed 64-bit column.
_NUMBERED = re.compile(r"([0-9]{1,18})(?:-.*)?", re.DOTALL)


def permalink(title: str) -> str:
    """Return the slug of a title: lower-case ASCII words joined by hyphens, possibly empty."""
    ascii_only = title.encode("ascii", "ignore").decode("ascii")
    hyphenated = _GAP.sub("-", _DROPPED.sub("", ascii_only))
    return hyphenated.removeprefix("-").removesuffix("-").lower()


def leading_number(segment: str) -> int | None:
    """Return the number in a text that this program wrote, alone or before a slug; None if there is none.

    ``12`` and ``12-roof`` mean 12. Zero, non-ASCII digits and more than 18 digits are not numbers.
    """
    match = _NUMBERED.fullmatch(segment)
    return (int(match[1]) or None) if match else None
