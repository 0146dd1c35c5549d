"""Counts that took long to make, remembered for a short while."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
M = TypeVar("M")

Follow = Callable[[M, T], T | None]
"""Makes what was counted for a mark what it is for another one, or gives None where it cannot."""

SLOW = 0.005
"""Seconds from which on a count is worth remembering."""

SECONDS = 30
"""After how long it is made anew."""

LATE_SECONDS = 60
"""How long it is remembered while somebody makes it anew, or makes another one."""

GIVEN_UP_SECONDS = 300
"""How long it is remembered that a count was given up."""

PATIENCE = 0.5
"""Seconds for a count that somebody gets beside what they asked for."""

PATIENCE_TOGETHER = 1.0
"""Seconds after which no further one is begun in a transaction."""

MOST = 1_000
"""How many are remembered at once."""


class Kept(NamedTuple):
    """What is remembered of a count, when it is due to be made anew, and until when it is remembered."""

    renewed_at: float
    until: float
    mark: Any
    found: Any


class CountCache:
    """A process's memory of counts.

    A mark says what a count depends on, as far as that is cheap to know: under each key is what was counted
    last, and for one mark.
    """

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._kept: dict[Hashable, Kept] = {}
        self._counting: dict[Hashable, Lock] = {}

    def known(
        self, key: Hashable, mark: Any = None, follow: Follow[Any, Any] | None = None, *, late: bool = False
    ) -> Any | None:
        """Give what is remembered under a key for a mark; None without that.

        ``follow`` may make it out of what is remembered for another mark, which it replaces; that prolongs
        nothing. With ``late`` it may be due to be made anew.
        """
        kept = self._kept.get(key)
        if kept is None or monotonic() >= (kept.until if late else kept.renewed_at):
            return None
        if kept.mark == mark:
            return kept.found
        found = follow(kept.mark, kept.found) if follow else None
        if found is not None:
            self._kept[key] = kept._replace(mark=mark, found=found)
        return found

    def is_counting(self, key: Hashable) -> bool:
        """Say whether somebody is counting something."""
        return key in self._counting

    @contextmanager
    def alone(self, key: Hashable) -> Iterator[None]:
        """Let nobody else count something; who does so now is waited for, but not for ever."""
        lock = self._counting.setdefault(key, Lock())
        mine = lock.acquire(timeout=PATIENCE)
        try:
            yield
        finally:
            if mine:
                self._counting.pop(key, None)
                lock.release()

    def fresh(self, key: Hashable, mark: Any, count: Callable[[], T]) -> tuple[T, bool]:
        """Count, and remember it if that took long; say whether it did."""
        began = monotonic()
        number = count()
        is_slow = monotonic() - began > SLOW
        if is_slow:
            self._keep(key, mark, number, SECONDS, LATE_SECONDS)
        return number, is_slow

    def give_up(self, key: Hashable) -> None:
        """Remember that a count takes too long."""
        self._keep(key, None, True, GIVEN_UP_SECONDS, GIVEN_UP_SECONDS)

    def _keep(self, key: Hashable, mark: Any, found: object, seconds: float, at_most: float) -> None:
        now = monotonic()
        # What is over may be large. Other threads keep things meanwhile.
        for other, kept in list(self._kept.items()):
            if kept.until <= now:
                self._kept.pop(other, None)
        if len(self._kept) >= MOST:
            self._kept.clear()
        self._kept[key] = Kept(now + seconds, now + at_most, mark, found)
