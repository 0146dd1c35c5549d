"""How often one caller may ask: so many requests a minute for a token, a login, or an address.

Each worker counts on its own, so a server with two workers lets through up to twice as many.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from threading import Lock
from typing import Any

from skerry.errors import TooMany
from skerry.tracker.visit import Caller

KEY = "skerry.allowance"
"""Where the environment of a request holds the headers that say what is left."""

_LEFT = "skerry.left"

MOST = 100_000
"""How many callers are remembered; the one who has been silent longest is forgotten first."""

_MINUTE = 60.0


class Throttle:
    """Gives every caller a bucket that holds a minute's requests and fills evenly."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Allow so many requests a minute, 0 being any number; the clock gives seconds."""
        self._allowed = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def admit(self, environment: dict[str, Any], caller: Caller | None, address: str) -> None:
        """Count a request, once for all who ask this, and leave word of what is left; raises TooMany."""
        if not self._allowed:
            return
        if _LEFT not in environment:
            environment[_LEFT] = self._taken(_name(caller, address))
        left: float = environment[_LEFT]
        until_full = ceil((self._allowed - max(left, 0.0)) * _MINUTE / self._allowed)
        environment[KEY] = (
            ("X-RateLimit-Limit", str(self._allowed)),
            ("X-RateLimit-Remaining", str(max(0, int(left)))),
            ("X-RateLimit-Reset", str(until_full)),
        )
        if left < 0:
            wait = ceil(-left * _MINUTE / self._allowed)
            raise TooMany(f"Too many requests (at most {self._allowed} a minute)", wait)

    def _taken(self, name: str) -> float:
        """Take a request out of a bucket and give what is left, below 0 if there was none to take."""
        now = self._clock()
        with self._lock:
            held, since = self._buckets.pop(name, (float(self._allowed), now))
            held = min(self._allowed, held + (now - since) * self._allowed / _MINUTE)
            left = held - 1.0
            self._buckets[name] = (left if left >= 0 else held, now)
            if len(self._buckets) > MOST:
                self._buckets.popitem(last=False)
        return left


def _name(caller: Caller | None, address: str) -> str:
    if caller is None:
        return f"address {address}"
    return f"token {caller.user_id}/{caller.token_id}" if caller.token_id else f"login {caller.user_id}"
