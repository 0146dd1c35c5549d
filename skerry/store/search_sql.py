"""Pieces of SQL with their values, put together for each query.

Every text is a constant of this program with ``?`` for each value; what people write is only ever a
value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """A piece of SQL, and the values of its marks in order."""

    text: str
    values: tuple[Any, ...] = ()

    @property
    def negated(self) -> "Said":
        """Give what is true where this is not; a condition is never NULL."""
        return Said(f"NOT ({self.text})", self.values)


NOTHING = Said("1 = 0")
"""True of no ticket."""

ANYTHING = Said("1 = 1")
"""True of every ticket."""


def among(column: str, values: Sequence[Any]) -> Said:
    """Say that a column, which is never NULL, has one of the values."""
    if not values:
        return NOTHING
    if len(values) == 1:
        return Said(f"{column} = ?", tuple(values))
    return Said(f"{column} IN ({', '.join('?' * len(values))})", tuple(values))


def within(column: str, ids: Sequence[int]) -> Said:
    """Say the same of ids that may be many and are said several times: databases bound the values."""
    return among(column, ids) if len(ids) < 2 else Said(f"{column} IN ({', '.join(map(str, map(int, ids)))})")  # noqa: PLR2004


def every(parts: Iterable[Said]) -> Said:
    """Say that all of the parts hold."""
    return _joined(list(parts), " AND ", ANYTHING)


def either(parts: Iterable[Said]) -> Said:
    """Say that any of the parts holds."""
    return _joined(list(parts), " OR ", NOTHING)


def _joined(parts: list[Said], word: str, none: Said) -> Said:
    if len(parts) < 2:  # noqa: PLR2004 - nothing to join
        return parts[0] if parts else none
    return filled(word.join(["({})"] * len(parts)), *parts)


def filled(frame: str, *parts: Said) -> Said:
    """Put pieces into a frame that has ``{}`` for each of them."""
    values = tuple(value for part in parts for value in part.values)
    return Said(frame.format(*(part.text for part in parts)), values)
