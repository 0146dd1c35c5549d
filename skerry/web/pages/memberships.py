"""The page of a project's members."""

from typing import Any

from skerry.tracker import memberships
from skerry.tracker.visit import Ask, Visit


def listed(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give the members, and for those who work here whoever could become one."""
    return {
        "memberships": memberships.of_project(visit, ask).records,
        "joinable": memberships.joinable(visit) if visit.member else [],
    }
