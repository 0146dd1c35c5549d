"""The composition root: settings become the built house."""

from dataclasses import dataclass
from typing import Self

from skerry import config
from skerry.config import Settings
from skerry.store.database import Database
from skerry.web.application import application
from skerry.web.front import Application
from skerry.web.hallway import Hallway
from skerry.web.log import Log


@dataclass(frozen=True)
class House:
    """A built house: its settings, its database, and the application that serves it."""

    settings: Settings
    database: Database
    application: Application

    def __enter__(self) -> Self:
        """Live in the house for a while."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close every connection."""
        self.database.close()


def build(settings: Settings, log: Log | None = None) -> House:
    """Build everything from the settings; raises ValueError in words for settings that do not fit."""
    database = Database(settings.database)
    hallway = Hallway(database, settings, log or Log(settings.log_format))
    return House(settings, database, application(hallway))


def serve() -> Application:
    """Give the application for a server's worker, built from the environment."""
    return build(config.load()).application
