"""Lists of tickets: of a project, of a bin, and of all projects visible to the reader."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from skerry.resources.bins import TicketBin
from skerry.resources.lists import ListSettings
from skerry.resources.tickets import Ticket
from skerry.text.commands import COMMANDS
from skerry.text.queries.query import KEYS, SORTS, Everything, Query, QueryError, Sort, parse, print_query
from skerry.tracker import bins, layouts, projects, tickets
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.layouts import Layout
from skerry.tracker.people import avatars
from skerry.web.site.frame import MAX_VIEWS
from skerry.web.site.pages import Content, Elsewhere, bulk_edits, ticket_edit
from skerry.web.site.pages import bins as bin_pages
from skerry.web.site.pages.lists import existing_page

_ASCENDING, _DESCENDING = "ascending", "descending"

# The orders that a list can be kept in; the first one is the usual.
_ORDERS = ("", "importance", "state", "milestone", "due", "created", "number", "title")

# The orders by sort key of the query language, each with its default direction.
_COLUMNS = {
    "number": _ASCENDING,
    "title": _ASCENDING,
    "state": _ASCENDING,
    "responsible": "",
    "milestone": _ASCENDING,
    "importance": _DESCENDING,
    "updated": _DESCENDING,
}

# A query that is only a number leads to the ticket.
_NUMBER = re.compile(r"#?[0-9]+")

_AROUND = 60


@dataclass(frozen=True)
class Column:
    """An order of the list: its direction if the list is sorted by it, and the URL that sorts by it."""

    key: str
    sorted: str
    address: str


@dataclass(frozen=True)
class Keeps:
    """Where the layout of a list is kept: the address of the form, and the name of its record."""

    address: str
    name: str


@dataclass(frozen=True)
class Mistake:
    """An error in a query: the sentence, and the query split at its position."""

    sentence: str
    before: str
    at: str
    after: str


def list_all(context: Context, params: Params) -> Content | Elsewhere:
    """Return the tickets of a project, or of all visible ones; without a query, those of the default bin.

    Raises Unauthenticated if no project is visible.
    """
    kept = bins.readable(context)
    default = next((each.query for each in kept if each.default), "")
    return _or_ticket(params, _in_place(context, params, kept, params.query.get("q", default)))


def of_bin(context: Context, params: Params) -> Content:
    """Return the tickets of a bin; raises NotFound."""
    chosen = bins.get(context, params)
    return _in_place(context, params, bins.readable(context), chosen.query)


def _or_ticket(params: Params, content: Content) -> Content | Elsewhere:
    """Return a list, or a redirect to the ticket if the query is just its number."""
    records = content["listing"].records
    if len(records) != 1 or not _NUMBER.fullmatch(params.query.get("q", "").strip()):
        return content
    return Elsewhere(f"/projects/{records[0].project_id}/tickets/{records[0].number}")


def _in_place(context: Context, params: Params, kept: list[TicketBin], text: str) -> Content:
    chosen = next((each for each in kept if each.query.strip() == text.strip()), None)
    path = f"/projects/{context.project_id}/tickets" if context.entered else "/tickets"
    layout = chosen or _own_layout(context, params)
    shown = _list(context, params, path, text, layout)
    records = shown["listing"].records
    seen = {} if context.entered else {each.id: each for each in projects.list_all(context, params).records}
    known = [context.project] if context.entered else seen.values()
    return {
        **shown,
        "projects": seen,
        "states": projects.states_of_some(known, records),
        "bins_at": bin_pages.place(context),
        "may_save": bin_pages.may_change(context),
        "views": bins.counted(context, kept[:MAX_VIEWS], bins.BESIDE),
        "chosen": chosen,
        "keeps": _keeps(context, chosen),
        "groups": layouts.grouped(records, layout),
        "whole": shown["listing"].exact and len(records) == shown["listing"].total,
        "edited": bulk_edits.just_made(context, params) if context.entered and context.principal else None,
        "undo": ticket_edit.undo(context, params) if context.entered else None,
        "pictures": avatars.paths(context, [each.assigned_user_id for each in records]),
    }


def _keeps(context: Context, chosen: TicketBin | None) -> Keeps | None:
    """Return where the layout of the list is kept, or None if the reader may not change it."""
    if chosen:
        address = f"{bin_pages.place(context)}/{chosen.id}"
        return Keeps(address, "ticket_bin") if bin_pages.may_change(context) else None
    own = context.project_id if context.entered else "all"
    return Keeps(f"/profile/lists/{own}", "list_settings") if context.principal else None


def _own_layout(context: Context, params: Params) -> Layout:
    """Return how the reader sees the list if no saved view applies."""
    return layouts.get(context, params) if context.principal else ListSettings()


def _list(context: Context, params: Params, path: str, text: str, layout: Layout) -> Content:
    text = text.strip()
    query, mistake = _understood(text)
    results, page = ResultPage(Ticket, [], 0), params.page
    if mistake is None:
        ordered = layouts.ordered(query, layout)
        results, page = existing_page(
            page, lambda page: tickets.matching(context, replace(params, page=page), ordered)
        )
    kept = {"limit": params.query["limit"]} if params.query.get("limit") else {}
    at = f"{path}?{urlencode({**kept, 'q': text})}"
    return {
        "place": path,
        "query": text,
        "mistake": mistake,
        "listing": results,
        "page": page,
        "pages_at": f"{at}&",
        "here": f"{at}&page={page.number}" if page.number > 1 else at,
        "layout": layout,
        "columns": layouts.columns_of(layout),
        "columns_known": layouts.COLUMNS,
        "orders": _columns(path, query, layouts.sorts_of(layout)),
        "order": (query.sorts or layouts.sorts_of(layout) or (Sort("updated"),))[0],
        "orders_known": _ORDERS,
        "groups_known": layouts.GROUPS,
        "inside": f"?{urlencode({'in': text})}" if text else "",
    }


def _understood(text: str) -> tuple[Query, Mistake | None]:
    """Return the parsed query; if it has an error, the query for all tickets and the error."""
    try:
        return parse(text), None
    except QueryError as error:
        at = error.position - 1
        before, after = text[max(0, at - _AROUND) : at], text[at + 1 : at + 1 + _AROUND]
        return Query(Everything()), Mistake(str(error), before, text[at : at + 1], after)


def _columns(path: str, query: Query, usual: Sequence[Sort]) -> list[Column]:
    """Return the orders; ``usual`` is the order of the list if the query has none."""
    usual = usual or (Sort("updated"),)
    first = (query.sorts or usual)[0]
    return [_column(path, query, first, usual, key) for key in _COLUMNS]


def _column(path: str, query: Query, first: Sort, usual: Sequence[Sort], key: str) -> Column:
    direction = _COLUMNS[key]
    if not direction:
        return Column(key, "", "")
    present = first.key == key
    sort = Sort(key, present and not first.reverse)
    sorts = () if [sort] == list(usual) else (sort,)
    sorted_by = replace(query, sorts=sorts)
    text = "" if sorted_by == Query(Everything()) else print_query(sorted_by)
    return Column(
        key,
        _direction(direction, reverse=first.reverse) if present else "",
        f"{path}?{urlencode({'q': text})}",
    )


def _direction(usual: str, *, reverse: bool) -> str:
    return {_ASCENDING: _DESCENDING, _DESCENDING: _ASCENDING}[usual] if reverse else usual


def query_help(_context: Context, _params: Params) -> Content:
    """Return the keywords and commands of the query language."""
    orders = sorted(set(SORTS.values()))
    return {"keys": KEYS.values(), "orders": orders, "commands": COMMANDS.values()}
