"""Caches with a maximum size."""

from collections.abc import Mapping
from typing import TypeVar

MAX = 1000
"""The maximum number of entries of a bounded cache."""

MAX_WEIGHT = 4_000_000
"""The maximum number of characters in a weighted cache."""

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """A cache with a maximum number of entries; it is cleared when it is full."""

    def __setitem__(self, key: K, found: V) -> None:
        """Add an entry; clear the cache first if it is full."""
        if len(self) >= MAX:
            self.clear()
        super().__setitem__(key, found)


class WeightedCache(dict[K, V]):
    """A cache with a maximum total size in characters; it is cleared when it is full."""

    weight = 0

    def keep(self, found: Mapping[K, V], weight: int) -> None:
        """Add entries with the given total size; clear the cache first if there is no room for them."""
        if self.weight + weight > MAX_WEIGHT:
            self.clear()
        self.weight += weight
        self.update(found)

    def clear(self) -> None:
        """Clear the cache."""
        super().clear()
        self.weight = 0
