"""Rate limits: requests per minute for a token, a login or an address."""

import time
from collections.abc import Callable, MutableMapping
from math import ceil
from typing import Any

from skerry.errors import TooManyRequests
from skerry.tracker.context import Principal
from skerry.web.counts import Counts

KEY = "skerry.allowance"
"""The key in the scope of a request for the headers with the remaining allowance."""

_LEFT = "skerry.left"

_MINUTE = 60.0

Scope = MutableMapping[str, Any]


class Throttle:
    """A token bucket for each caller with the requests of a minute, refilled continuously."""

    def __init__(self, per_minute: int, counts: Counts, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a limit of requests per minute; 0 means no limit.

        ``counts`` stores the buckets; the clock returns seconds.
        """
        self._allowed = per_minute
        self._counts = counts
        self._clock = clock

    def count(self, scope: Scope, account_id: int, principal: Principal | None, address: str) -> None:
        """Count a request to an account, at most once, and record the remaining allowance.

        Raises TooManyRequests.
        """
        if not self._allowed:
            return
        if _LEFT not in scope:
            scope[_LEFT] = self._consume(_name(account_id, principal, address))
        left: float = scope[_LEFT]
        until_full = ceil((self._allowed - max(left, 0.0)) * _MINUTE / self._allowed)
        scope[KEY] = (
            ("X-RateLimit-Limit", str(self._allowed)),
            ("X-RateLimit-Remaining", str(max(0, int(left)))),
            ("X-RateLimit-Reset", str(until_full)),
        )
        if left < 0:
            allowed, wait = self._allowed, ceil(-left * _MINUTE / self._allowed)
            raise TooManyRequests(
                f"Too many requests (at most {allowed} a minute); try again in {wait} s", wait
            )

    def _consume(self, name: str) -> float:
        """Take a request from a bucket and return the remaining number, which is negative if it was empty."""
        with self._counts.locked():
            now = self._clock()
            held, since = self._counts.get(name) or (float(self._allowed), now)
            held = min(self._allowed, held + (now - since) * self._allowed / _MINUTE)
            left = held - 1.0
            self._counts.put(name, left if left >= 0 else held, now)
        return left


def _name(account_id: int, principal: Principal | None, address: str) -> str:
    if principal is None:
        return f"requests of address {address}"
    if principal.token_id:
        # Each account counts its own tokens.
        return f"requests of token {account_id}/{principal.token_id}"
    return f"requests of login {principal.user_id}"
