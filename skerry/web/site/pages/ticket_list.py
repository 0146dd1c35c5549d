"""Lists of tickets: of a project, of a bin, and of all projects visible to the reader."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from skerry.resources.bins import TicketBin
from skerry.resources.bulk_edits import AccountBulkEdit, BulkEdit
from skerry.resources.lists import ListSettings
from skerry.resources.projects import Project
from skerry.resources.tickets import Ticket
from skerry.text.commands import COMMANDS
from skerry.text.queries.query import parse
from skerry.text.queries.query_complete import piece_at
from skerry.text.queries.query_corrections import corrected, examples_of
from skerry.text.queries.query_keys import KEYS, NAMES
from skerry.text.queries.query_tree import Everything, Query, QueryError, Sort
from skerry.text.queries.query_values import SORTS
from skerry.tracker import access, bins, layouts, projects, tickets, unknown_values
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.layouts import Layout
from skerry.tracker.people import avatars
from skerry.tracker.query_names import QueryNames
from skerry.tracker.unknown_values import UnknownValue
from skerry.web.site.pages import Content, Elsewhere, account_bulk_edits, bulk_edits, ticket_edit
from skerry.web.site.pages import bins as bin_pages
from skerry.web.site.pages.lists import existing_page, with_marks

# The orders that a list can be kept in; the first one is the usual.
_ORDERS = ("", "importance", "state", "milestone", "due", "created", "number", "title")

FILTERS = ("state", "responsible", "milestone", "tagged", "importance", "created", "due")
"""The keywords that menus add to a query, by their own names."""

QUERY_LINE = {"keywords": list(NAMES)}
"""What the query line needs to draw keywords as chips."""

# A query that is only a number leads to the ticket.
_NUMBER = re.compile(r"#?[0-9]+")

_AROUND = 60


@dataclass(frozen=True)
class Keeps:
    """Where the layout of a list is kept: the address of the form, and the name of its record."""

    address: str
    name: str


@dataclass(frozen=True)
class Mistake:
    """An error in a query: the sentence, and the query split around the term with the error.

    ``start`` and ``end`` are the offsets of the term, ``better`` is the query that was probably meant, None
    if nobody can tell; then there are ``examples`` of the keyword.
    """

    sentence: str
    before: str
    at: str
    after: str
    start: int
    end: int
    better: str | None
    examples: tuple[str, ...]


def list_all(context: Context, params: Params) -> Content | Elsewhere:
    """Return the tickets of a project, or of all visible ones; without a query, those of the default bin.

    Raises Unauthenticated if no project is visible.
    """
    kept = bins.readable(context)
    return _or_ticket(params, _in_place(context, params, kept, _asked(params, kept)))


def of_bin(context: Context, params: Params) -> Content:
    """Return the tickets of a bin, or those of another query that is tried in it; raises NotFound."""
    chosen = bins.get(context, params)
    text = params.query.get("q", chosen.query)
    return _in_place(context, params, bins.readable(context), text, chosen)


def viewed(
    context: Context, params: Params, kept: list[TicketBin], view: TicketBin | None = None
) -> tuple[str, TicketBin | None, Layout]:
    """Return the query that was asked for, the view with it unless one is given, and the reader's layout."""
    text = _asked(params, kept).strip()
    chosen = view or _saved(kept, text)
    return text, chosen, chosen or _own_layout(context, params)


def _asked(params: Params, kept: list[TicketBin]) -> str:
    """Return the query that was asked for; without one, that of the default bin."""
    return params.query.get("q", next((each.query for each in kept if each.default), ""))


def _saved(kept: list[TicketBin], text: str) -> TicketBin | None:
    return next((each for each in kept if each.query.strip() == text.strip()), None)


def _or_ticket(params: Params, content: Content) -> Content | Elsewhere:
    """Return a list, or a redirect to the ticket if the query is just its number."""
    records = content["listing"].records
    if len(records) != 1 or not _NUMBER.fullmatch(params.query.get("q", "").strip()):
        return content
    return Elsewhere(f"/projects/{records[0].project_id}/tickets/{records[0].number}")


