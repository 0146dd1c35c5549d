"""The page of a project's members."""

from typing import Any

from skerry.tracker import memberships
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.finding import choices, lines, sought

_ON_A_PAGE = 50


def listed(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a page of the members, and for those who work here the first of whoever could become one.

    Where somebody was added, it is the page with them.
    """
    address = f"/projects/{visit.project_id}/memberships"
    joinable = memberships.joinable(visit, sought(ask, "whom")) if visit.member else []
    found = memberships.named(visit, sought(ask, "q"))
    return {
        "members": lines(ask, address, found, _ON_A_PAGE, "added", "user_id"),
        "joinable": choices(ask, address, "whom", joinable),
    }
