"""The composition root: builds the house, the application and all that it works with, from the settings."""

import gc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.util import Finalize
from threading import Thread
from time import sleep
from typing import Self

from skerry import config
from skerry.config import Settings
from skerry.errors import Collision, Unavailable
from skerry.store import events, folder_lock, idempotency, renewal
from skerry.store.blobs import Blobs
from skerry.store.database import Database
from skerry.store.sweeping import sweep
from skerry.tracker import quotas, sessions
from skerry.web import slots, tcp_connections
from skerry.web.application import application
from skerry.web.front import Application
from skerry.web.hallway import Hallway
from skerry.web.log import Log
from skerry.web.memory_trimming import MemoryTrimmer
from skerry.web.metrics import Metrics
from skerry.web.shared_counts import SharedCounts
from skerry.web.shared_metrics import SharedMetrics, keep_written
from skerry.web.transfers import Transfers
from skerry.web.usage import Usage

SWEEP_SECONDS = 6 * 3600

# Made as the program is loaded, so that all workers that are forked from there have them in common.
_COUNTS = SharedCounts()


@dataclass(frozen=True)
class House:
    """A built house: settings, database, files, log, figures, and the application that serves them."""

    settings: Settings
    database: Database
    blobs: Blobs
    log: Log
    metrics: Metrics
    transfers: Transfers
    usage: Usage
    application: Application

    def __enter__(self) -> Self:
        """Use the house for a while."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close every connection."""
        self.database.close()

    def sweep(self) -> int:
        """Remove files that nothing refers to, and old sessions, invitations, kept answers and events.

        Say how many; none while another process does this.
        """
        with self.blobs.alone() as alone:
            if not alone:
                return 0
            forgotten = sessions.forget(self.database) + idempotency.forget(self.database)
            forgotten += quotas.forget(self.database) + events.forget(self.database)
            return sweep(self.database, self.blobs) + forgotten


def build(settings: Settings, log: Log | None = None, counts: SharedCounts | None = None) -> House:
    """Build everything from the settings; raises ValueError with a sentence for settings that do not fit.

    ``counts`` has what callers do too often, in all workers; without it that is counted in this process.
    """
    log = log or Log(settings.log_format)
    blobs = Blobs(settings.data, settings.blobs)
    database = Database(
        settings.database,
        settings.connections,
        blobs=blobs,
        report=partial(_say_failed_after, log),
        durable=settings.durability == "full",
        read_seconds=settings.read_seconds,
    )
    metrics = Metrics(database.connections_in_use)
    database.observe = metrics.transaction
    hallway = Hallway(database, blobs, settings, log, counts or SharedCounts())
    transfers = Transfers(settings.body_seconds, *slots.here())
    inside = application(hallway, metrics, transfers)
    return House(settings, database, blobs, log, metrics, transfers, hallway.authentication.usage, inside)


def _say_failed_after(log: Log, error: Exception) -> None:
    """Log what failed after a commit; without a trace if only the disk or the bucket is away."""
    if isinstance(error, Unavailable):
        log.event("after a commit", reason=error.reason)
    else:
        log.failure("after a commit", "", error)


def serve() -> Application:
    """Give the application for a server's worker, built from the environment."""
    house = build(config.load(), counts=_COUNTS)
    folder_lock.stay(house.settings.data)
    with suppress(OSError):  # the disk may be read-only
        renewal.forget_part(house.database)
    figures = SharedMetrics(house.settings.data)
    besides: dict[str, Callable[[], None]] = {
        "sweep": partial(keep_swept, house),
        "keepalive": tcp_connections.keep_alive,
        "transfers": house.transfers.watch,
        "usage": partial(house.usage.keep_written, house.database),
        "memory": MemoryTrimmer().keep,
        "figures": partial(keep_written, house.metrics, figures),
    }
    # A reload loses nothing that was counted. What atexit keeps is never run in a process of multiprocessing.
    Finalize(None, figures.write, args=(house.metrics.snapshot,), exitpriority=0)
    for name, work in besides.items():
        Thread(target=work, name=name, daemon=True).start()
    # What is built now stays, so the garbage collector need not look through it again.
    gc.collect()
    gc.freeze()
    return house.application


def keep_swept(house: House) -> None:
    """Sweep now and every few hours, for as long as the process lives."""
    while True:
        try:
            swept = house.sweep()
        except (Collision, Unavailable) as trouble:
            house.log.event("sweep", put_off=str(trouble))
        else:
            if swept:
                house.log.event("sweep", removed=swept)
        sleep(SWEEP_SECONDS)
