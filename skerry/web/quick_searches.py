"""Which searches are known to be quick: those that were the last time.

How long a search takes is not to be seen in it. So it is answered beside the lanes at first, and when
that was quick, the next one that asks for the very same may be answered in them.
"""

import time
from typing import NamedTuple

from skerry.web.front import Environment

QUICK_SECONDS = 0.005
"""A search that works for longer than this is answered beside the lanes."""

SLOW_SECONDS = 0.05
"""So is one that usually takes longer than this, whatever it waits for, until it takes less."""

WEIGHT = 0.2
"""What the last time counts beside all before: on a busy machine everything takes long now and then."""

STUCK_SECONDS = 0.5
"""One that takes longer than this, or works for longer than the others may take, is not soon tried again."""

ASIDE_SECONDS = 600.0
"""How long such a search goes aside."""

SHARE = 0.01
"""So much of a leader's time may go to searches that only turn out to be long."""

MOST = 2000
"""How many searches are known at once."""


class Took(NamedTuple):
    """How many seconds an answer took, and for how many of these its thread worked."""

    whole: float
    worked: float

    @property
    def is_slow(self) -> bool:
        """Say whether it is slow by itself: on a busy machine everything takes long."""
        return self.worked > SLOW_SECONDS or self.whole > STUCK_SECONDS


class _Search(NamedTuple):
    """From when on a search may be answered in the lanes, and how long it usually takes."""

    since: float
    usual: float


class QuickSearches:
    """Knows some searches by what they took."""

    def __init__(self) -> None:
        """Know none yet."""
        self._known: dict[int, _Search] = {}
        self._strict_until = 0.0

    def is_quick(self, environment: Environment) -> bool:
        """Say whether a search is known to be quick."""
        known = self._known.get(_number(environment))
        return known is not None and time.monotonic() >= max(known.since, self._strict_until)

    def note(self, environment: Environment, took: Took) -> None:
        """Learn from what a search took beside the lanes, or in them."""
        number, now = _number(environment), time.monotonic()
        known = self._known.get(number, _Search(now, took.whole))
        usual = known.usual + WEIGHT * (took.whole - known.usual)
        if took.is_slow:
            self._remember(number, _Search(now + ASIDE_SECONDS, usual))
        elif known.since <= now and (took.worked > QUICK_SECONDS or usual > SLOW_SECONDS):
            self._known.pop(number, None)
        else:
            self._remember(number, _Search(known.since, usual))

    def regret(self, took: Took) -> None:
        """Let no search into the lanes for a while after one that was long: it may have been made to be."""
        if took.worked > QUICK_SECONDS:
            self._strict_until = max(self._strict_until, time.monotonic() + took.worked / SHARE)

    def _remember(self, number: int, search: _Search) -> None:
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[number] = search


def _number(environment: Environment) -> int:
    """Give a number for what is asked for, and where: each account has its own tickets."""
    return hash((environment.get("HTTP_HOST"), environment["PATH_INFO"], environment["QUERY_STRING"]))
