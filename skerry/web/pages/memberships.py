"""The pages of a project's members."""

from skerry.tracker import memberships, removals
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import choices, led_back, lines, sought

_ON_A_PAGE = 50


def listed(visit: Visit, ask: Ask) -> Content:
    """Return a page of the members, and for those who work here the first of whoever could become one.

    Where somebody was added, it is the page with them. Who was removed lately stands on it, too.
    """
    address = _address(visit)
    joinable = memberships.joinable(visit, sought(ask, "whom")) if visit.member else []
    found = memberships.named(visit, sought(ask, "q"))
    return {
        "members": lines(ask, address, found, _ON_A_PAGE, "added", "user_id"),
        "joinable": choices(ask, address, "whom", joinable),
        "removals": removals.of_project(visit, ask).records if visit.member else [],
        "removed": ask.query.get("removed", ""),
    }


def removal(visit: Visit, ask: Ask) -> Content:
    """Return a member who may be removed, what they are responsible for, and who could take it over."""
    membership = memberships.shown(visit, ask)
    user_id = membership.user_id or 0
    address = _address(visit)
    place = f"{address}/{membership.id}/delete"
    found = removals.successors(visit, user_id, [visit.project_id], sought(ask, "successor"))
    return {
        "membership": membership,
        "own": user_id == visit.author.user_id,
        "loads": removals.load_of_member(visit, user_id),
        "by_default": visit.project.default_assigned_user_id == user_id,
        "successors": choices(ask, place, "successor", found),
        "address": address,
        "next": led_back(ask, address, membership.id or 0),
    }


def _address(visit: Visit) -> str:
    return f"/projects/{visit.project_id}/memberships"
