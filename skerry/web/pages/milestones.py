"""Pages of milestones."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from itertools import groupby

from skerry.resources.burndowns import BurndownDay
from skerry.resources.milestones import Milestone
from skerry.resources.tickets import Ticket
from skerry.tracker import burndowns, holding, milestones, projects, tickets, unseen
from skerry.tracker.visit import Ask, Listing, Page, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import last_there
from skerry.web.site import charts

_MOST_TICKETS = Page(limit=100)
_ON_A_PAGE = 50
_ROWS = 60


def listed(visit: Visit, ask: Ask) -> Content:
    """Return the project's milestones: open ones, or those that are completed."""
    return _list(visit, ask, milestones.listed)


def listed_everywhere(visit: Visit, ask: Ask) -> Content:
    """Return the milestones of all projects visible to the reader: open ones, or those that are completed."""
    found = projects.listed(visit, ask).records
    names = {project.id: project.name for project in found}
    return {**_list(visit, ask, milestones.listed_everywhere), "names": names}


def _list(visit: Visit, ask: Ask, work: Callable[[Visit, Ask], Listing[Milestone]]) -> Content:
    state = "closed" if ask.query.get("state") == "closed" else "open"
    listing, page = last_there(
        Page(ask.page.number, _ON_A_PAGE), lambda page: work(visit, Ask(query={"state": state}, page=page))
    )
    names = {milestone.project_id: "" for milestone in listing.records}
    today = today_of(visit)
    groups = _Groups(listing.records, today)
    return {
        "listing": listing,
        "groups": groups,
        "state": state,
        "page": page,
        "today": today,
        "names": names,
    }


class _Groups:
    """Open milestones apart: those that are late, those ahead, and those that are due on no day."""

    def __init__(self, found: list[Milestone], today: date) -> None:
        self.undated = [milestone for milestone in found if milestone.due_on is None]
        dated = [milestone for milestone in found if milestone.due_on]
        self.late = [milestone for milestone in dated if (_due(milestone) or today) < today]
        self.ahead = [milestone for milestone in dated if (_due(milestone) or today) >= today]


def today_of(visit: Visit) -> date:
    """Return the day in UTC, which is what milestones are due by."""
    return datetime.fromtimestamp(visit.transaction.now // 1_000_000, UTC).date()


def shown(visit: Visit, ask: Ask) -> Content:
    """Return a milestone with its tickets by state and its days; raises NotFound."""
    milestone = milestones.shown(visit, ask)
    query = f"milestone:id#{milestone.id}"
    found = tickets.listed(visit, Ask(query={"q": f"{query} sort:state sort:importance"}, page=_MOST_TICKETS))
    days = burndowns.listed(visit, ask).records
    return {
        "milestone": milestone,
        "query": query,
        "groups": _by_state(found.records),
        "more": (found.total or 0) > len(found.records),
        "states": projects.states_of(visit.project),
        "today": today_of(visit),
        "chart": charts.burndown(days, _due(milestone)),
        "rows": _changed_days(days),
    }


def _by_state(found: list[Ticket]) -> list[tuple[str, list[Ticket]]]:
    return [(state or "", list(group)) for state, group in groupby(found, key=lambda ticket: ticket.state)]


def _due(milestone: Milestone) -> date | None:
    return milestone.due_on.astimezone(UTC).date() if milestone.due_on else None


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


def blank(visit: Visit, ask: Ask) -> Content:
    """Return a new milestone with its defaults."""
    return {"milestone": milestones.blank(visit, ask)}


def edited(visit: Visit, ask: Ask) -> Content:
    """Return a milestone to be changed or deleted; raises NotFound."""
    milestone = milestones.shown(visit, ask)
    return {"milestone": milestone, "seen": _mark(milestone)}


def check_seen(visit: Visit, ask: Ask, saw: str) -> None:
    """Raise PreconditionFailed if a milestone says something else than its reader saw."""
    holding.held(visit, Milestone, ask, removes=False)
    unseen.check(saw, _mark(milestones.shown(visit, ask)))


def _mark(milestone: Milestone) -> str:
    return unseen.mark(milestone.title, milestone.goals, milestone.due_on)
