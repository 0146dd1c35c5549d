"""Locks for writers to a file: one at a time, of the threads of a process and of all processes."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread, get_ident
from typing import BinaryIO

from skerry.errors import Unavailable

PATIENCE_SECONDS = 20
"""A writer waits this long for another one before the caller is told to come back."""


class ThreadLock:
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


class FileLock:
    """A file at which processes wait for each other, each with one thread at a time."""

    def __init__(self, path: Path) -> None:
        """Open nothing yet."""
        self._path = path
        self._opened: tuple[int, BinaryIO] | None = None
        self._waiter: LockWaiter | None = None

    @contextmanager
    def front(self, *, patient: bool = False) -> Iterator[None]:
        """Wait for those who came before, and let the next one wait.

        Raises Unavailable if the file cannot be opened, or if others are at the front for too long
        and this one is not ``patient``.
        """
        file = self._file()
        self._enter(file, None if patient else PATIENCE_SECONDS)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)

    def _enter(self, file: BinaryIO, seconds: float | None) -> None:
        # Whoever gave up has left somebody behind, who may have come far by now.
        if self._waiter is None or not self._waiter.goes_on():
            if lock_if_free(file):
                return
            self._waiter = LockWaiter(file)
        if not self._waiter.came_within(seconds):
            raise Unavailable
        self._waiter = None

    def _file(self) -> BinaryIO:
        # A process that was split off another must not share its place in the queue.
        if self._opened is None or self._opened[0] != os.getpid():
            try:
                self._opened, self._waiter = (os.getpid(), self._path.open("ab")), None
            except OSError as error:
                raise Unavailable from error
        return self._opened[1]

    def close(self) -> None:
        """Leave the queue; who waits again enters it again."""
        if self._opened:
            self._opened[1].close()
            self._opened = None


def lock_if_free(file: BinaryIO | int) -> bool:
    """Lock a file if nobody else has; say whether that was so."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class LockWaiter:
    """A thread that waits for a locked file, so that whoever sent it can give up.

    The kernel wakes those who wait, who cannot be called back, and nobody who only asks now and then.
    """

    def __init__(self, file: BinaryIO) -> None:
        """Begin to wait."""
        self._file = file
        self._lock = Lock()
        self._came = Event()
        self._wanted = True
        Thread(target=self._wait, name="queue", daemon=True).start()

    def _wait(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        with self._lock:
            self._came.set()
            if not self._wanted and not self._file.closed:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def came_within(self, seconds: float | None) -> bool:
        """Say whether the file is locked within so many seconds; if not, it is let go as soon as it is."""
        self._came.wait(seconds)
        with self._lock:
            self._wanted = self._came.is_set()
            return self._wanted

    def goes_on(self) -> bool:
        """Say whether the file is still waited for; if so, it is not let go any more."""
        with self._lock:
            self._wanted = not self._came.is_set()
            return self._wanted
