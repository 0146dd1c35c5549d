"""Search for tickets with queries."""

from dataclasses import replace

from skerry.database.rows import timestamp_or_none
from skerry.errors import Invalid
from skerry.resources.suggestions import Suggestion
from skerry.resources.tickets import Ticket
from skerry.store import search
from skerry.store.projects import SeenIds
from skerry.store.search import Scope
from skerry.store.ticket_rows import ticket_lists
from skerry.store.ticket_rows import ticket_pages as store_neighbours
from skerry.text.queries.query import parse
from skerry.text.queries.query_tree import NEXT, Everything, Query, QueryError, Text, terms
from skerry.text.words import begins_words, words
from skerry.tracker import access
from skerry.tracker.context import Context, Params, RequestedPage, ResultPage

FEED = "feed"
"""The source of a request that feeds name."""

REACH = 2_000
"""How many results of a query are searched for the neighbours of a ticket."""

MAX_SUGGESTED = 10

_MAX_DIGITS = 9

_MAX_TYPED = 100
_MAX_WORDS = 8
_NEAR = 400

EVERY = Query(Everything())
"""The query for all tickets in the default order."""


def parse_query(text: str) -> Query:
    """Parse a query; raises Invalid with the error and its position."""
    try:
        return parse(text) if text else EVERY
    except QueryError as error:
        raise Invalid(str(error)) from error


def check_query(text: str) -> Query:
    """Parse the query in a field of a resource; raises Invalid with the name of the field first."""
    try:
        return parse_query(text)
    except Invalid as error:
        raise Invalid(f"Query: {error}") from error


def scope_of(context: Context, project_ids: SeenIds, *, shared: bool = False) -> Scope:
    """Return the scope of the caller's searches in some projects; feeds and counts are ``shared``."""
    reader = access.visibility(context.principal)
    return Scope(project_ids, context.reader_id, shared or context.via == FEED, reader)


def check_names(context: Context, query: Query, scope: Scope) -> None:
    """Raise Invalid if a query refers to the next milestone and there is none."""
    for term in terms(query.condition):
        for value in term.values if term.key == "milestone" else ():
            is_next = isinstance(value, Text) and value.text.casefold() == NEXT
            if is_next and not search.has_next_milestone(context.transaction, scope):
                raise Invalid(
                    f"The 'next' at {value.position} matches no milestone: no open one is due today or later"
                )


def query_of(params: Params) -> Query:
    """Return the query of a list; raises Invalid."""
    return parse_query(str(params.extra_params.get("q") or params.query.get("q") or ""))


def find(context: Context, params: Params, query: Query, project_ids: SeenIds) -> ResultPage[Ticket]:
    """Return a page of the tickets that match a query in some projects."""
    scope = scope_of(context, project_ids)
    check_names(context, query, scope)
    page = params.page
    marks, total, exact = search.page_with_total(
        context.transaction, query, scope, limit=page.limit, offset=page.offset
    )
    tickets = ticket_lists.marked(context.transaction, marks, page.offset)
    searched_since = timestamp_or_none(context.transaction.searched_since)
    return ResultPage(Ticket, tickets, total, exact=exact, searched_since=searched_since)


def suggest(context: Context, params: Params) -> ResultPage[Suggestion]:
    """Return up to 10 tickets of the project that fit what is typed in a text."""
    typed = params.query.get("q", "")
    tickets = named(context, params, typed, access.listed_project_ids(context))
    suggestions = [
        Suggestion(f"#{ticket.number}", "ticket", ticket.title, 0, len(typed)) for ticket in tickets
    ]
    return ResultPage(Suggestion, suggestions)


def named(context: Context, params: Params, typed: str, project_ids: SeenIds) -> list[Ticket]:
    """Return up to 10 tickets of some projects, the last changed first, whose titles have the typed words.

    The last word may be the beginning of one. Digits are the number of a ticket, or all of it but the last.
    """
    page = replace(params, page=RequestedPage(1, MAX_SUGGESTED))
    return find(context, page, parse_query(_suggested(typed)), project_ids).records


def _suggested(typed: str) -> str:
    """Return the query for the tickets to be suggested."""
    if typed.isascii() and typed.isdecimal():
        number = int(typed[:_MAX_DIGITS])
        return f"number:({number},{','.join(str(number * 10 + last) for last in range(10))}) sort:number"
    parts = words(typed[:_MAX_TYPED])[:_MAX_WORDS]
    is_prefix = bool(parts) and typed[-1].isalnum() and begins_words(parts[-1])
    return " ".join(f"title:{word}" for word in parts) + ("*" if is_prefix else "")


def adjacent(context: Context, number: int, text: str) -> tuple[int | None, int | None]:
    """Return the numbers before and after a ticket in the project's list, or in the results of a query.

    A number is None if there is no such ticket, if the ticket is not near the beginning of the results, or if
    the look-up takes too long. Raises Invalid for a query that cannot be parsed.
    """
    query = parse_query(text)
    if query == EVERY:
        return store_neighbours.neighbours(context.transaction, context.project_id, number)
    scope = scope_of(context, access.listed_project_ids(context))
    return context.transaction.attempt(lambda: _beside(context, number, query, scope)) or (None, None)


def _beside(context: Context, number: int, query: Query, scope: Scope) -> tuple[int | None, int | None]:
    for reach in (_NEAR, REACH):
        keys = search.page(context.transaction, query, scope, limit=reach, offset=0)
        numbers = [None, *(key[1] for key in keys), None]
        if number in numbers[:-2] or (len(keys) < reach and number in numbers):
            place = numbers.index(number)
            return numbers[place - 1], numbers[place + 1]
    return None, None
