"""The metrics of one process."""

import os
import resource
import sys
from bisect import bisect_left
from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import Any

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram's buckets in seconds; one more bucket follows the last."""

ROUTE = "skerry.route"
"""The key in the scope of a request for the template of the matched path."""

OTHER = "other"

KINDS = ("read", "write")
"""The kinds of transactions."""

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""Other methods are counted as one: each would be a new series, or put a secret into the log."""

Snapshot = dict[str, Any]
"""The metrics of a process as JSON values."""

Row = list[Any]
"""A row of a snapshot: the labels of a series, then its numbers."""


class Level:
    """A gauge of how many ``with`` blocks are active."""

    def __init__(self) -> None:
        """Create a gauge at zero."""
        self.now = 0
        self._lock = Lock()

    def __enter__(self) -> None:
        """Increment the gauge."""
        with self._lock:
            self.now += 1

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Decrement the gauge."""
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
        """Create metrics at zero.

        ``pool`` returns the number of connections in use, ``waiting`` that of queued calls, ``streams`` that
        of event streams.
        """
        self._waiting, self._streams = waiting, streams
        self.in_progress = Level()
        self._pool = pool
        self._requests: dict[tuple[str, str, str], list[float]] = {}
        self._transactions: dict[str, list[float]] = {kind: [0, 0.0] for kind in KINDS}
        self._lock = Lock()

    def request(self, method: str, route: str | None, status: str, seconds: float) -> None:
        """Count a response; ``route`` is the template of the path, or None for an unknown path."""
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
        """Return all metrics as JSON values."""
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
    """Return the peak memory in bytes; the system reports kilobytes, macOS bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _open_files() -> int:
    try:
        return len(os.listdir("/dev/fd"))  # noqa: PTH208 - names are enough
    except OSError:
        return 0
