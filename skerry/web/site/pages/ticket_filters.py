"""The pages on which a filter is added to the query of a list; scripts show them as menus."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import parse_qsl, urlencode, urlsplit

from skerry.errors import NotFound
from skerry.prefixes import inside, prefix_of
from skerry.text.queries.query import parse
from skerry.text.queries.query_complete import piece_at
from skerry.text.queries.query_edit import as_typed, has_value, toggled, values_of, without_key
from skerry.text.queries.query_keys import KEYS, NAMES
from skerry.text.queries.query_tree import Query, Sort, Term
from skerry.tracker import bins, layouts, suggestions
from skerry.tracker.context import Context, Params
from skerry.tracker.projects import states_of
from skerry.web.auth import browser
from skerry.web.site.pages import Content, ticket_list
from skerry.web.site.pages import bins as bin_pages
from skerry.web.site.pages.ticket_list import FILTERS

_MAX_OPTIONS = 50
_OFFSET = re.compile(r"[0-9]{1,4}")
_SORT, _GROUP = "sort", "group"

# Tickets can have several of these at once.
_SEVERAL = ("tagged",)

# The orders that can be chosen, each with whether it is the usual direction that falls.
_ORDERS = ("importance", "state", "milestone", "due", "updated", "created", "number", "title")
_FALLING = ("importance", "updated", "created")


@dataclass(frozen=True)
class Option:
    """A choice, and the query that it leads to; ``falls`` says in which direction an order is chosen.

    ``written`` is the value as it stands in a query.
    """

    label: str
    kind: str
    query: str
    is_current: bool
    falls: bool | None = None
    written: str = ""


def get(context: Context, params: Params) -> Content:
    """Return the filters of a list, or the choices of one; raises NotFound."""
    back = browser.local_path(params.query.get("next"))
    kept = bins.readable(context)
    # Scripts name it as the browser sees it.
    shown_at = inside(urlsplit(back or "").path, prefix_of(context.transaction.base))
    view = next((each for each in kept if bin_pages.path_of(context, each) == shown_at), None)
    text, chosen, layout = ticket_list.viewed(context, params, kept, view)
    searched = params.query.get("find", "").strip()
    keeps = ticket_list.keeps(context, chosen)
    board = ticket_list.path_of(context).removesuffix("tickets") + "board"
    is_list = shown_at != board
    place = shown_at if view or not is_list else ticket_list.path_of(context)
    # The columns of a board have a menu of their own.
    names = (*FILTERS, _SORT, *([_GROUP] if keeps and is_list else []))
    name = _name(params, names)
    query, mistake = ticket_list.understood(text)
    start, end = _term_at(text, params.query.get("at", ""))
    options = [] if mistake else _options(context, params, name, query, searched, layout)
    if end and name != _SORT:
        options = [_in_place(text, start, end, option) for option in options]
    return {
        "at": f"{ticket_list.path_of(context)}/filter",
        "place": place,
        "columns": "" if is_list else dict(parse_qsl(urlsplit(back or "").query)).get("group", ""),
        "back": back or f"{place}?{urlencode({'q': text})}",
        "query": text,
        "mistake": mistake,
        "name": name,
        "filters": names,
        "present": {key: values_of(query, key) for key in FILTERS},
        "options": options[:_MAX_OPTIONS],
        "omitted": len(options) > _MAX_OPTIONS or (name == "tagged" and len(options) >= suggestions.MAX),
        "without": _without(text, start, end)
        or (as_typed(without_key(query, name)) if values_of(query, name) else None),
        "searched": searched,
        "groups": [word for word in layouts.GROUPS if word != "project" or not context.entered],
        "layout": layout,
        "keeps": keeps,
        "states": states_of(context.project) if context.entered else None,
    }


def _name(params: Params, names: Sequence[str]) -> str:
    """Return the name of the chosen filter, or an empty one for all; raises NotFound."""
    asked = params.query.get("key", "")
    name = NAMES.get(asked, asked)
    if name and name not in {*KEYS, *names}:
        raise NotFound(f"There is no filter with this name; filters are {', '.join(names)}")
    return name


def _options(
    context: Context, params: Params, name: str, query: Query, searched: str, layout: layouts.Layout
) -> list[Option]:
    if name == _SORT:
        usual = layouts.sorts_of(layout) or (Sort("updated"),)
        return [_order(key, query, usual) for key in _ORDERS]
    if name not in KEYS:
        return []
    candidates = suggestions.values_of(context, params, name, searched)
    return [_option(name, candidate, query) for candidate in candidates]


def _option(name: str, candidate: suggestions.Candidate, query: Query) -> Option:
    term = cast("Term", parse(f"{name}:{candidate.written}").condition)
    changed = as_typed(toggled(query, term, several=name in _SEVERAL))
    return Option(candidate.text, candidate.kind, changed, has_value(query, term), written=candidate.written)


def _term_at(text: str, at: str) -> tuple[int, int]:
    """Return the offsets of the term of a query at an offset; both are 0 if there is none."""
    return piece_at(text, int(at)) if _OFFSET.fullmatch(at) and int(at) < len(text) else (0, 0)


def _in_place(text: str, start: int, end: int, option: Option) -> Option:
    """Return a choice that changes one term, which keeps its place and its minus."""
    head = text[start:end].partition(":")[0]
    changed = f"{text[:start]}{head}:{option.written}{text[end:]}"
    if option.is_current and head in KEYS and head not in _SEVERAL:
        return option
    return replace(option, query=changed, is_current=changed == text)


def _without(text: str, start: int, end: int) -> str | None:
    """Return a query without the term between two offsets, or None if it then has a mistake."""
    rest = f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()
    return rest if end and not ticket_list.understood(rest)[1] else None


def _order(key: str, query: Query, usual: Sequence[Sort]) -> Option:
    """Return an order, or its reverse if the list has that order already."""
    first = (query.sorts or usual)[0]
    is_current = first.key == key
    sort = Sort(key, is_current and not first.reverse)
    sorts = () if (sort,) == tuple(usual) else (sort,)
    falls = (key in _FALLING) is not first.reverse if is_current else None
    return Option(key, _SORT, as_typed(replace(query, sorts=sorts)), is_current, falls)
