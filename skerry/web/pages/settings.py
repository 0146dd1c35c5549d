"""The page of a project's settings."""

from skerry.errors import Invalid
from skerry.resources.settings import ProjectSettings
from skerry.tracker import choosing, settings, unseen
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.content import Content

_SHOWN = (
    "name",
    "description",
    "license",
    "public",
    "open_states",
    "closed_states",
    "default_assigned_user_id",
    "default_milestone_id",
)


def shown(visit: Visit, ask: Ask) -> Content:
    """Return the settings with what may be chosen for the defaults."""
    found = settings.shown(visit, ask)
    return {"settings": found, "seen": _mark(found), "choices": choosing.choices(visit)}


def check_seen(visit: Visit, ask: Ask, saw: str) -> None:
    """Raise PreconditionFailed if the settings are not as their reader saw them any more."""
    unseen.check(saw, _mark(settings.shown(visit, ask)))


def _mark(found: ProjectSettings) -> str:
    return unseen.mark(*(getattr(found, name) for name in _SHOWN))


def check_name(visit: Visit, _ask: Ask, entered: str) -> None:
    """Raise Invalid unless somebody entered the name of the project that is to be removed."""
    if entered.strip() != visit.project.name.strip():
        raise Invalid("Enter the project's name to delete it")
