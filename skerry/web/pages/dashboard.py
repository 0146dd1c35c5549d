"""The dashboard: what waits for whoever is signed in; for others, what is public."""

from typing import Any

from skerry.errors import Unauthenticated
from skerry.tracker import projects
from skerry.tracker.visit import Ask, Visit


def shown(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give what is on the first page."""
    try:
        found = projects.listed(visit, ask).records
    except Unauthenticated:
        found = []
    return {"projects": found}
