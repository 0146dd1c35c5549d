"""The page of a project's members."""

from typing import Any

from skerry.resources.memberships import Membership
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

    def is_added(membership: Membership) -> bool:
        return str(membership.user_id) == ask.query.get("added")

    return {
        "members": lines(ask, address, found, _ON_A_PAGE, is_added),
        "added": next(filter(is_added, found), None),
        "joinable": choices(ask, address, "whom", joinable),
    }
