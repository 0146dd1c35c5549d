"""The page of a project's settings."""

from typing import Any

from skerry.errors import Invalid
from skerry.tracker import milestones as milestone_work
from skerry.tracker import people, projects, settings
from skerry.tracker.visit import Ask, Page, Visit

_MOST_MILESTONES = 500


def shown(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give the settings with what may be chosen for the defaults."""
    whole = Ask(ids=ask.ids, page=Page(1, _MOST_MILESTONES))
    return {
        "settings": settings.shown(visit, ask),
        "states": projects.states_of(visit.project),
        "workers": people.workers(visit),
        "milestones": milestone_work.listed(visit, whole).records,
    }


def check_name(visit: Visit, _ask: Ask, entered: str) -> None:
    """Raise Invalid unless somebody entered the name of the project that is to be removed."""
    if entered.strip() != visit.project.name.strip():
        raise Invalid("Enter the project's name to delete it")
