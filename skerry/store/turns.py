"""Writers to a file: one at a time, of the threads of a process and of all processes."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, get_ident
from typing import BinaryIO

from skerry.errors import Unavailable

PATIENCE_SECONDS = 20
"""A writer waits this long for another one before the caller is told to come back."""


class Turn:
    """Something that one thread has at a time."""

    def __init__(self) -> None:
        """Begin with nobody's."""
        self._lock = Lock()
        self._whose: int | None = None

    def begin(self) -> None:
        """Have the turn, if this thread has not; raises Unavailable if others have it for too long."""
        if self._whose == get_ident():
            return
        if not self._lock.acquire(timeout=PATIENCE_SECONDS):
            raise Unavailable
        self._whose = get_ident()

    def end(self) -> None:
        """Let the next one have it, unless this thread has it no longer."""
        if self._whose == get_ident():
            self._whose = None
            self._lock.release()


class Queue:
    """A file at which processes wait for each other, each with one thread at a time."""

    def __init__(self, path: Path) -> None:
        """Open nothing yet."""
        self._path = path
        self._opened: tuple[int, BinaryIO] | None = None

    @contextmanager
    def front(self) -> Iterator[None]:
        """Wait for those who came before, and let the next one wait.

        Raises Unavailable if the file cannot be opened.
        """
        file = self._file()
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)

    def _file(self) -> BinaryIO:
        # A process that was split off another must not share its place in the queue.
        if self._opened is None or self._opened[0] != os.getpid():
            try:
                self._opened = os.getpid(), self._path.open("ab")
            except OSError as error:
                raise Unavailable from error
        return self._opened[1]

    def close(self) -> None:
        """Leave the queue; who waits again enters it again."""
        if self._opened:
            self._opened[1].close()
            self._opened = None
