"""Counts that took long to make, remembered for a short while."""

from collections.abc import Callable, Hashable
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")

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

MOST = 10_000
"""How many are remembered at once."""


class CountCache:
    """A process's memory of counts; a key says what a count depends on, as far as that is cheap to know."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._found: dict[Hashable, tuple[float, Any]] = {}

    def known(self, key: Hashable) -> Any | None:
        """Give what is remembered under a key, which always means the same count; None without that."""
        until, known = self._found.get(key, (0.0, None))
        return known if monotonic() < until else None

    def fresh(self, key: Hashable, count: Callable[[], T]) -> T:
        """Count, and remember it if that took long."""
        began = monotonic()
        number = count()
        if monotonic() - began > SLOW:
            self._keep(key, number, SECONDS)
        return number

    def give_up(self, key: Hashable) -> None:
        """Remember that a count takes too long."""
        self._keep(key, True, GIVEN_UP_SECONDS)

    def _keep(self, key: Hashable, found: object, seconds: float) -> None:
        if len(self._found) >= MOST:
            self._found.clear()
        self._found[key] = (monotonic() + seconds, found)
