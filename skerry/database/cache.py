"""Caches with a maximum size."""

from collections import OrderedDict
from threading import Lock
from typing import TypeVar

MAX = 1000
"""The maximum number of entries of a bounded cache."""

MAX_WEIGHT = 4_000_000
"""The maximum number of characters in a weighted cache."""

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """A cache with a maximum number of entries; it is cleared when it is full."""

    def __setitem__(self, key: K, value: V) -> None:
        """Add an entry; clear the cache first if it is full."""
        if len(self) >= MAX:
            self.clear()
        super().__setitem__(key, value)


class WeightedCache(OrderedDict[K, V]):
    """A cache with a maximum total size in characters; the oldest entries leave when it is full."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = 0
        self._weights: dict[K, int] = {}
        self._lock = Lock()

    def keep(self, key: K, entries: V, weight: int) -> None:
        """Add an entry of a size, at the end; drop the oldest ones until there is room for it."""
        with self._lock:
            self.pop(key, None)
            self.weight += weight - self._weights.pop(key, 0)
            while self and self.weight > MAX_WEIGHT:
                oldest, _ = self.popitem(last=False)
                self.weight -= self._weights.pop(oldest)
            self[key], self._weights[key] = entries, weight

    def clear(self) -> None:
        """Clear the cache."""
        with self._lock:
            super().clear()
            self._weights.clear()
            self.weight = 0