def _in_place(
    context: Context, params: Params, kept: list[TicketBin], text: str, view: TicketBin | None = None
) -> Content:
    chosen = view or _saved(kept, text)
    layout = chosen or _own_layout(context, params)
    shown = _list(
        context, params, bin_pages.path_of(context, view) if view else path_of(context), text, layout
    )
    records = shown["listing"].records
    seen = {} if context.entered else {each.id: each for each in projects.list_all(context, params).records}
    known = [context.project] if context.entered else seen.values()
    return {
        **shown,
        "place": path_of(context),
        "board_at": f"/projects/{context.project_id}/board" if context.entered else "/board",
        "projects": seen,
        "states": projects.states_of_some(known, records),
        "changeable": access.changeable(context, seen.values()),
        "bins_at": bin_pages.place(context),
        "may_save": bin_pages.may_change(context),
        "unknown": None if records else unknown_value(context, shown["query"], known),
        "views": bins.beside(context, kept, exact=True),
        "chosen": chosen,
        "keeps": keeps(context, chosen),
        "groups": layouts.grouped(records, layout),
        "whole": shown["listing"].exact and len(records) == shown["listing"].total,
        "edited": _edited(context, params) if context.principal else None,
        "undo": ticket_edit.undo(context, params),
        "pictures": avatars.paths(context, [each.assigned_user_id for each in records]),
    }


def unknown_value(context: Context, text: str, known: Iterable[Project]) -> UnknownValue | None:
    """Return the first value of a query that names nothing in the projects, or None."""
    query, mistake = understood(text)
    return None if mistake else unknown_values.first_in(context, text, query, known)


def _edited(context: Context, params: Params) -> BulkEdit | AccountBulkEdit | None:
    made = bulk_edits.just_made if context.entered else account_bulk_edits.just_made
    return made(context, params)


def path_of(context: Context) -> str:
    """Return the path of the list of the project, or of all tickets."""
    return f"/projects/{context.project_id}/tickets" if context.entered else "/tickets"


def keeps(context: Context, chosen: TicketBin | None) -> Keeps | None:
    """Return where the layout of the list is kept, or None if the reader may not change it."""
    if chosen:
        return (
            Keeps(bin_pages.path_of(context, chosen), "ticket_bin") if bin_pages.may_change(context) else None
        )
    own = context.project_id if context.entered else "all"
    return Keeps(f"/profile/lists/{own}", "list_settings") if context.principal else None


def _own_layout(context: Context, params: Params) -> Layout:
    """Return how the reader sees the list if no saved view applies."""
    return layouts.get(context, params) if context.principal else ListSettings()


def _list(context: Context, params: Params, path: str, text: str, layout: Layout) -> Content:
    text = text.strip()
    query, mistake = understood(text)
    results, page = ResultPage(Ticket, [], 0), params.page
    if mistake is None:
        ordered = layouts.ordered(query, layout)
        results, page = existing_page(
            page, lambda page: tickets.matching(context, replace(params, page=page), ordered)
        )
    kept = {"limit": params.query["limit"]} if params.query.get("limit") else {}
    at = f"{path}?{urlencode({**kept, 'q': text})}"
    return {
        "at": path,
        "query": text,
        "query_shown": shown_text(context, text, query, mistake),
        "mistake": mistake,
        "listing": with_marks(context, results),
        "page": page,
        "pages_at": f"{at}&",
        "here": f"{at}&page={page.number}" if page.number > 1 else at,
        "layout": layout,
        "columns": layouts.columns_of(layout),
        "columns_known": layouts.COLUMNS,
        "order": (query.sorts or layouts.sorts_of(layout) or (Sort("updated"),))[0],
        "orders_known": _ORDERS,
        "groups_known": layouts.GROUPS,
        **QUERY_LINE,
        "inside": f"?{urlencode({'in': text})}" if text else "",
    }


def understood(text: str) -> tuple[Query, Mistake | None]:
    """Return the parsed query; if it has an error, the query for all tickets and the error."""
    try:
        return parse(text), None
    except QueryError as error:
        start, end = piece_at(text, error.position - 1)
        before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
        better, examples = corrected(text, error), examples_of(text, error)
        mistake = Mistake(str(error), before, text[start:end], after, start, end, better, examples)
        return Query(Everything()), mistake


def shown_text(context: Context, text: str, query: Query, mistake: Mistake | None) -> str:
    """Return the text of a query as its field shows it, with names of people and milestones for ids."""
    names = QueryNames(context, access.listed_project_ids(context))
    return text if mistake else names.text(text, query)


def query_help(_context: Context, _params: Params) -> Content:
    """Return the keywords and commands of the query language."""
    orders = sorted(set(SORTS.values()))
    return {"keys": KEYS.values(), "orders": orders, "commands": COMMANDS.values()}
