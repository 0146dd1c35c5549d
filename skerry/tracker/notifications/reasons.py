"""Why somebody is told of a ticket, and of what they want to be told."""

from enum import IntEnum, StrEnum


class Reason(IntEnum):
    """Why somebody is told, a stronger reason after a weaker one."""

    WATCHED = 1
    ASSIGNED = 2
    MENTION = 3

    @property
    def word(self) -> str:
        """Return the reason as the interface says it."""
        return self.name.lower()


class Level(StrEnum):
    """Of what in a project somebody wants to be told."""

    EVERYTHING = "everything"
    WATCHED = "watched"
    MENTIONS = "mentions"
    NOTHING = "nothing"

    def wants(self, reason: Reason) -> bool:
        """Return whether somebody with this level is told for a reason."""
        if self is Level.NOTHING:
            return False
        return self is not Level.MENTIONS or reason is Reason.MENTION


DEFAULT = Level.WATCHED
"""The level of people who chose none."""
