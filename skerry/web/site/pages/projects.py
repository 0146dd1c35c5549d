"""Pages of projects."""

from skerry.resources.projects import State
from skerry.text.states import States
from skerry.text.words import folded
from skerry.tracker import activities, changesets, held_texts, messages, milestones, projects, states, tags
from skerry.tracker.context import Context, Params, RequestedPage
from skerry.tracker.notifications import levels
from skerry.tracker.notifications.levels import Level
from skerry.tracker.people import memberships
from skerry.tracker.sending import hooks
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import lines, search_text
from skerry.web.site.pages.milestones import today_of

_ON_A_PAGE = 60
_HAPPENED = RequestedPage(limit=15)
_GOALS = RequestedPage(limit=6)
_ANY = Params(page=RequestedPage(limit=1))


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the projects visible to the reader; raises as ``projects.list_all`` does."""
    shown = lines(params, "/projects", projects.filter_by_name(context, search_text(params, "q")), _ON_A_PAGE)
    visible = shown.records
    return {
        "lines": shown,
        "projects": [project for project in visible if not project.archived],
        "archived": [project for project in visible if project.archived],
        "totals": projects.totals(context, list(visible)),
    }


def new(context: Context, params: Params) -> Content:
    """Return a new project with its defaults."""
    return {"project": projects.new(context, params)}


def get(context: Context, params: Params) -> Content:
    """Return the current project and its recent activity."""
    known, listed = projects.states_of(context.project), states.list_all(context, params).records
    by_state = _states(listed)
    return {
        "project": projects.get(context, params),
        **by_state,
        "first_steps": _first_steps(context, has_tickets=bool(by_state["total"])),
        "stages": {state.name: _stage(known, state) for state in listed},
        "activities": activities.lines(context, Params(page=_HAPPENED)).records,
        "milestones": milestones.list_all(context, Params(query={"state": "open"}, page=_GOALS)),
        "today": today_of(context),
        "message": messages.newest(context),
        "level": levels.get(context, params).level if context.principal else "",
        "held_total": held_texts.count(context) if context.member else 0,
        "levels": [level.value for level in Level],
    }


def _first_steps(context: Context, *, has_tickets: bool) -> Content | None:
    """Return which first steps of a project are done, for a member, until it has tickets and a team."""
    if not context.member:
        return None
    has_team = memberships.is_shared(context)
    if has_tickets and has_team:
        return None
    is_connected = hooks.list_all(context, Params()).records or changesets.list_all(context, _ANY).records
    return {"has_tickets": has_tickets, "has_team": has_team, "is_connected": bool(is_connected)}


def _states(states: list[State]) -> Content:
    """Return the states with their offsets in the bar of open tickets, and the queries for their tickets."""
    starts, end = {}, 0
    for state in states:
        starts[state.name] = end
        end += 0 if state.closed else state.tickets_count
    return {
        "states": states,
        "starts": starts,
        "queries": {state.name: _query(state, states) for state in states},
        "open_total": end,
        "total": sum(state.tickets_count for state in states),
    }


def _stage(known: States, state: State) -> str:
    """Return the stage of a state, also of one that tickets have and the settings do not name."""
    if found := known.find(state.name):
        return known.stage(found)
    return "done" if state.closed else "open"


def _query(state: State, states: list[State]) -> str:
    """Return the query for the tickets in a state; ``open`` and ``closed`` mean all such states."""
    if folded(state.name) not in ("open", "closed"):
        return f"state:{state.name}"
    others = ",".join(other.name for other in states if other != state)
    return f"state:{state.name} not-state:({others})" if others else f"state:{state.name}"


def tags_of_project(context: Context, params: Params) -> Content:
    """Return the tags of a project, the most used first."""
    return {"tags": tags.list_all(context, params).records, "most": tags.MAX}
