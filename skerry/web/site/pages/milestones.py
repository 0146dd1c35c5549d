"""Pages of milestones."""

from collections.abc import Callable
from datetime import UTC, date
from itertools import dropwhile, groupby

from skerry.database.rows import timestamp
from skerry.resources.milestones import BurndownDay, Milestone
from skerry.resources.tickets import Ticket
from skerry.tracker import burndowns, edit_conflicts, milestones, projects, row_locks, tickets
from skerry.tracker.context import Context, Params, RequestedPage, ResultPage
from skerry.web.site import charts
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import existing_page

_MAX_TICKETS = RequestedPage(limit=100)
_ON_A_PAGE = 50
_ROWS = 60


def list_all(context: Context, params: Params) -> Content:
    """Return the project's milestones: the open or the completed ones."""
    return _list(context, params, milestones.list_all)


def list_across_projects(context: Context, params: Params) -> Content:
    """Return the milestones of all projects visible to the reader: open or completed ones."""
    names = projects.names(context)
    return {**_list(context, params, milestones.list_across_projects), "names": names}


def _list(
    context: Context, params: Params, work: Callable[[Context, Params], ResultPage[Milestone]]
) -> Content:
    state = "closed" if params.query.get("state") == "closed" else "open"
    results, page = existing_page(
        RequestedPage(params.page.number, _ON_A_PAGE),
        lambda page: work(context, Params(query={"state": state}, page=page)),
    )
    names = {milestone.project_id: "" for milestone in results.records}
    today = today_of(context)
    groups = _Groups(results.records, today)
    return {
        "listing": results,
        "groups": groups,
        "state": state,
        "page": page,
        "today": today,
        "names": names,
    }


class _Groups:
    """Open milestones in groups: late, upcoming, and without a due date."""

    def __init__(self, open_milestones: list[Milestone], today: date) -> None:
        self.undated = [milestone for milestone in open_milestones if milestone.due_on is None]
        dated = [milestone for milestone in open_milestones if milestone.due_on]
        self.late = [milestone for milestone in dated if (_due(milestone) or today) < today]
        self.ahead = [milestone for milestone in dated if (_due(milestone) or today) >= today]


def today_of(context: Context) -> date:
    """Return today's date in UTC, to which due dates are compared."""
    return timestamp(context.transaction.now).date()


def get(context: Context, params: Params) -> Content:
    """Return a milestone with its tickets by state and its burndown; raises NotFound."""
    milestone = milestones.get(context, params)
    query = f"milestone:id#{milestone.id}"
    listed = tickets.list_all(
        context, Params(query={"q": f"{query} sort:state sort:importance"}, page=_MAX_TICKETS)
    )
    days = burndowns.list_all(context, params).records
    if not milestone.start_on:
        days = _since_first_ticket(days)
    return {
        "milestone": milestone,
        "query": query,
        "groups": _by_state(listed.records),
        "more": (listed.total or 0) > len(listed.records),
        "states": projects.states_of(context.project),
        "today": today_of(context),
        "chart": charts.burndown(days, _due(milestone)),
        "rows": _changed_days(days),
    }


def _by_state(records: list[Ticket]) -> list[tuple[str, list[Ticket]]]:
    return [(state or "", list(group)) for state, group in groupby(records, key=lambda ticket: ticket.state)]


def _due(milestone: Milestone) -> date | None:
    return milestone.due_on.astimezone(UTC).date() if milestone.due_on else None


def _since_first_ticket(days: list[BurndownDay]) -> list[BurndownDay]:
    """Return the days from the first one with a ticket: before it there was nothing to do."""
    return list(dropwhile(lambda day: not day.tickets_count, days))


def _changed_days(days: list[BurndownDay]) -> list[BurndownDay]:
    """Return the last days on which something changed."""
    pairs = zip([None, *days], days, strict=False)
    changed = [
        day
        for before, day in pairs
        if before is None
        or (before.tickets_count, before.open_tickets_count) != (day.tickets_count, day.open_tickets_count)
    ]
    return changed[-_ROWS:]


def new(context: Context, params: Params) -> Content:
    """Return a new milestone with its defaults."""
    return {"milestone": milestones.new(context, params)}


def edit(context: Context, params: Params) -> Content:
    """Return a milestone to be changed or deleted; raises NotFound."""
    milestone = milestones.get(context, params)
    return {"milestone": milestone, "seen": _mark(milestone)}


def check_seen(context: Context, params: Params, saw: str) -> None:
    """Raise PreconditionFailed if a milestone has changed since the reader saw it."""
    row_locks.locked(context, Milestone, params, removes=False)
    edit_conflicts.check(saw, _mark(milestones.get(context, params)))


def _mark(milestone: Milestone) -> str:
    return edit_conflicts.mark(milestone.title, milestone.goals, milestone.due_on, milestone.start_on)
