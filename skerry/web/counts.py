"""In-memory counts with timestamps, for a limited number of keys."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

MAX = 1 << 16
"""The maximum number of keys; beyond it, the key that was changed first is dropped."""


class Counts:
    """A number and a time for each key, in one process."""

    def __init__(self, most: int = MAX) -> None:
        """Create empty counts for at most ``most`` keys."""
        self._most = most
        self._found: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = RLock()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the counts against changes by other threads."""
        with self._lock:
            yield

    def get(self, key: str) -> tuple[float, float] | None:
        """Return a key's number and time, or None for an unknown key."""
        return self._found.get(key)

    def put(self, key: str, number: float, when: float) -> None:
        """Store a key's number and time."""
        with self._lock:
            self._found[key] = number, when
            self._found.move_to_end(key)
            if len(self._found) > self._most:
                self._found.popitem(last=False)
