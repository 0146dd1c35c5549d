"""The page of a person."""

from skerry.resources.tickets import Ticket
from skerry.store.people.person import StoredPerson
from skerry.tracker import administration, projects, tickets
from skerry.tracker.context import Context, Params, RequestedPage, ResultPage
from skerry.tracker.people import memberships, placeholders, users
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import lines

_TICKETS = RequestedPage(limit=10)
_ON_A_PAGE = 50


def get(context: Context, params: Params) -> Content:
    """Return a person with those of their projects and tickets that the reader can see; raises NotFound."""
    user = users.get(context, params)
    is_placeholder = placeholders.waits(context, params.ids["id"])
    seen = projects.list_all(context, params).records
    queries = (f"responsible:{user.id} state:open", f"reported_by:{user.id}")
    lists = [(query, _found(context, query)) for query in queries]
    records = [ticket for _, results in lists for ticket in results.records]
    return {
        "user": user,
        "own": user.id == context.author.user_id,
        "login": None if is_placeholder else _login(context, params),
        "placeholder": is_placeholder,
        "belongs": memberships.of_user(context, params).records if _may_know(context, params) else [],
        "shared": lines(
            params, f"/users/{user.id}", memberships.shared(context, params.ids["id"]), _ON_A_PAGE
        ),
        "names": {project.id: project.name for project in seen},
        "states": projects.states_of_some(seen, records),
        "lists": lists,
    }


def _may_know(context: Context, params: Params) -> bool:
    """Return whether the reader may see this person's memberships."""
    principal = context.author
    return params.ids["id"] == principal.user_id or principal.administrator


def _login(context: Context, params: Params) -> StoredPerson | None:
    """Return the person's login for administrators, or None for other readers."""
    principal = context.author
    is_allowed = (
        principal.administrator and not principal.token_project and params.ids["id"] != principal.user_id
    )
    return administration.met(context, params.ids["id"]) if is_allowed else None


def _found(context: Context, query: str) -> ResultPage[Ticket]:
    return tickets.list_all(context, Params(query={"q": query}, page=_TICKETS))
