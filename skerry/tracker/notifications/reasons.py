"""Reasons for notifications, and the levels at which people want them."""

from enum import IntEnum, StrEnum


class Reason(IntEnum):
    """The reasons for notifications, weaker ones first."""

    WATCHED = 1
    ASSIGNED = 2
    MENTION = 3

    @property
    def word(self) -> str:
        """Return the name of the reason in the API."""
        return self.name.lower()


class Level(StrEnum):
    """The events of a project that a person wants to be notified of."""

    EVERYTHING = "everything"
    WATCHED = "watched"
    MENTIONS = "mentions"
    NOTHING = "nothing"

    def wants(self, reason: Reason) -> bool:
        """Return whether this level includes notifications for a reason."""
        if self is Level.NOTHING:
            return False
        return self is not Level.MENTIONS or reason is Reason.MENTION


DEFAULT = Level.WATCHED
"""The level of people who have not chosen one."""
