"""The page of a project's settings."""

from skerry.errors import Invalid
from skerry.resources.projects import ProjectSettings
from skerry.tracker import edit_conflicts, form_choices, settings
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content

_SHOWN = (
    "name",
    "description",
    "license",
    "public",
    "open_states",
    "closed_states",
    "importance_levels",
    "default_assigned_user_id",
    "default_milestone_id",
    "mail_from_anyone",
)


def get(context: Context, params: Params) -> Content:
    """Return the settings with the choices for the defaults."""
    current = settings.get(context, params)
    return {"settings": current, "seen": _mark(current), "choices": form_choices.choices(context)}


def check_seen(context: Context, params: Params, saw: str) -> None:
    """Raise PreconditionFailed if the settings have changed since the reader saw them."""
    edit_conflicts.check(saw, _mark(settings.get(context, params)))


def _mark(current: ProjectSettings) -> str:
    return edit_conflicts.mark(*(getattr(current, name) for name in _SHOWN))


def check_name(context: Context, _params: Params, entered: str) -> None:
    """Raise Invalid unless the form repeats the name of the project to be removed."""
    if entered.strip() != context.project.name.strip():
        raise Invalid("Enter the project's name to delete it")
