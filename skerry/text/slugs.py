"""Readable tails of addresses: ``/tickets/45-leaking-roof``."""

import re

_DROPPED = re.compile(r"[^\w\s-]+", re.ASCII)
_GAP = re.compile(r"[\s-]+", re.ASCII)
# Eighteen digits always fit a signed 64-bit column.
_LEADING = re.compile(r"\s*([0-9]{1,18})(?![0-9]|[._eExX][0-9])")
_NUMBERED = re.compile(r"([0-9]{1,18})(?:-.*)?", re.DOTALL)


def permalink(title: str) -> str:
    """Return the slug of a title: lower-case ASCII words joined by hyphens, perhaps empty."""
    ascii_only = title.encode("ascii", "ignore").decode("ascii")
    hyphenated = _GAP.sub("-", _DROPPED.sub("", ascii_only))
    return hyphenated.removeprefix("-").removesuffix("-").lower()


def id_in(segment: str) -> int | None:
    """Return the id at the beginning of a path segment, regardless of what follows; None without one.

    ``12``, ``12-roof``, `` 12`` and ``12}`` all mean 12, because scripts leave blanks and brackets of their
    templates in URLs. Zero, digits other than ASCII, more than 18 digits, and numbers that are not whole,
    such as ``1.5`` and ``1e5``, are not ids.
    """
    match = _LEADING.match(segment)
    return (int(match[1]) or None) if match else None


def leading_number(segment: str) -> int | None:
    """Return the number that a text of our own making names, alone or before a slug; None without one.

    ``12`` and ``12-roof`` name 12. Zero, other than ASCII digits and more than 18 digits name
    nothing.
    """
    match = _NUMBERED.fullmatch(segment)
    return (int(match[1]) or None) if match else None
