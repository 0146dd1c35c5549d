"""What a connection has found and may give again, for as long as nobody changes anything."""

from collections.abc import Hashable, Sequence
from typing import Any

MOST = 1000
"""How much is remembered at once."""


Step = tuple[str, Sequence[Any]]
"""A question and its values."""


class Memory(dict[Hashable, Any]):
    """What was found at one moment of the database; at another moment there is another memory."""

    def __init__(self, moment: Hashable) -> None:
        """Remember nothing yet."""
        self.moment = moment

    def __setitem__(self, key: Hashable, found: Any) -> None:
        """Remember one thing more, and everything else only if there is room."""
        if len(self) >= MOST:
            self.clear()
        super().__setitem__(key, found)


class Trails(dict[int, list[Step]]):
    """The questions by which things were recalled together the last time, by a number for them."""

    def __setitem__(self, trail: int, steps: list[Step]) -> None:
        """Remember one trail more, and all others only if there is room."""
        if len(self) >= MOST:
            self.clear()
        super().__setitem__(trail, steps)
