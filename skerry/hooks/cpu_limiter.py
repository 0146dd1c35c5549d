"""Limits the share of the processor that sending uses: small while requests are handled, else large."""

import asyncio
from time import monotonic, process_time, thread_time

SHARE = 0.8

SHARES = ((0.4, 0.03), (0.2, 0.1), (0.05, 0.2), (0, SHARE))
"""The share for sending, by the least share of a processor that the rest of the process uses."""

_WINDOW = 0.25

# Shorter sleeps take longer than requested.
_MIN_REST = 0.005

# Fewer transactions leave more of the lock and the disk to requests.
_GATHERING = 0.2


class CpuLimiter:
    """A rate limiter that makes the tasks of a loop sleep so that they stay within their share."""

    def __init__(self) -> None:
        """Start measuring the processor time of this thread and of the process."""
        self._share, self._elsewhere = SHARES[0][1], 0.0
        self._counted = self._sending()
        self._free_at = monotonic()
        self._look()

    def note(self, seconds: float) -> None:
        """Add processor time that another thread spent on sending."""
        self._elsewhere += seconds

    @property
    def batch_seconds(self) -> float:
        """Return for how many seconds calls are gathered into one."""
        return _GATHERING if self._share < SHARE else 0

    def _sending(self) -> float:
        return thread_time() + self._elsewhere

    async def wait(self) -> None:
        """Sleep until the work since the last call is within the share."""
        sending, now = self._sending(), monotonic()
        spent, self._counted = sending - self._counted, sending
        if now - self._window[0] > _WINDOW:
            self._adapt(now)
        self._free_at = max(now, self._free_at) + spent * (1 / self._share - 1)
        if self._free_at - now >= _MIN_REST:
            await asyncio.sleep(self._free_at - now)

    def _look(self) -> None:
        self._window = (monotonic(), process_time(), self._sending())

    def _adapt(self, now: float) -> None:
        """Adjust the share to how busy the rest of the process was since the last adjustment."""
        began, everything, sending = self._window
        others = (process_time() - everything) - (self._sending() - sending)
        self._share = next((share for least, share in SHARES if others >= least * (now - began)), SHARE)
        self._look()
