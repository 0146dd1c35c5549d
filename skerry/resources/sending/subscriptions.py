"""Notifications by mail, as a link in each of them ends them."""

from typing import ClassVar

from skerry.wire.record import Record


class Subscription(Record, frozen=True):
    """How often notifications are mailed: ``at_once``, ``daily``, ``weekly`` or ``none``."""

    singular: ClassVar[str] = "subscription"
    plural: ClassVar[str] = "subscriptions"

    mail: str = ""
