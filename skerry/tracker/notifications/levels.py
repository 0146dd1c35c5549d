"""The caller's notification settings: a level for each project, and muted tickets."""

from skerry.errors import Invalid
from skerry.resources.sending.notifications import Mute, NotificationSettings
from skerry.store import tickets as ticket_store
from skerry.store.notifications import notification_levels as store
from skerry.tracker import tickets
from skerry.tracker.context import Context, Params
from skerry.tracker.notifications.reasons import DEFAULT, Level


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
