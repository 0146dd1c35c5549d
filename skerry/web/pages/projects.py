"""Pages of projects."""

from typing import Any

from skerry.tracker import projects
from skerry.tracker.visit import Ask, Visit


def listed(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give the projects that the reader sees; raises Unauthenticated if there are none for nobody."""
    return {"projects": projects.listed(visit, ask).records}


def blank(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a project as it would be made."""
    return {"project": projects.blank(visit, ask)}


def shown(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give the project that was entered."""
    return {"project": projects.shown(visit, ask)}
