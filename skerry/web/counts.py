"""Counts that are kept in memory, each with a time, for a bounded number of keys."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

MOST = 1 << 16
"""The number of keys that are remembered; beyond it, the one that was changed first is forgotten."""


class Counts:
    """A number and a time for each of many keys, in one process."""

    def __init__(self, most: int = MOST) -> None:
        """Remember at most so many keys."""
        self._most = most
        self._found: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = RLock()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other threads from changing anything meanwhile."""
        with self._lock:
            yield

    def get(self, key: str) -> tuple[float, float] | None:
        """Return a key's number and time, or None for a key that is not remembered."""
        return self._found.get(key)

    def put(self, key: str, number: float, when: float) -> None:
        """Remember a key's number and time."""
        with self._lock:
            self._found[key] = number, when
            self._found.move_to_end(key)
            if len(self._found) > self._most:
                self._found.popitem(last=False)
