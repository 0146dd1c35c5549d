"""The orders of search results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from skerry.store.search.dialects import Texts
from skerry.store.search.sql import Sql, filled
from skerry.store.search.tree import Leaf, Node, grouped, wanted_runs
from skerry.text.queries.query_tree import Sort

NEWEST = Sql("t.updated_at DESC, t.project_id DESC, t.number DESC")
"""By last update, latest first: the order of every list, and of tickets that are otherwise equal."""

_LATEST_NUMBER = Sql("t.project_id DESC, t.number DESC")
"""The rest of that order after the last update: a bulk edit changes many tickets at one time."""

_MILESTONE = "(SELECT m.{} FROM milestones m WHERE m.account_id = ? AND m.id = t.milestone_id)"


def telling(sorts: Sequence[Sort]) -> tuple[Sort, ...]:
    """Return the orders without repetitions of a key, of which only the first has an effect."""
    first = {sort.key: sort for sort in reversed(sorts)}
    return tuple(sort for sort in sorts if sort is first[sort.key])


def order_of(sorts: Sequence[Sort], node: Node, texts: Texts) -> Sql:
    """Return the requested order."""
    keys = [key for sort in sorts for key in _keys(sort, node, texts)]
    if not keys or tuple(sorts) == (Sort("updated"),):
        return NEWEST
    rest = _LATEST_NUMBER if any(sort.key == "updated" for sort in sorts) else NEWEST
    return filled(", ".join(["{}"] * (len(keys) + 1)), *keys, rest)


def _keys(sort: Sort, node: Node, texts: Texts) -> list[Sql]:
    keys = _relevance(node, texts) if sort.key == "relevance" else _KEYS[sort.key](texts)
    falls = (sort.key in _GREATEST_FIRST) is not sort.reverse
    return [Sql(f"{key.text} DESC", key.values) if falls else key for key in keys]


def _relevance(node: Node, texts: Texts) -> list[Sql]:
    if not wanted_runs(node):
        return []
    return [filled("CASE WHEN {} THEN 0 ELSE 1 END", texts.row(in_titles(node)))]


def in_titles(node: Node) -> Node:
    """Return the condition on the most relevant tickets: those with all the words in their titles."""
    return grouped((Leaf(replace(run, text="title")) for run in wanted_runs(node)), every=True)


def _title(texts: Texts) -> list[Sql]:
    return [texts.title()]


def _state(texts: Texts) -> list[Sql]:
    """Return the order with open tickets first."""
    return [Sql("t.closed"), *_name(Sql(texts.exact("t.state")))]


def _name(exact: Sql) -> list[Sql]:
    """Return the order of names; both databases ignore the case of ASCII letters only."""
    return [filled("lower({})", exact), exact]


def _milestone(texts: Texts) -> list[Sql]:
    """Return the order in which milestones are listed: by due date, undated ones, then none."""
    due, title = (Sql(_MILESTONE.format(name), (texts.account_id,)) for name in ("due_on", "title"))
    exact = filled(texts.exact("coalesce({}, '')"), title)
    return [
        filled("CASE WHEN t.milestone_id IS NULL THEN 2 WHEN {} IS NULL THEN 1 ELSE 0 END", due),
        filled("coalesce({}, 0)", due),
        *_name(exact),
        Sql("coalesce(t.milestone_id, 0)"),
    ]


_KEYS: Mapping[str, Callable[[Texts], list[Sql]]] = {
    "updated": lambda _texts: [Sql("t.updated_at")],
    "created": lambda _texts: [Sql("t.created_at")],
    "importance": lambda _texts: [Sql("t.importance")],
    "number": lambda _texts: [Sql("t.number")],
    "title": _title,
    "state": _state,
    "milestone": _milestone,
}
_GREATEST_FIRST = ("updated", "created", "importance")
