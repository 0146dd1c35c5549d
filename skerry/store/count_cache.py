"""Counts that took long to make, remembered for a short while."""

from collections.abc import Callable, Hashable
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")
M = TypeVar("M")

Follow = Callable[[M, T], T | None]
"""Makes what was counted for a mark what it is for another one, or gives None where it cannot."""

SLOW = 0.005
"""Seconds from which on a count is worth remembering."""

SECONDS = 30
"""How long it is remembered."""

GIVEN_UP_SECONDS = 300
"""How long it is remembered that a count was given up."""

PATIENCE = 0.5
"""Seconds for a count that somebody gets beside what they asked for."""

PATIENCE_TOGETHER = 1.0
"""Seconds after which no further one is begun in a transaction."""

MOST = 1_000
"""How many are remembered at once."""


class CountCache:
    """A process's memory of counts.

    A mark says what a count depends on, as far as that is cheap to know: under each key is what was counted
    last, and for one mark.
    """

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._found: dict[Hashable, tuple[float, Hashable, Any]] = {}

    def known(self, key: Hashable, mark: Any = None, follow: Follow[Any, Any] | None = None) -> Any | None:
        """Give what is remembered under a key for a mark; None without that.

        ``follow`` may make it out of what is remembered for another mark, which it replaces; that prolongs
        nothing.
        """
        until, marked, known = self._found.get(key, (0.0, None, None))
        if monotonic() >= until:
            return None
        if marked != mark:
            known = follow(marked, known) if follow else None
            if known is not None:
                self._found[key] = until, mark, known
        return known

    def fresh(self, key: Hashable, mark: Hashable, count: Callable[[], T]) -> T:
        """Count, and remember it if that took long."""
        began = monotonic()
        number = count()
        if monotonic() - began > SLOW:
            self._keep(key, mark, number, SECONDS)
        return number

    def give_up(self, key: Hashable) -> None:
        """Remember that a count takes too long."""
        self._keep(key, None, True, GIVEN_UP_SECONDS)

    def _keep(self, key: Hashable, mark: Hashable, found: object, seconds: float) -> None:
        now = monotonic()
        # What is over may be large. Other threads keep things meanwhile.
        for other, (until, _, _) in list(self._found.items()):
            if until <= now:
                self._found.pop(other, None)
        if len(self._found) >= MOST:
            self._found.clear()
        self._found[key] = (now + seconds, mark, found)
