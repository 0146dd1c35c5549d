"""Search for tickets with queries."""

from skerry.errors import Invalid
from skerry.resources.tickets import Ticket
from skerry.store import search
from skerry.store.search import Scope
from skerry.store.ticket_rows import adjacent_tickets as store_neighbours
from skerry.store.ticket_rows import ticket_lists
from skerry.text.queries.query import Everything, Query, QueryError, parse
from skerry.text.queries.query_tree import Text, terms
from skerry.tracker.context import Context, Params, ResultPage

REACH = 2_000
"""How far into the results of a query the neighbours of a ticket are looked up."""

_NEAR = 400

_EVERY = Query(Everything())


def parse_query(text: str) -> Query:
    """Parse a query; raises Invalid with the error and its position."""
    try:
        return parse(text)
    except QueryError as error:
        raise Invalid(str(error)) from error


def check_names(context: Context, query: Query, scope: Scope) -> None:
    """Raise Invalid if a query refers to the next milestone and there is none."""
    for term in terms(query.condition):
        for value in term.values if term.key == "milestone" else ():
            is_next = isinstance(value, Text) and value.text.casefold() == "next"
            if is_next and not search.has_next_milestone(context.transaction, scope):
                raise Invalid(
                    f"The 'next' at {value.position} matches no milestone: no open one is due today or later"
                )


def query_of(params: Params) -> Query | None:
    """Return the query of a list, or None for all tickets in the default order.

    Raises Invalid.
    """
    text = str(params.extra_params.get("q") or params.query.get("q") or "")
    query = parse_query(text) if text else _EVERY
    return None if query == _EVERY else query


def find(context: Context, params: Params, query: Query, project_ids: list[int]) -> ResultPage[Ticket]:
    """Return a page of the tickets that match a query in some projects."""
    scope = Scope(tuple(project_ids), context.principal.user_id if context.principal else None)
    check_names(context, query, scope)
    page = params.page
    marks, total, exact = search.page_with_total(
        context.transaction, query, scope, limit=page.limit, offset=page.offset
    )
    tickets = ticket_lists.marked(context.transaction, marks)
    return ResultPage(Ticket, tickets, total, exact=exact)


def adjacent(context: Context, number: int, text: str) -> tuple[int | None, int | None]:
    """Return the numbers before and after a ticket in the project's list, or in the results of a query.

    A number is None if there is no such ticket, if the ticket is not near the beginning of the results, or if
    the look-up takes too long. Raises Invalid for a query that cannot be parsed.
    """
    query = parse_query(text)
    if query == _EVERY:
        return store_neighbours.neighbours(context.transaction, context.project_id, number)
    scope = Scope((context.project_id,), context.principal.user_id if context.principal else None)
    return context.transaction.attempt(lambda: _beside(context, number, query, scope)) or (None, None)


def _beside(context: Context, number: int, query: Query, scope: Scope) -> tuple[int | None, int | None]:
    for reach in (_NEAR, REACH):
        keys = search.page(context.transaction, query, scope, limit=reach, offset=0)
        numbers = [None, *(key[1] for key in keys), None]
        if number in numbers[:-2] or (len(keys) < reach and number in numbers):
            place = numbers.index(number)
            return numbers[place - 1], numbers[place + 1]
    return None, None
