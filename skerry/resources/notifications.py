"""Notifications, and the settings that determine them."""

from datetime import datetime
from typing import Annotated

from skerry.resources.events import Event
from skerry.resources.tickets import Ticket
from skerry.wire.record import UNSET, Record, UnsetType, required, writable


class Notification(Record, frozen=True):
    """A notification of a ticket, with the last event that it is about.

    ``reason`` is ``mention``, ``assigned`` or ``watched``. It is hidden until ``snoozed_until``, or until the
    next event. The event is left out once it is no longer kept.
    """

    singular, plural = "notification", "notifications"

    id: int | None = None
    read: Annotated[bool, writable] = False
    reason: str = ""
    snoozed_until: Annotated[datetime | None, writable] = None
    event: Event | UnsetType = UNSET
    ticket: Ticket | UnsetType = UNSET


class Marking(Record, frozen=True):
    """Notifications that were marked together, and how many they are."""

    singular, plural = "marking", "markings"

    count: int = 0
    id: int | None = None


class NotificationSettings(Record, frozen=True):
    """What a person is notified of in a project.

    ``level`` is ``everything``, ``watched``, ``mentions`` or ``nothing``.
    """

    singular, plural = "notification_settings", "notification_settings"

    level: Annotated[str, writable, required] = ""
    project_id: int | None = None


class Mute(Record, frozen=True):
    """Whether a person has muted a ticket."""

    singular, plural = "mute", "mutes"

    muted: Annotated[bool, writable] = False
    number: int | None = None
    project_id: int | None = None
