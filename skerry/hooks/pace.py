"""The pace of deliveries: a fixed one, because a process cannot tell how busy the machine is."""

from asyncio import sleep
from time import monotonic

INTERVAL = 0.005
"""Seconds between two deliveries of a process, so that they leave the processor to requests."""


BURST = 0.1
"""The unused turns of so many seconds may be taken later."""


class Pace:
    """Makes the tasks of a loop wait for their turn."""

    def __init__(self) -> None:
        self._next = 0.0

    async def wait(self) -> None:
        """Sleep until the next turn."""
        now = monotonic()
        self._next = max(self._next, now - BURST) + INTERVAL
        if self._next > now:
            await sleep(self._next - now)
