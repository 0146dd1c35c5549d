"""The dashboard: what waits for whoever is signed in; for others, what is public."""

from skerry.errors import Unauthenticated
from skerry.resources.projects import Project
from skerry.tracker import activities, milestones, projects, set_ups, tickets
from skerry.tracker.visit import Ask, Page, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import last_there
from skerry.web.pages.milestones import today_of

MINE = "responsible:me state:open"

_TICKETS = Page(limit=15)
_HAPPENED = Page(limit=20)
_DUE = Page(limit=6)


def shown(visit: Visit, ask: Ask) -> Content:
    """Return the content of the dashboard."""
    try:
        found: list[Project] = projects.listed(visit, ask).records
    except Unauthenticated:
        found = []
    living = [project for project in found if not project.archived]
    own = _own(visit, found) if visit.caller else {"waits": set_ups.waits(visit.transaction)}
    return {"projects": living, "names": _names(found), **own}


def _own(visit: Visit, found: list[Project]) -> Content:
    mine = tickets.listed_everywhere(
        visit, Ask(query={"q": f"{MINE} sort:importance sort:updated"}, page=_TICKETS)
    )
    due = milestones.listed_everywhere(visit, Ask(query={"state": "open"}, page=_DUE)).records
    return {
        "mine": mine,
        "query": MINE,
        "states": projects.states_of_some(found, mine.records),
        "activities": activities.listed_everywhere(visit, Ask(page=_HAPPENED)).records,
        "milestones": [milestone for milestone in due if milestone.due_on],
        "today": today_of(visit),
    }


def _names(found: list[Project]) -> dict[int | None, str]:
    return {project.id: project.name for project in found}


def lately(visit: Visit, ask: Ask) -> Content:
    """Return a page of what happened in every project visible to the reader."""
    listing, page = last_there(ask.page, lambda page: activities.listed_everywhere(visit, Ask(page=page)))
    return {"listing": listing, "page": page}
