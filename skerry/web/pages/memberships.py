"""The page of a project's members."""

from typing import Any

from skerry.tracker import memberships
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.finding import lines, sought

_ON_A_PAGE = 50
_MOST_CHOICES = 100


def listed(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a page of the members, and for those who work here the first of whoever could become one."""
    address, whom = f"/projects/{visit.project_id}/memberships", sought(ask, "whom")
    joinable = memberships.joinable(visit, whom) if visit.member else []
    return {
        "members": lines(visit, ask, address, memberships.searched, _ON_A_PAGE),
        "joinable": joinable[:_MOST_CHOICES],
        "joinable_total": len(joinable),
        "whom": whom,
    }
