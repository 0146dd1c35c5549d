"""The pages of those who administer an account, and of those whom they invite."""

from importlib.metadata import version
from typing import Any

from skerry.tracker import administration, invitations, projects
from skerry.tracker.visit import Ask, Visit


def shown(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give the people, the open invitations and the projects of the account."""
    return {
        "people": administration.listed(visit, ask).records,
        "invitations": invitations.listed(visit, ask).records,
        "projects": projects.listed(visit, ask).records,
        "roles": administration.ROLES if visit.author.role == "owner" else administration.ROLES[:2],
        "version": version("skerry"),
    }


def welcome(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give what somebody is invited to; raises Missing if the code opens nothing."""
    return {"welcome": invitations.welcome(visit, ask), "code": ask.texts["code"]}
