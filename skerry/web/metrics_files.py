"""Metrics of several processes: each worker of a server writes its metrics to a file.

The worker that is asked adds them up. Each worker writes every few seconds and before it responds, so that no
published counter decreases.
"""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from skerry.web.metrics import Metrics, Snapshot

EVERY_SECONDS = 5

# The periodic writer and the endpoint write the same file; the lock keeps their order.
_writing = Lock()


class MetricsFiles:
    """The files with the metrics of a server's workers."""

    def __init__(self, data: Path) -> None:
        """Create the files' folder on demand, inside the data folder."""
        self._folder = data / "metrics"

    def clear(self) -> None:
        """Remove the files of an earlier server's workers."""
        for path in self._folder.glob("*"):
            path.unlink(missing_ok=True)

    def write(self, take: Callable[[], Snapshot]) -> Snapshot:
        """Take the metrics of this worker, write them if the disk has room, and return them."""
        with _writing:
            snapshot = take()
            part = self._folder / f"{snapshot['process']}.part"
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                part.write_text(json.dumps(snapshot))
                part.replace(part.with_suffix(".json"))
        return snapshot

    def others(self) -> list[Snapshot]:
        """Return the metrics of the other workers, without the gauges of those that have ended."""
        paths = (path for path in self._folder.glob("*.json") if path.stem != str(os.getpid()))
        return [snapshot for path in paths if (snapshot := _read(path))]


def _read(path: Path) -> Snapshot | None:
    try:
        snapshot: Snapshot = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return snapshot if _lives(snapshot["process"]) else {**snapshot, "levels": {}}


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write_regularly(metrics: Metrics, shared: MetricsFiles) -> None:
    """Write a worker's metrics every few seconds, until the process ends."""
    while True:
        shared.write(metrics.snapshot)
        time.sleep(EVERY_SECONDS)
