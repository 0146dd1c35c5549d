"""Durable commits on SQLite: a commit is acknowledged only after it has reached the disk."""

import os
from pathlib import Path
from threading import Condition, local
from typing import BinaryIO

from skerry.errors import Unavailable

# Not every system can skip the timestamps of the file.
_FLUSH = getattr(os, "fdatasync", os.fsync)


class _Writer(local):
    """The number of failures that a thread had seen when it began to write."""

    failures = 0


class Disk:
    """Waits until commits are on disk; one flush serves many of them.

    SQLite itself would flush while it holds the write lock. Flushing after the commit lets the next writer
    proceed, and all transactions that committed before the flush began share it.
    """

    def __init__(self, database: Path) -> None:
        """Create an object that flushes the log of the database at a path."""
        # If the path is a symbolic link, the log is beside the target.
        self._log = Path(f"{database.resolve()}-wal")
        self._changed = Condition()
        self._running = False
        self._begun = 0
        self._done = 0
        self._failures = 0
        self._writer = _Writer()
        self._opened: BinaryIO | None = None

    def prepare(self) -> None:
        """Open the log before writing anything that could not be flushed later; raises Unavailable.

        The writer calls this; its connection keeps the log from being replaced. Much of a large change is
        written to the log before it is committed.
        """
        try:
            if not self._is_open():
                self._replace(self._log.open("rb", buffering=0))
        except OSError as error:
            raise Unavailable from error
        self._writer.failures = self._failures

    def _is_open(self) -> bool:
        return self._opened is not None and os.path.samestat(
            os.fstat(self._opened.fileno()), self._log.stat()
        )

    def _replace(self, opened: BinaryIO | None) -> None:
        with self._changed:
            while self._running:
                self._changed.wait()
            old, self._opened = self._opened, opened
        if old:
            old.close()

    def close(self) -> None:
        """Close the log; the next writer opens it again."""
        self._replace(None)

    def settle(self) -> None:
        """Wait until everything that this thread wrote since ``prepare`` would survive a power failure.

        Raises Unavailable if the flush fails.
        """
        with self._changed:
            # A flush that is already running may have begun before the commit.
            mine = self._begun + 1
            while self._done < mine and self._running:
                self._changed.wait()
            if self._failures > self._writer.failures:
                # The system reports a failed write only once, which may include the writes of this thread;
                # another flush would succeed without them.
                raise Unavailable
            if self._done >= mine:
                return
            self._begun, self._running = mine, True
        self._lead(mine)

    def _lead(self, mine: int) -> None:
        done = False
        try:
            self._flush()
            done = True
        except OSError as error:
            raise Unavailable from error
        finally:
            with self._changed:
                self._running = False
                if done:
                    self._done = mine
                else:
                    self._failures += 1
                self._changed.notify_all()

    def _flush(self) -> None:
        # What was committed before the log was closed is in the database: SQLite flushed both.
        if self._opened:
            _FLUSH(self._opened.fileno())
