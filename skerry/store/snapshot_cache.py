"""A cache for each connection, of what it found: good while it sees the same snapshot of the database."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

MOST = 1000
"""How much is remembered at once."""

HEAVIEST = 4_000_000
"""How many characters are kept at once."""

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """What is remembered, as far as there is room."""

    def __setitem__(self, key: K, found: V) -> None:
        """Remember one thing more, and everything else only if there is room."""
        if len(self) >= MOST:
            self.clear()
        super().__setitem__(key, found)


class WeightedCache(dict[K, V]):
    """What is kept for as long as the process lives, as far as there is room for it."""

    weight = 0

    def keep(self, found: Mapping[K, V], weight: int) -> None:
        """Keep some things more, which are so heavy, and everything else only if there is room."""
        if self.weight + weight > HEAVIEST:
            self.clear()
        self.weight += weight
        self.update(found)

    def clear(self) -> None:
        """Keep nothing."""
        super().clear()
        self.weight = 0


class SnapshotCache(BoundedCache[Hashable, Any]):
    """What was found at one moment of the database; at another moment there is another memory."""

    def __init__(self, moment: Hashable) -> None:
        """Remember nothing yet."""
        self.moment = moment


Step = tuple[str, Sequence[Any]]
"""A question and its values."""

Trails: TypeAlias = BoundedCache[int, list[Step]]
"""The questions by which somebody was found the last time, one after the other, by a number for them."""
