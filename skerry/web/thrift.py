"""Thrift: memory that large answers needed goes back to the machine and is not kept for the next ones.

What is freed between things that are still in use stays with the C library until that is told to look
through all it has. Without that a worker holds for good several times what the largest answers took.
"""

import ctypes
import os
import time
from contextlib import suppress
from pathlib import Path

LOOK_SECONDS = 5.0
"""How often a process looks at what it holds."""

APART_BYTES = 64 << 20
"""What is held must differ by so much for a look through everything, for which others may have to wait."""

_PAGE = os.sysconf("SC_PAGE_SIZE")


class Thrift:
    """Gives free memory back where a process holds much more, or much less, than after the last time."""

    def __init__(self) -> None:
        """Begin with what is held now."""
        self._left = _held()

    def look(self) -> None:
        """Give back what is free if there may be much of it.

        What has grown may still be in use, and is looked at again once it has shrunk.
        """
        if abs(_held() - self._left) > APART_BYTES:
            _give_back()
            self._left = _held()

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
