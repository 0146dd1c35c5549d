"""Notification mail, as its unsubscribe links show it."""

from typing import ClassVar

from skerry.wire.record import Record


class Subscription(Record, frozen=True):
    """How often notifications are mailed: ``at_once``, ``daily``, ``weekly`` or ``none``."""

    singular: ClassVar[str] = "subscription"
    plural: ClassVar[str] = "subscriptions"

    mail: str = ""
