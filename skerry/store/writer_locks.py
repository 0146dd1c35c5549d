"""Locks for writers to SQLite: one at a time, among the threads of a process and among all processes.

A writer waits for the other threads of its process with a ``ThreadLock``, then for other processes with
a ``FileLock``.
"""

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
    """A lock that belongs to a thread, which may take it again and let it go early."""

    def __init__(self) -> None:
        """Begin unlocked."""
        self._lock = Lock()
        self._whose: int | None = None

    def begin(self) -> None:
        """Take the lock, unless this thread has it; raises Unavailable if others have it for too long."""
        if self._whose == get_ident():
            return
        if not self._lock.acquire(timeout=PATIENCE_SECONDS):
            raise Unavailable
        self._whose = get_ident()

    def end(self) -> None:
        """Let the lock go, if this thread still has it."""
        if self._whose == get_ident():
            self._whose = None
            self._lock.release()


class FileLock:
    """A lock on a file, for one process at a time; each process uses it with one thread at a time."""

    def __init__(self, path: Path) -> None:
        """Open nothing yet."""
        self._path = path
        self._opened: tuple[int, BinaryIO] | None = None
        self._waiter: LockWaiter | None = None

    @contextmanager
    def front(self, *, patient: bool = False) -> Iterator[None]:
        """Have the lock for a while.

        Raises Unavailable if the file cannot be opened, or if others have the lock for too long and this
        one is not ``patient``.
        """
        file = self._file()
        self._enter(file, None if patient else PATIENCE_SECONDS)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)

    def _enter(self, file: BinaryIO, seconds: float | None) -> None:
        try:
            # A caller that gave up has left its waiting thread behind, which may be near the front by now.
            if self._waiter is None or not self._waiter.goes_on():
                if lock_if_free(file):
                    return
                self._waiter = LockWaiter(file)
            came = self._waiter.came_within(seconds)
        except OSError as error:
            # A disk elsewhere may refuse locks for a while.
            self._waiter = None
            raise Unavailable from error
        if not came:
            raise Unavailable
        self._waiter = None

    def _file(self) -> BinaryIO:
        # A forked process must open the file itself: with the same open file it would share the lock.
        if self._opened is None or self._opened[0] != os.getpid():
            try:
                self._opened, self._waiter = (os.getpid(), self._path.open("ab")), None
            except OSError as error:
                raise Unavailable from error
        return self._opened[1]

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
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
    """A thread that waits for a locked file, so that its caller can give up.

    The kernel gives the lock to those that block for it, and a thread that blocks cannot be interrupted.
    Asking for it now and then without blocking would seldom get it.
    """

    def __init__(self, file: BinaryIO) -> None:
        """Begin to wait."""
        self._file = file
        self._lock = Lock()
        self._came = Event()
        self._refused: OSError | None = None
        self._wanted = True
        Thread(target=self._wait, name="queue", daemon=True).start()

    def _wait(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError as error:
            self._refused = error
        with self._lock:
            self._came.set()
            if self._refused is None and not self._wanted and not self._file.closed:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def came_within(self, seconds: float | None) -> bool:
        """Say whether the lock came within so many seconds; if not, it is let go again when it comes.

        Raises OSError if it was refused.
        """
        self._came.wait(seconds)
        if self._refused:
            raise self._refused
        with self._lock:
            self._wanted = self._came.is_set()
            return self._wanted

    def goes_on(self) -> bool:
        """Say whether the thread still waits for the lock; if so, the lock is kept when it comes."""
        with self._lock:
            self._wanted = not self._came.is_set()
            return self._wanted
