"""How much of the processor sending may take: little while requests are answered, else most of it."""

import asyncio
from time import monotonic, process_time, thread_time

SHARE = 0.8

SHARES = ((0.4, 0.03), (0.2, 0.1), (0.05, 0.2), (0, SHARE))
"""How much sending may take where everything else in the process takes at least so much of a processor."""

_WINDOW = 0.25

# Waiting for less takes longer than it should.
_LEAST_REST = 0.005

# Each transaction that is saved while requests are answered leaves them the lock and the disk.
_GATHERING = 0.2


class Pace:
    """Lets the tasks of a loop rest so long that they take their share and no more."""

    def __init__(self) -> None:
        """Begin to count the time of this thread and of the process."""
        self._share, self._elsewhere = SHARES[0][1], 0.0
        self._counted = self._sending()
        self._free_at = monotonic()
        self._look()

    def note(self, seconds: float) -> None:
        """Count time of a processor that another thread took for sending."""
        self._elsewhere += seconds

    @property
    def gathers(self) -> float:
        """Return for how many seconds calls are gathered that are then carried out as one."""
        return _GATHERING if self._share < SHARE else 0

    def _sending(self) -> float:
        return thread_time() + self._elsewhere

    async def rest(self) -> None:
        """Wait until what was done since the last call is within the share."""
        sending, now = self._sending(), monotonic()
        spent, self._counted = sending - self._counted, sending
        if now - self._window[0] > _WINDOW:
            self._adapt(now)
        self._free_at = max(now, self._free_at) + spent * (1 / self._share - 1)
        if self._free_at - now >= _LEAST_REST:
            await asyncio.sleep(self._free_at - now)

    def _look(self) -> None:
        self._window = (monotonic(), process_time(), self._sending())

    def _adapt(self, now: float) -> None:
        """Look how busy the process was with something else since the last look."""
        began, everything, sending = self._window
        others = (process_time() - everything) - (self._sending() - sending)
        self._share = next((share for least, share in SHARES if others >= least * (now - began)), SHARE)
        self._look()
