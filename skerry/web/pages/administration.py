"""The pages of those who administer an account, and of those whom they invite."""

from typing import Any

from skerry.tracker import administration, health, invitations, projects, set_ups
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.finding import lines, sought

_ON_A_PAGE = 50
_MOST_PROJECTS = 12


def shown(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give the account, a page of its people, open invitations and projects, and how the service is."""
    people = administration.named(visit, sought(ask, "q"))
    return {
        "people": lines(ask, "/administration", people, _ON_A_PAGE),
        "invitations": invitations.listed(visit, ask).records,
        "projects": projects.listed(visit, ask).records,
        "most_projects": _MOST_PROJECTS,
        "roles": administration.ROLES if visit.author.role == "owner" else administration.ROLES[:2],
        "account": administration.account(visit, ask),
        "health": health.shown(visit, ask),
    }


def welcome(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give what somebody is invited to; raises Missing if the code opens nothing."""
    return {"welcome": invitations.welcome(visit, ask), "code": ask.texts["code"]}


def set_up(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give what a new service is set up with; raises Missing if the code opens nothing."""
    return {"set_up": set_ups.shown(visit, ask), "code": ask.texts["code"]}
