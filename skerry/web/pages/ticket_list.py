"""Lists of tickets: a project's, a bin's, and those of every project visible to the reader."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from skerry.resources.bins import TicketBin
from skerry.resources.tickets import Ticket
from skerry.text.query import Everything, Query, QueryError, Sort, parse, print_query
from skerry.tracker import bins, projects, tags, tickets
from skerry.tracker.visit import Ask, Listing, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import last_there

TAGS_BESIDE = 20
"""Tags that stand beside a list."""

BINS_BESIDE = 30
"""Bins that stand there, beside the one whose tickets are shown; the page of bins has all."""

_ASCENDING, _DESCENDING = "ascending", "descending"

# The columns by the orders of the query language, each with its direction without a minus.
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
    """A column of the list: the direction in which it is sorted, if it is, and where it is sorted by it."""

    key: str
    sorted: str
    address: str


@dataclass(frozen=True)
class Mistake:
    """What is wrong in a query: the sentence, and the query cut at the character that it is about."""

    sentence: str
    before: str
    at: str
    after: str


def listed(visit: Visit, ask: Ask) -> Content:
    """Return a project's tickets; where no query is named, those of the reader's default bin."""
    kept = bins.kept(visit)
    default = next((each.query for each in kept if each.default), "")
    return _in_project(visit, ask, kept, ask.query.get("q", default))


def of_bin(visit: Visit, ask: Ask) -> Content:
    """Return the tickets of a bin; raises NotFound."""
    chosen = bins.shown(visit, ask)
    return _in_project(visit, ask, bins.kept(visit), chosen.query)


def everywhere(visit: Visit, ask: Ask) -> Content:
    """Return the tickets of all projects; raises Unauthenticated where there are none for nobody."""
    seen = {project.id: project for project in projects.listed(visit, ask).records}
    shown = _list(visit, ask, "/tickets", ask.query.get("q", ""), tickets.listed_everywhere)
    return {
        **shown,
        "projects": seen,
        "states": projects.states_of_some(seen.values(), shown["listing"].records),
        "bins": [],
        "bins_total": 0,
        "chosen": None,
        "tags": [],
    }


def _in_project(visit: Visit, ask: Ask, kept: list[TicketBin], text: str) -> Content:
    place = f"/projects/{visit.project_id}/tickets"
    chosen = next((each for each in kept if each.query.strip() == text.strip()), None)
    beside = kept[:BINS_BESIDE]
    if chosen and chosen not in beside:
        beside.append(chosen)
    return {
        **_list(visit, ask, place, text, tickets.listed),
        "projects": None,
        "states": {visit.project_id: projects.states_of(visit.project)},
        "bins": bins.counted(visit, beside, bins.BESIDE),
        "bins_total": len(kept),
        "chosen": chosen,
        "tags": tags.foremost(visit, TAGS_BESIDE),
    }


def _list(
    visit: Visit, ask: Ask, place: str, text: str, work: Callable[[Visit, Ask], Listing[Ticket]]
) -> Content:
    text = text.strip()
    query, mistake = _understood(text)
    listing, page = Listing(Ticket, [], 0), ask.page
    if mistake is None:
        asked = {**ask.query, "q": text}
        listing, page = last_there(page, lambda page: work(visit, replace(ask, query=asked, page=page)))
    kept = {"limit": ask.query["limit"]} if ask.query.get("limit") else {}
    return {
        "place": place,
        "query": text,
        "mistake": mistake,
        "listing": listing,
        "page": page,
        "pages_at": f"{place}?{urlencode({**kept, 'q': text})}&",
        "columns": _columns(place, query),
        "inside": f"?{urlencode({'in': text})}" if text else "",
    }


def _understood(text: str) -> tuple[Query, Mistake | None]:
    """Return a query, everything where there is a mistake in it."""
    try:
        return parse(text), None
    except QueryError as error:
        at = error.position - 1
        before, after = text[max(0, at - _AROUND) : at], text[at + 1 : at + 1 + _AROUND]
        return Query(Everything()), Mistake(str(error), before, text[at : at + 1], after)


def _columns(place: str, query: Query) -> list[Column]:
    first = query.sorts[0] if query.sorts else Sort("updated")
    return [_column(place, query, first, key, usual) for key, usual in _COLUMNS.items()]


def _column(place: str, query: Query, first: Sort, key: str, usual: str) -> Column:
    if not usual:
        return Column(key, "", "")
    present = first.key == key
    reverse = present and not first.reverse
    sorts = () if key == "updated" and not reverse else (Sort(key, reverse),)
    sorted_by = replace(query, sorts=sorts)
    text = "" if sorted_by == Query(Everything()) else print_query(sorted_by)
    return Column(
        key, _direction(usual, reverse=first.reverse) if present else "", f"{place}?{urlencode({'q': text})}"
    )


def _direction(usual: str, *, reverse: bool) -> str:
    return {_ASCENDING: _DESCENDING, _DESCENDING: _ASCENDING}[usual] if reverse else usual
