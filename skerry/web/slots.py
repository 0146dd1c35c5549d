"""Slots for what comes and goes slowly, of which nobody has all."""

from collections import Counter
from threading import Lock

from skerry import processors
from skerry.errors import Unavailable

COMING_SLOTS = 256
"""One person may use half of those while bodies come, so that nobody keeps others from writing. A quarter may
be used before it is known who sends a body. One network may use half of that, so that nobody keeps others
from signing in from a single machine."""

GOING_SLOTS = 64
"""Each costs a megabyte or more, which the server takes ahead of a slow reader. One reader may use half."""

FETCHED_SLOTS = 256
"""For small files that are far away, while they are fetched. One reader may use half: a browser asks for some
hundred pictures of a page at a time."""

LEAST_SLOTS = 16
"""At least so many of each, however few threads there may be."""

BUSY = "The server is busy. Try again shortly"


def per_worker(threads: int | None, workers: int) -> tuple[int, int, int]:
    """Give how many bodies may come, how many files may go, and how many small ones be fetched at a time.

    They are fewer where all workers together may have so many threads only: one that gets none dies.
    """
    if threads is None:
        return COMING_SLOTS, GOING_SLOTS, FETCHED_SLOTS
    each = threads // max(4, workers)
    coming, going, fetched = (max(LEAST_SLOTS, each // part) for part in (2, 8, 4))
    return min(COMING_SLOTS, coming), min(GOING_SLOTS, going), min(FETCHED_SLOTS, fetched)


def here() -> tuple[int, int, int]:
    """Give as many as there may be on this machine, with as many workers as it usually has."""
    return per_worker(processors.threads(), processors.workers(processors.usable()))


class Slots:
    """So many at a time, and so many of them for each holder; nobody waits."""

    def __init__(self, number: int, each: int | None = None) -> None:
        """Begin with all slots free."""
        self._free = number
        self._each = number if each is None else each
        self._held: Counter[str] = Counter()
        self._lock = Lock()

    def take(self, holder: str = "") -> None:
        """Take one; raises Unavailable if no slot is free."""
        with self._lock:
            if not self._free or self._held[holder] >= self._each:
                raise Unavailable(BUSY)
            self._free -= 1
            self._held[holder] += 1

    def leave(self, holder: str = "") -> None:
        """Give one back."""
        with self._lock:
            self._free += 1
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]
