"""The composition root: settings become the built house."""

from dataclasses import dataclass
from functools import partial
from threading import Thread
from time import sleep
from typing import Self

from skerry import config
from skerry.config import Settings
from skerry.errors import Unavailable
from skerry.store import presence
from skerry.store.blobs import Blobs
from skerry.store.database import Database
from skerry.store.sweeping import sweep
from skerry.web.application import application
from skerry.web.front import Application
from skerry.web.hallway import Hallway
from skerry.web.log import Log

SWEEP_SECONDS = 6 * 3600


@dataclass(frozen=True)
class House:
    """A built house: its settings, its database, its files, its log, and the application that serves it."""

    settings: Settings
    database: Database
    blobs: Blobs
    log: Log
    application: Application

    def __enter__(self) -> Self:
        """Live in the house for a while."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close every connection."""
        self.database.close()

    def sweep(self) -> int:
        """Remove files that nobody refers to and say how many, unless another process is at it."""
        with self.blobs.alone() as alone:
            return sweep(self.database, self.blobs) if alone else 0


def build(settings: Settings, log: Log | None = None) -> House:
    """Build everything from the settings; raises ValueError in words for settings that do not fit."""
    log = log or Log(settings.log_format)
    blobs = Blobs(settings.data, settings.blobs)
    database = Database(settings.database, blobs=blobs, report=partial(log.failure, "after a commit", ""))
    hallway = Hallway(database, blobs, settings, log)
    return House(settings, database, blobs, log, application(hallway))


def serve() -> Application:
    """Give the application for a server's worker, built from the environment."""
    house = build(config.load())
    presence.stay(house.settings.data)
    Thread(target=keep_swept, args=(house,), name="sweep", daemon=True).start()
    return house.application


def keep_swept(house: House) -> None:
    """Remove files that nobody refers to, now and every few hours, for as long as the process lives."""
    while True:
        try:
            swept = house.sweep()
        except Unavailable as trouble:
            house.log.failure("sweep", "", trouble)
        else:
            if swept:
                house.log.event("sweep", removed=swept)
        sleep(SWEEP_SECONDS)
