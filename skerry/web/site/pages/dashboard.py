"""The dashboard: the reader's own work, or public content for anonymous readers."""

from skerry.errors import Unauthenticated
from skerry.resources.projects import Project
from skerry.tracker import activities, milestones, projects, tickets
from skerry.tracker.auth import setup_links
from skerry.tracker.context import Context, Params, RequestedPage
from skerry.web.site.pages import Content
from skerry.web.site.pages.milestones import today_of

MINE = "responsible:me state:open"

_TICKETS = RequestedPage(limit=15)
_HAPPENED = RequestedPage(limit=20)
_DUE = RequestedPage(limit=6)


def get(context: Context, params: Params) -> Content:
    """Return the content of the dashboard."""
    try:
        visible: list[Project] = projects.list_all(context, params).records
    except Unauthenticated:
        visible = []
    living = [project for project in visible if not project.archived]
    names = {project.id: project.name for project in visible}
    own = _own(context, visible) if context.principal else {"waits": setup_links.waits(context.transaction)}
    return {"projects": living, "names": names, **own}


def _own(context: Context, visible: list[Project]) -> Content:
    mine = tickets.list_all(
        context, Params(query={"q": f"{MINE} sort:importance sort:updated"}, page=_TICKETS)
    )
    due = milestones.list_across_projects(context, Params(query={"state": "open"}, page=_DUE)).records
    return {
        "mine": mine,
        "query": MINE,
        "states": projects.states_of_some(visible, mine.records),
        "activities": activities.lines(context, Params(page=_HAPPENED)).records,
        "milestones": [milestone for milestone in due if milestone.due_on],
        "today": today_of(context),
    }


def menu(_context: Context, _params: Params) -> Content:
    """Return nothing: the page of the menu has only the side bar, which every page has."""
    return {}
