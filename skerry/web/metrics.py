"""The metrics of one process, counted cheaply."""

import os
import resource
import sys
from bisect import bisect_left
from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import Any

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper ends of the histogram's steps in seconds; above the last there is one more."""

ROUTE = "skerry.route"
"""Where the scope of a request holds the template of the address that it matched."""

OTHER = "other"

KINDS = ("read", "write")
"""What transactions are."""

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""Anything else is not told from one another: it would be a series of its own, or a secret in the log."""

Snapshot = dict[str, Any]
"""The metrics of a process as values for JSON."""

Row = list[Any]
"""A row of a snapshot: the names of a series, then its numbers."""


class Level:
    """A gauge of how many are inside a ``with`` at the moment."""

    def __init__(self) -> None:
        """Start empty."""
        self.now = 0
        self._lock = Lock()

    def __enter__(self) -> None:
        """Count one more."""
        with self._lock:
            self.now += 1

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Count one less."""
        with self._lock:
            self.now -= 1


class Metrics:
    """The metrics of one process since it started."""

    def __init__(
        self,
        pool: Callable[[], int] = lambda: 0,
        waiting: Callable[[], int] = lambda: 0,
        streams: Callable[[], int] = lambda: 0,
    ) -> None:
        """Start at zero.

        ``pool`` returns the connections in use, ``waiting`` the calls that wait, ``streams`` those of events.
        """
        self._waiting, self._streams = waiting, streams
        self.in_progress = Level()
        self._pool = pool
        self._requests: dict[tuple[str, str, str], list[float]] = {}
        self._transactions: dict[str, list[float]] = {kind: [0, 0.0] for kind in KINDS}
        self._lock = Lock()

    def request(self, method: str, route: str | None, status: str, seconds: float) -> None:
        """Count a response; ``route`` is the template of the path, None for an unknown path."""
        key = (method if method in METHODS else OTHER, route or OTHER, status)
        step = bisect_left(BOUNDS, seconds) + 1
        with self._lock:
            counts = self._requests.get(key)
            if counts is None:
                # The sum of seconds, then the number of requests in each bucket.
                counts = self._requests[key] = [0.0] * (len(BOUNDS) + 2)
            counts[0] += seconds
            counts[step] += 1

    def transaction(self, kind: str, seconds: float) -> None:
        """Count a transaction and its duration."""
        with self._lock:
            counts = self._transactions[kind]
            counts[0] += 1
            counts[1] += seconds

    def snapshot(self) -> Snapshot:
        """Return all metrics as values for JSON."""
        with self._lock:
            requests = [[*key, *counts] for key, counts in self._requests.items()]
            transactions = {kind: list(counts) for kind, counts in self._transactions.items()}
        return {
            "process": os.getpid(),
            "requests": requests,
            "transactions": transactions,
            "cpu_seconds": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
            "levels": {
                "requests_in_progress": self.in_progress.now,
                "requests_waiting": self._waiting(),
                "database_connections_in_use": self._pool(),
                "resident_memory_bytes": _resident(),
                "open_files": _open_files(),
                "event_streams": self._streams(),
                "workers": 1,
            },
        }


def _resident() -> int:
    """Return the peak memory in bytes; the system counts in kilobytes, macOS in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _open_files() -> int:
    try:
        return len(os.listdir("/dev/fd"))  # noqa: PTH208 - names are enough
    except OSError:
        return 0
