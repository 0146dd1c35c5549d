"""The orders of search results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from skerry.store.search.index import FullText
from skerry.store.search.names import Names
from skerry.store.search.sql import Sql, filled
from skerry.store.search.tree import Leaf, Node, conjuncts, grouped, negated, wanted_runs, wanted_term
from skerry.text.queries.dates import read_span
from skerry.text.queries.query_tree import Dates, Sort, Term

NEWEST = Sql("t.updated_at DESC, t.project_id DESC, t.number DESC")
"""By last update, latest first: the default order, and the order of tickets that are otherwise equal."""

_LATEST_NUMBER = Sql("t.project_id DESC, t.number DESC")
"""The rest of the default order, for tickets with the same last update, as after a bulk edit."""

HAS_DUE = Term("due", (Dates(read_span(">=0001-01-01")),))
"""What tickets with any due date match."""

DATED = Sql("t.due_on >= '0'")
"""The same as a condition that the index of due dates serves."""

_DUE, _DUE_LATEST = Sql("t.due_on"), Sql("t.due_on DESC")

UNINDEXED_ORDERS = frozenset(("title", "relevance"))
"""The orders for which another row must be read for each ticket."""

RANKED_ORDERS = frozenset(("milestone", "state", "board_state"))
"""The orders for which the place of each ticket must be worked out."""


def without_repeats(sorts: Sequence[Sort]) -> tuple[Sort, ...]:
    """Return the orders without repeated keys, of which only the first has an effect."""
    first = {sort.key: sort for sort in reversed(sorts)}
    return tuple(sort for sort in sorts if sort is first[sort.key])


def order_of(sorts: Sequence[Sort], node: Node, texts: FullText, names: Names) -> Sql:
    """Return the requested order."""
    keys = [key for sort in sorts for key in _keys(sort, node, texts, names)]
    if not keys or tuple(sorts) == (Sort("updated"),):
        return NEWEST
    rest = _LATEST_NUMBER if any(sort.key == "updated" for sort in sorts) else NEWEST
    return filled(", ".join(["{}"] * (len(keys) + 1)), *keys, rest)


def halves(sorts: Sequence[Sort], node: Node) -> list[tuple[Node, tuple[Sort, ...]]]:
    """Return the two searches whose results follow each other in an order, if there are such.

    By relevance, tickets with the words in their titles and the rest; by due date, those with one and those
    without.
    """
    first, *rest = sorts or [Sort("updated")]
    if first.key == "relevance" and wanted_runs(node):
        titles = in_titles(node)
        both = [(grouped([node, part], every=True), tuple(rest)) for part in (titles, negated(titles))]
        return both[::-1] if first.reverse else both
    if first.key == "due" and not all_due(node):
        has, has_not = Leaf(HAS_DUE), Leaf(HAS_DUE, wanted=False)
        return [
            (grouped([node, has], every=True), tuple(sorts)),
            (grouped([node, has_not], every=True), tuple(rest)),
        ]
    return []


def all_due(node: Node) -> bool:
    """Return whether a search is only for tickets with a due date."""
    return any(wanted_term(part) == HAS_DUE for part in conjuncts(node))


def _keys(sort: Sort, node: Node, texts: FullText, names: Names) -> list[Sql]:
    if sort.key == "due":
        # Undated tickets are last in both directions.
        keys = [_DUE_LATEST if sort.reverse else _DUE]
        return keys if all_due(node) else [Sql("t.due_on IS NULL"), *keys]
    keys = _relevance(node, texts) if sort.key == "relevance" else _KEYS[sort.key](texts, names)
    falls = (sort.key in _GREATEST_FIRST) is not sort.reverse
    return [Sql(f"{key.text} DESC", key.values) if falls else key for key in keys]


def _relevance(node: Node, texts: FullText) -> list[Sql]:
    if not wanted_runs(node):
        return []
    return [filled("CASE WHEN {} THEN 0 ELSE 1 END", texts.row(in_titles(node)))]


def in_titles(node: Node) -> Node:
    """Return the condition on the most relevant tickets: those with all the words in their titles."""
    return grouped((Leaf(replace(run, text="title")) for run in wanted_runs(node)), every=True)


def _title(texts: FullText, _names: Names) -> list[Sql]:
    return [texts.title()]


def _state(texts: FullText, names: Names) -> list[Sql]:
    """Return the order with open tickets first; both databases ignore the case of ASCII letters only."""
    return [Sql("t.closed"), _ranked(texts.exact("t.state"), names.state_order())]


def _board_state(texts: FullText, names: Names) -> list[Sql]:
    """Return the order of the columns of a board: open states first, in the order of the settings."""
    return [Sql("t.closed"), _ranked(texts.exact("t.state"), names.states_as_defined())]


def _milestone(_texts: FullText, names: Names) -> list[Sql]:
    """Return the order in which milestones are listed: by due date, undated ones, then none."""
    ids = names.milestone_order()
    has_none = Sql(f"WHEN t.milestone_id IS NULL THEN {len(ids)}")
    return [filled("CASE {} ELSE {} END", has_none, _ranked("t.milestone_id", ids))]


def _ranked(column: str, order: Sequence[Any]) -> Sql:
    """Return the place of a column's value in an order, without reading another row for each ticket."""
    # A number alone would be the number of a column.
    return filled("coalesce({}, 0)", _halved(column, sorted((each, rank) for rank, each in enumerate(order))))


def _halved(column: str, places: Sequence[tuple[Any, int]]) -> Sql:
    if len(places) < 2:  # noqa: PLR2004 - nothing to halve
        return Sql(str(places[0][1] if places else 0))
    middle = len(places) // 2
    below = Sql(f"{column} < ?", (places[middle][0],))
    parts = (_halved(column, some) for some in (places[:middle], places[middle:]))
    return filled("CASE WHEN {} THEN {} ELSE {} END", below, *parts)


# Not in the query language: groups of a list, which have to be in one piece; states are as on a board.
_GROUPS: Mapping[str, Callable[[FullText, Names], list[Sql]]] = {
    "project": lambda _texts, _names: [Sql("t.project_id")],
    "board_state": _board_state,
    "responsible": lambda _texts, _names: [Sql("t.assigned_user_id IS NULL"), Sql("t.assigned_user_id")],
}

_KEYS: Mapping[str, Callable[[FullText, Names], list[Sql]]] = {
    "updated": lambda _texts, _names: [Sql("t.updated_at")],
    "created": lambda _texts, _names: [Sql("t.created_at")],
    "importance": lambda _texts, _names: [Sql("t.importance")],
    "number": lambda _texts, _names: [Sql("t.number")],
    "title": _title,
    "state": _state,
    "milestone": _milestone,
    **_GROUPS,
}
_GREATEST_FIRST = ("updated", "created", "importance")
