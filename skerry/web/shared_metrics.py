"""Metrics of several processes: the workers of one server write their figures down for each other.

Whichever worker is asked adds up what all of them wrote: each writes every few seconds, and again
before it is asked, so that no figure that was once shown goes back.
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

# Who writes every few seconds and who is asked write the same file: what is older comes first.
_writing = Lock()


class SharedMetrics:
    """Where the workers of one server write their figures down: a file for each, in one folder."""

    def __init__(self, data: Path) -> None:
        """Use a folder inside the data folder; it may not be there yet."""
        self._folder = data / "metrics"

    def clear(self) -> None:
        """Forget what workers of an earlier server wrote."""
        for path in self._folder.glob("*"):
            path.unlink(missing_ok=True)

    def write(self, take: Callable[[], Snapshot]) -> Snapshot:
        """Take one worker's figures, write them down if the disk takes them, and return them."""
        with _writing:
            snapshot = take()
            part = self._folder / f"{snapshot['process']}.part"
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                part.write_text(json.dumps(snapshot))
                part.replace(part.with_suffix(".json"))
        return snapshot

    def others(self) -> list[Snapshot]:
        """Return what the other workers wrote; those that have ended have no levels any more."""
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


def keep_written(metrics: Metrics, shared: SharedMetrics) -> None:
    """Write a worker's figures down every few seconds, for as long as the process lives."""
    while True:
        shared.write(metrics.snapshot)
        time.sleep(EVERY_SECONDS)
