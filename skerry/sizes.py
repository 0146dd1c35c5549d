"""Sizes of files and texts, for people."""

BYTE, BYTES = "1 byte", "{0} bytes"
"""The words for a size in bytes: for exactly one, and for all other numbers."""

_UNITS = ((2**30, "{0} GiB"), (2**20, "{0} MiB"), (2**10, "{0} KiB"))
_ROUND = (*_UNITS, (10**9, "{0} GB"), (10**6, "{0} MB"), (10**3, "{0} kB"), (1, BYTES))


def exact(count: int) -> str:
    """Return an exact number of bytes in the largest unit that divides it."""
    if count == 1:
        return BYTE
    number, unit = min((count // size, unit) for size, unit in _ROUND if count % size == 0)
    return unit.format(number)


def rounded(count: int) -> tuple[float, str]:
    """Return a number of bytes in the largest unit that it fills, with the unit's name."""
    return next(((count / size, unit) for size, unit in _UNITS if count >= size), (count, BYTES))
