"""Trimming: memory that large answers needed goes back to the machine and is not kept for the next ones.

What is freed between things that are still in use stays with the C library until that is told to look
through all it has. Without that a worker holds for good several times what the largest answers took.
"""

import ctypes
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LOOK_SECONDS = 5.0
"""How often a process looks at what it holds."""

LONGEST_PAUSE = 12
"""A process that holds much is looked through after so many looks at the latest, which is once a minute."""

APART_BYTES = 64 << 20
"""What is held must differ by so much for a look through everything, for which others may have to wait."""

_PAGE = os.sysconf("SC_PAGE_SIZE")


class MemoryTrimmer:
    """Gives free memory back where a process holds much more, or much less, than after the last time."""

    def __init__(
        self, held: Callable[[], int] | None = None, give_back: Callable[[], None] | None = None
    ) -> None:
        """Begin with what is held now; both ways to the system can be replaced."""
        self._held, self._give_back = held or _held, give_back or _give_back
        self._left = self._least = self._held()
        self._looks, self._pause = 0, 1

    def look(self) -> None:
        """Give back what is free if there may be much of it.

        What was in use may be free by the next look without being seen from outside. So where much was
        left, everything is looked through again after one look more, then after two, four, eight and so on.
        """
        self._looks += 1
        if abs(self._held() - self._left) > APART_BYTES:
            self._pause = 1
        elif self._left - self._least > APART_BYTES and self._looks >= self._pause:
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        else:
            return
        self._give_back()
        self._looks, self._left = 0, self._held()
        self._least = min(self._least, self._left)

    def keep(self) -> None:
        """Look every few seconds, for as long as the process lives."""
        while True:
            time.sleep(LOOK_SECONDS)
            self.look()


def _held() -> int:
    """Give the bytes that are in nobody else's memory and in no file, 0 where the system does not say."""
    try:
        _, resident, shared, *_ = Path("/proc/self/statm").read_text().split()
    except OSError:
        return 0
    return (int(resident) - int(shared)) * _PAGE


def _give_back() -> None:
    # Other C libraries than glibc have no such thing.
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
