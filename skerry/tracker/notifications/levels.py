"""The levels of notification of projects, muted tickets, and the reasons for a notification."""

from enum import IntEnum, StrEnum

from skerry.errors import Invalid
from skerry.resources.notifications import Mute, NotificationSettings
from skerry.store import tickets as ticket_store
from skerry.store.notifications import levels as store
from skerry.tracker import tickets
from skerry.tracker.context import Context, Params


def get(context: Context, _params: Params) -> NotificationSettings:
    """Return the caller's notification settings for the project."""
    level = store.level(context.transaction, context.project_id, context.author.user_id)
    return NotificationSettings(level or DEFAULT.value, context.project_id)


def update(context: Context, params: Params) -> NotificationSettings:
    """Change the caller's notification settings for the project; raises Invalid."""
    level = params.draft_of(NotificationSettings).over(get(context, params)).level
    if level not in [known.value for known in Level]:
        raise Invalid(f"Level is not one of {', '.join(Level)}")
    store.set_level(context.transaction, context.project_id, context.author.user_id, level)
    return get(context, params)


def is_muted(context: Context, number: int) -> bool:
    """Return whether the caller has muted a ticket of the project."""
    return store.is_muted(context.transaction, context.project_id, number, context.author.user_id)


def get_mute(context: Context, params: Params) -> Mute:
    """Return whether the caller has muted a ticket; raises NotFound."""
    number = tickets.one(context, params.ids["number"]).number or 0
    return Mute(is_muted(context, number), number, context.project_id)


def mute(context: Context, params: Params) -> Mute:
    """Mute or unmute a ticket for the caller; raises NotFound."""
    ticket_store.lock(context.transaction, context.project_id, params.ids["number"])
    wanted = params.draft_of(Mute).over(get_mute(context, params))
    store.mute(
        context.transaction,
        context.project_id,
        params.ids["number"],
        context.author.user_id,
        muted=wanted.muted,
    )
    return get_mute(context, params)


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
