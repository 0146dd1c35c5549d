"""Lists of tickets: of a project, of a bin, and of all projects visible to the reader."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from skerry.resources.bins import TicketBin
from skerry.resources.tickets import Ticket
from skerry.text.queries.query import Everything, Query, QueryError, Sort, parse, print_query
from skerry.tracker import bins, projects, tags, tickets
from skerry.tracker.context import Context, Params, ResultPage
from skerry.web.site.pages.content import Content
from skerry.web.site.pages.lists import existing_page

TAGS_BESIDE = 20
"""How many tags are shown beside a list."""

BINS_BESIDE = 30
"""How many bins are shown beside a list, in addition to the current one; the page of bins shows all."""

_ASCENDING, _DESCENDING = "ascending", "descending"

# The columns by sort key of the query language, each with its default direction.
_COLUMNS = {
    "number": _ASCENDING,
    "title": _ASCENDING,
    "state": _ASCENDING,
    "responsible": "",
    "milestone": _ASCENDING,
    "importance": _DESCENDING,
    "updated": _DESCENDING,
}

_AROUND = 60


@dataclass(frozen=True)
class Column:
    """A column of the list: its direction if the list is sorted by it, and the URL that sorts by it."""

    key: str
    sorted: str
    address: str


@dataclass(frozen=True)
class Mistake:
    """An error in a query: the sentence, and the query split at its position."""

    sentence: str
    before: str
    at: str
    after: str


def list_all(context: Context, params: Params) -> Content:
    """Return a project's tickets; without a query, those of the reader's default bin."""
    kept = bins.without_counts(context)
    default = next((each.query for each in kept if each.default), "")
    return _in_project(context, params, kept, params.query.get("q", default))


def of_bin(context: Context, params: Params) -> Content:
    """Return the tickets of a bin; raises NotFound."""
    chosen = bins.get(context, params)
    return _in_project(context, params, bins.without_counts(context), chosen.query)


def list_across_projects(context: Context, params: Params) -> Content:
    """Return the tickets of all visible projects; raises Unauthenticated if there are none."""
    seen = {project.id: project for project in projects.list_all(context, params).records}
    shown = _list(context, params, "/tickets", params.query.get("q", ""), tickets.list_across_projects)
    return {
        **shown,
        "projects": seen,
        "states": projects.states_of_some(seen.values(), shown["listing"].records),
        "bins": [],
        "bins_total": 0,
        "chosen": None,
        "tags": [],
    }


def _in_project(context: Context, params: Params, kept: list[TicketBin], text: str) -> Content:
    path = f"/projects/{context.project_id}/tickets"
    chosen = next((each for each in kept if each.query.strip() == text.strip()), None)
    beside = kept[:BINS_BESIDE]
    if chosen and chosen not in beside:
        beside.append(chosen)
    return {
        **_list(context, params, path, text, tickets.list_all),
        "projects": None,
        "states": {context.project_id: projects.states_of(context.project)},
        "bins": bins.counted(context, beside, bins.BESIDE),
        "bins_total": len(kept),
        "chosen": chosen,
        "tags": tags.foremost(context, TAGS_BESIDE),
    }


def _list(
    context: Context,
    params: Params,
    path: str,
    text: str,
    work: Callable[[Context, Params], ResultPage[Ticket]],
) -> Content:
    text = text.strip()
    query, mistake = _understood(text)
    results, page = ResultPage(Ticket, [], 0), params.page
    if mistake is None:
        asked = {**params.query, "q": text}
        results, page = existing_page(
            page, lambda page: work(context, replace(params, query=asked, page=page))
        )
    kept = {"limit": params.query["limit"]} if params.query.get("limit") else {}
    return {
        "place": path,
        "query": text,
        "mistake": mistake,
        "listing": results,
        "page": page,
        "pages_at": f"{path}?{urlencode({**kept, 'q': text})}&",
        "columns": _columns(path, query),
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


def _columns(path: str, query: Query) -> list[Column]:
    first = query.sorts[0] if query.sorts else Sort("updated")
    return [_column(path, query, first, key, usual) for key, usual in _COLUMNS.items()]


def _column(path: str, query: Query, first: Sort, key: str, usual: str) -> Column:
    if not usual:
        return Column(key, "", "")
    present = first.key == key
    reverse = present and not first.reverse
    sorts = () if key == "updated" and not reverse else (Sort(key, reverse),)
    sorted_by = replace(query, sorts=sorts)
    text = "" if sorted_by == Query(Everything()) else print_query(sorted_by)
    return Column(
        key, _direction(usual, reverse=first.reverse) if present else "", f"{path}?{urlencode({'q': text})}"
    )


def _direction(usual: str, *, reverse: bool) -> str:
    return {_ASCENDING: _DESCENDING, _DESCENDING: _ASCENDING}[usual] if reverse else usual
