"""Pages of projects."""

from skerry.resources.states import State
from skerry.text.names import folded
from skerry.tracker import activities, messages, milestones, projects, states
from skerry.tracker.context import Context, Page, Params
from skerry.tracker.notifications import levels
from skerry.tracker.notifications.reasons import Level
from skerry.web.site.pages.content import Content
from skerry.web.site.pages.lists import existing_page, lines, search_text
from skerry.web.site.pages.milestones import today_of

_ON_A_PAGE = 60
_HAPPENED = Page(limit=15)
_GOALS = Page(limit=6)


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the projects visible to the reader; raises as ``projects.list_all`` does."""
    shown = lines(params, "/projects", projects.filter_by_name(context, search_text(params, "q")), _ON_A_PAGE)
    found = shown.records
    return {
        "lines": shown,
        "projects": [project for project in found if not project.archived],
        "archived": [project for project in found if project.archived],
        "totals": projects.totals(context, list(found)),
    }


def new(context: Context, params: Params) -> Content:
    """Return a new project with its defaults."""
    return {"project": projects.new(context, params)}


def get(context: Context, params: Params) -> Content:
    """Return the current project and its recent activity."""
    return {
        "project": projects.get(context, params),
        **_states(states.list_all(context, params).records),
        "activities": activities.list_all(context, Params(page=_HAPPENED)).records,
        "milestones": milestones.list_all(context, Params(query={"state": "open"}, page=_GOALS)),
        "today": today_of(context),
        "message": messages.newest(context),
        "level": levels.get(context, params).level if context.principal else "",
        "levels": [level.value for level in Level],
    }


def _states(found: list[State]) -> Content:
    """Return the states with their offsets in the bar of open tickets, and the queries for their tickets."""
    starts, end = {}, 0
    for state in found:
        starts[state.name] = end
        end += 0 if state.closed else state.tickets_count
    return {
        "states": found,
        "starts": starts,
        "queries": {state.name: _query(state, found) for state in found},
        "open_total": end,
        "total": sum(state.tickets_count for state in found),
    }


def _query(state: State, found: list[State]) -> str:
    """Return the query for the tickets in a state; ``open`` and ``closed`` mean all such states."""
    if folded(state.name) not in ("open", "closed"):
        return f"state:{state.name}"
    others = ",".join(other.name for other in found if other != state)
    return f"state:{state.name} not-state:({others})" if others else f"state:{state.name}"


def list_activity(context: Context, params: Params) -> Content:
    """Return a page of the recent activity in the project."""
    results, page = existing_page(params.page, lambda page: activities.list_all(context, Params(page=page)))
    return {"listing": results, "page": page}
