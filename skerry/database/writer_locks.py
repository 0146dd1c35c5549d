"""The lock for writers to SQLite: one at a time, among the threads of a process and among all processes."""

import fcntl
from collections.abc import Iterator
from concurrent.futures import Future, wait
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from threading import Lock, Thread
from time import monotonic, sleep
from typing import BinaryIO

from skerry.errors import Unavailable
from skerry.filesystem import lock_if_free

TIMEOUT_SECONDS = 20
"""How long a writer waits for another one before the client is told to retry."""

LONG_SECONDS, PAUSE_SECONDS = 0.05, 0.01
"""How long a writer holds the lock before it pauses for others, and how long it pauses."""


class WriterLock:
    """A lock on a file, held by one thread of one process."""

    def __init__(self, path: Path | None) -> None:
        """Create an unlocked lock; without a path it only covers the threads of this process."""
        self._path = path
        self._threads = Lock()

    @contextmanager
    def held(self, *, wait_forever: bool = False) -> Iterator[None]:
        """Hold the lock in a block.

        Raises Unavailable if the file cannot be opened or locked, or if others hold the lock for too long and
        this caller is not ``wait_forever``.
        """
        seconds = None if wait_forever else TIMEOUT_SECONDS
        if not self._threads.acquire(timeout=-1 if seconds is None else seconds):
            raise Unavailable
        began = monotonic()
        try:
            # Closing the file releases the lock.
            with closing(_locked(self._path, seconds)) if self._path else nullcontext():
                began = monotonic()
                yield
        finally:
            self._threads.release()
            if monotonic() - began > LONG_SECONDS:
                # A long holder often takes the lock again at once; the pause lets those who have waited
                # wake up.
                sleep(PAUSE_SECONDS)


def _locked(path: Path, seconds: float | None) -> BinaryIO:
    """Open a file and lock it; a lock that is acquired too late is released at once."""
    try:
        # Each writer opens the file: an open file that a forked process shares would share its lock.
        file = path.open("ab")
    except OSError as error:
        raise Unavailable from error
    try:
        if lock_if_free(file):
            return file
    except OSError as error:
        # A network disk may refuse locks for a while.
        file.close()
        raise Unavailable from error
    return _waited_for(file, seconds)


def _waited_for(file: BinaryIO, seconds: float | None) -> BinaryIO:
    # The kernel wakes blocked threads at once, but a blocked thread cannot be interrupted, so another thread
    # blocks. Polling rarely meets a moment at which the lock is free: it took seconds.
    locked: Future[BinaryIO] = Future()
    Thread(target=_wait, args=(file, locked), name="writer lock", daemon=True).start()
    wait([locked], seconds)
    if locked.cancel():
        raise Unavailable
    try:
        return locked.result()
    except OSError as error:
        raise Unavailable from error


def _wait(file: BinaryIO, locked: "Future[BinaryIO]") -> None:
    error: OSError | None = None
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError as refused:
        error = refused
    if not locked.set_running_or_notify_cancel():
        file.close()
    elif error:
        file.close()
        locked.set_exception(error)
    else:
        locked.set_result(file)
