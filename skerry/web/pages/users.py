"""The page of a person, as each reader may see it."""

from skerry.resources.tickets import Ticket
from skerry.store.person import Person
from skerry.tracker import administration, memberships, projects, tickets, users
from skerry.tracker.visit import Ask, Listing, Page, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import lines

_TICKETS = Page(limit=10)
_ON_A_PAGE = 50


def shown(visit: Visit, ask: Ask) -> Content:
    """Return a person with those of their projects and tickets visible to the reader; raises NotFound."""
    user = users.shown(visit, ask)
    seen = projects.listed(visit, ask).records
    queries = (f"responsible:{user.id} state:open", f"reported_by:{user.id}")
    lists = [(query, _found(visit, query)) for query in queries]
    records = [ticket for _, listing in lists for ticket in listing.records]
    return {
        "user": user,
        "own": user.id == visit.author.user_id,
        "login": _login(visit, ask),
        "belongs": memberships.of_user(visit, ask).records if _may_know(visit, ask) else [],
        "shared": lines(ask, f"/users/{user.id}", memberships.shared(visit, ask.ids["id"]), _ON_A_PAGE),
        "names": {project.id: project.name for project in seen},
        "states": projects.states_of_some(seen, records),
        "lists": lists,
    }


def _may_know(visit: Visit, ask: Ask) -> bool:
    """Return whether the interface tells the reader what this person belongs to."""
    caller = visit.author
    return ask.ids["id"] == caller.user_id or caller.administrator


def _login(visit: Visit, ask: Ask) -> Person | None:
    """Return somebody as who administers the account sees their login, None for everybody else."""
    caller = visit.author
    is_allowed = caller.administrator and not caller.token_project and ask.ids["id"] != caller.user_id
    return administration.met(visit, ask.ids["id"]) if is_allowed else None


def _found(visit: Visit, query: str) -> Listing[Ticket]:
    return tickets.listed_everywhere(visit, Ask(query={"q": query}, page=_TICKETS))
