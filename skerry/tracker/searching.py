"""Queries, as the tracker takes them from people."""

from skerry.errors import Invalid
from skerry.resources.tickets import Ticket
from skerry.store import search
from skerry.store import tickets as store
from skerry.store.search import Scope
from skerry.text.query import Everything, Query, QueryError, parse
from skerry.tracker.visit import Ask, Listing, Visit


def parsed(text: str) -> Query:
    """Understand a query; raises Invalid with the sentence that says what is wrong and where."""
    try:
        return parse(text)
    except QueryError as error:
        raise Invalid(str(error)) from error


def asked(ask: Ask) -> Query | None:
    """Give the query of a list, None where it means every ticket in the list's own order; raises Invalid."""
    query = parsed(str(ask.beside.get("q") or ask.query.get("q") or ""))
    return None if query == Query(Everything()) else query


def found(visit: Visit, ask: Ask, query: Query, project_ids: list[int]) -> Listing:
    """Give a page of the tickets that a query means in some projects."""
    scope = Scope(tuple(project_ids), visit.caller.user_id if visit.caller else None)
    page = ask.page
    keys, total = search.found(visit.transaction, query, scope, limit=page.limit, offset=page.offset)
    tickets = store.those(visit.transaction, keys)
    return Listing(Ticket, tickets, total, exact=total < search.COUNTED)
