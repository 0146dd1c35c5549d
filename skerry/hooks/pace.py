"""How much of the processor sending may take: little while requests are answered, else most of it."""

import asyncio
from time import monotonic, process_time, thread_time

SHARE_BESIDE_REQUESTS = 0.1
SHARE = 0.8

_BUSY = 0.25
"""A process is busy if all but sending takes at least this share of a processor."""

_WINDOW = 0.25


class Pace:
    """Lets the tasks of a loop rest so long that they take their share and no more."""

    def __init__(self) -> None:
        """Begin to count the time of this thread and of the process."""
        self._share, self._elsewhere = SHARE, 0.0
        self._counted = self._sending()
        self._free_at = monotonic()
        self._look()

    def note(self, seconds: float) -> None:
        """Count time of a processor that another thread took for sending."""
        self._elsewhere += seconds

    def _sending(self) -> float:
        return thread_time() + self._elsewhere

    async def rest(self) -> None:
        """Wait until what was done since the last call is within the share."""
        sending, now = self._sending(), monotonic()
        spent, self._counted = sending - self._counted, sending
        if now - self._window[0] > _WINDOW:
            self._adapt(now)
        self._free_at = max(now, self._free_at) + spent * (1 / self._share - 1)
        await asyncio.sleep(self._free_at - now)

    def _look(self) -> None:
        self._window = (monotonic(), process_time(), self._sending())

    def _adapt(self, now: float) -> None:
        """Look how busy the process was with something else since the last look."""
        began, everything, sending = self._window
        others = (process_time() - everything) - (self._sending() - sending)
        self._share = SHARE_BESIDE_REQUESTS if others > _BUSY * (now - began) else SHARE
        self._look()
