"""The dashboard: the reader's own work, or public content for anonymous readers."""

from skerry.errors import Unauthenticated
from skerry.resources.projects import Project
from skerry.tracker import activities, milestones, projects, tickets
from skerry.tracker.auth import setup_links
from skerry.tracker.context import Context, Page, Params
from skerry.web.site.pages.content import Content
from skerry.web.site.pages.lists import existing_page
from skerry.web.site.pages.milestones import today_of

MINE = "responsible:me state:open"

_TICKETS = Page(limit=15)
_HAPPENED = Page(limit=20)
_DUE = Page(limit=6)


def get(context: Context, params: Params) -> Content:
    """Return the content of the dashboard."""
    try:
        found: list[Project] = projects.list_all(context, params).records
    except Unauthenticated:
        found = []
    living = [project for project in found if not project.archived]
    own = _own(context, found) if context.principal else {"waits": setup_links.waits(context.transaction)}
    return {"projects": living, "names": _names(found), **own}


def _own(context: Context, found: list[Project]) -> Content:
    mine = tickets.list_across_projects(
        context, Params(query={"q": f"{MINE} sort:importance sort:updated"}, page=_TICKETS)
    )
    due = milestones.list_across_projects(context, Params(query={"state": "open"}, page=_DUE)).records
    return {
        "mine": mine,
        "query": MINE,
        "states": projects.states_of_some(found, mine.records),
        "activities": activities.list_across_projects(context, Params(page=_HAPPENED)).records,
        "milestones": [milestone for milestone in due if milestone.due_on],
        "today": today_of(context),
    }


def _names(found: list[Project]) -> dict[int | None, str]:
    return {project.id: project.name for project in found}


def list_activity(context: Context, params: Params) -> Content:
    """Return a page of the recent activity in all projects visible to the reader."""
    results, page = existing_page(
        params.page, lambda page: activities.list_across_projects(context, Params(page=page))
    )
    return {"listing": results, "page": page}
