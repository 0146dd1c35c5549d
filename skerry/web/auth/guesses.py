"""Limits on guessing passwords and codes."""

import time
from collections.abc import Callable

from skerry.errors import TooManyRequests
from skerry.web.counts import Counts

_FAILURES = "failures of "


class GuessLimiter:
    """Limits guessing: after too many failures in a minute, the keys concerned are blocked.

    The limit is low for one login from one address, higher for an address, and higher still for a login from
    all addresses, so that a stranger cannot easily lock somebody out. The last limit does not apply to
    networks with a recent sign-in of the login.
    """

    ALLOWED = (10, 50, 100)
    SECONDS = 60.0

    def __init__(self, counts: Counts, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a limiter that stores failures in ``counts``; the clock returns seconds."""
        self._counts = counts
        self._clock = clock

    def check(self, *keys: str) -> None:
        """Raise TooManyRequests if one of the keys has failed too often in the last minute.

        The last key may be omitted.
        """
        now = self._clock()
        for key, allowed in zip(keys, self.ALLOWED, strict=False):
            failures, since = self._failed(key, now)
            if failures >= allowed:
                wait = int(since + self.SECONDS - now) + 1
                raise TooManyRequests(f"Too many failed sign-ins; try again in {wait} s", wait)

    def locks(self, login: str) -> bool:
        """Return whether a login is blocked because of failures from all addresses."""
        return self._failed(login, self._clock())[0] >= self.ALLOWED[-1]

    def failed(self, *keys: str) -> None:
        """Count a failure; the first failure of a key starts its minute."""
        with self._counts.locked():
            self._count(keys, 1)

    def reserve(self, *keys: str) -> None:
        """Count a failure in advance; raises TooManyRequests as ``check`` does."""
        with self._counts.locked():
            self.check(*keys)
            self._count(keys, 1)

    def release(self, *keys: str) -> None:
        """Remove a failure that was counted in advance."""
        with self._counts.locked():
            self._count(keys, -1)

    def _count(self, keys: tuple[str, ...], step: int) -> None:
        now = self._clock()
        for key in keys:
            failures, since = self._failed(key, now)
            self._counts.put(_FAILURES + key, max(0, failures + step), since)

    def _failed(self, key: str, now: float) -> tuple[float, float]:
        failures, since = self._counts.get(_FAILURES + key) or (0.0, now)
        return (failures, since) if now - since < self.SECONDS else (0.0, now)
