"""Where the workers of one server write their figures down for each other.

Whichever worker is asked adds up what all of them wrote: each writes every few seconds, and again
before it is asked, so that no figure that was once shown goes back.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from threading import get_ident

from skerry.web.metrics import Metrics, Snapshot

EVERY_SECONDS = 5


class Board:
    """Where the workers of one server write their figures down: a file for each, in one folder."""

    def __init__(self, data: Path) -> None:
        """Use a folder inside the data folder; it may not be there yet."""
        self._folder = data / "metrics"

    def clear(self) -> None:
        """Forget what workers of an earlier server wrote."""
        for path in self._folder.glob("*"):
            path.unlink(missing_ok=True)

    def write(self, snapshot: Snapshot) -> None:
        """Write one worker's figures down, if the disk takes them."""
        name = str(snapshot["process"])
        # It is written every few seconds, and whenever somebody asks: each thread begins a file of its own.
        part = self._folder / f"{name}-{get_ident()}.part"
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(snapshot))
            part.replace(self._folder / f"{name}.json")

    def others(self) -> list[Snapshot]:
        """Give what the other workers wrote; those that have ended have no levels any more."""
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


def keep_written(metrics: Metrics, board: Board) -> None:
    """Write a worker's figures down every few seconds, for as long as the process lives."""
    while True:
        board.write(metrics.snapshot())
        time.sleep(EVERY_SECONDS)
