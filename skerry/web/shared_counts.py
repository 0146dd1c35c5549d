"""Counts that all workers of a server have in common."""

import fcntl
import mmap
import os
import struct
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

MOST = 1 << 17
"""So many keys are remembered at most, with 24 bytes of memory for each that was."""

_PLACE = struct.Struct("Qdd")
_NEIGHBOURS = 8
_ROW = _PLACE.size * _NEIGHBOURS


class SharedCounts:
    """A number and a moment for each of many keys, in memory that forked processes share.

    Who is forked from the process that made it sees and changes the same; nothing outlives them all.
    Each key may stand at one of eight places, which it shares with others: where all are taken, the key
    with the earliest moment is forgotten.
    """

    def __init__(self, most: int = MOST) -> None:
        """Remember so many keys at most, which is a multiple of eight; raises OSError without memory."""
        self._rows = most // _NEIGHBOURS
        self._file = _memory()
        weakref.finalize(self, os.close, self._file)
        os.truncate(self._file, self._rows * _ROW)
        self._places = mmap.mmap(self._file, self._rows * _ROW)
        # The lock of the file is the process's; one that is killed loses it.
        self._lock = Lock()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep all others from changing anything, in this process and in those beside it."""
        with self._lock:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def get(self, key: str) -> tuple[float, float] | None:
        """Give a key's number and moment, None for one that is not remembered.

        Whoever is not alone may see one of the two as it was before.
        """
        mark, row = self._mark(key)
        for place in range(row, row + _ROW, _PLACE.size):
            found, number, moment = _PLACE.unpack_from(self._places, place)
            if found == mark:
                return number, moment
        return None

    def put(self, key: str, number: float, moment: float) -> None:
        """Remember a key's number and moment; for whoever is alone."""
        mark, row = self._mark(key)
        places = range(row, row + _ROW, _PLACE.size)
        moments = {}
        for place in places:
            found, _, known = _PLACE.unpack_from(self._places, place)
            if found == mark:
                break
            moments[place] = known
        else:
            # An empty place has the earliest moment of all.
            place = min(moments, key=moments.__getitem__)
        _PLACE.pack_into(self._places, place, mark, number, moment)

    def _mark(self, key: str) -> tuple[int, int]:
        # Forked processes have the secret of this hash in common. No key has the mark of an empty place.
        mark = hash(key) & 0xFFFF_FFFF_FFFF_FFFF or 1
        return mark, mark % self._rows * _ROW


def _memory() -> int:
    """Open a file that is nothing but memory, or elsewhere than on Linux one without a name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("skerry-counts")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
