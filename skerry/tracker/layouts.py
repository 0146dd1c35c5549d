"""How lists of tickets are shown: their columns, groups and order, in saved views and for each person."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Protocol

from skerry.errors import Invalid
from skerry.resources.lists import ListSettings
from skerry.resources.tickets import Ticket
from skerry.store import list_settings as store
from skerry.store.people import users
from skerry.text.queries.query_tree import Query, Sort
from skerry.text.queries.query_values import SORTS, as_written
from skerry.tracker.context import Context, Params
from skerry.wire.record import changed

COLUMNS = (
    "number",
    "project",
    "state",
    "responsible",
    "milestone",
    "importance",
    "due",
    "tags",
    "created",
    "updated",
)
"""The columns that a list can have beside the title."""

USUAL_COLUMNS = tuple(name for name in COLUMNS if name != "created")
"""What a page shows beside the title unless the layout says otherwise."""

# The fields of tickets that are equal in a group.
_GROUPED_BY = {
    "project": "project_id",
    "state": "state",
    "responsible": "assigned_user_id",
    "milestone": "milestone_id",
    "importance": "importance",
}

GROUPS = tuple(_GROUPED_BY)
"""What tickets can be grouped by."""

_ALIASES = {"assigned": "responsible", "priority": "importance", "tagged": "tags"}

NONE = {"columns": "", "group": "", "sort": ""}
"""The layout that leaves everything to the program that shows the list."""


class Layout(Protocol):
    """A record that says how a list is shown."""

    @property
    def columns(self) -> str:
        """Return the names of columns, with commas between them."""

    @property
    def group(self) -> str:
        """Return what the tickets are grouped by, empty for nothing."""

    @property
    def sort(self) -> str:
        """Return the names of orders, with commas between them, each with ``-`` behind it to reverse it."""


def checked(layout: Layout) -> dict[str, str]:
    """Return a layout in the words of the query language, by field; raises Invalid for another word.

    Columns may contain the title, which every list shows.
    """
    return {
        "columns": ",".join(_names("Columns", layout.columns, _with_aliases((*COLUMNS, "title")))),
        "group": _group(layout.group),
        "sort": ",".join(_names("Sort", layout.sort, SORTS, "-")),
    }


def own_name(group: str) -> str:
    """Return the name of a group for one of its names."""
    return _ALIASES.get(group.lower(), group.lower())


def _group(text: str) -> str:
    names = _names("Group", text, _with_aliases(GROUPS))
    if len(names) > 1:
        raise Invalid("Group must be a single word")
    return "".join(names)


def _with_aliases(names: tuple[str, ...]) -> Mapping[str, str]:
    return {**{old: new for old, new in _ALIASES.items() if new in names}, **{name: name for name in names}}


def _names(label: str, text: str, known: Mapping[str, str], mark: str = "") -> list[str]:
    """Return the known names in a text, each once; raises Invalid for another word."""
    names: dict[str, str] = {}
    for word in text.replace(",", " ").split():
        bare = word.removesuffix(mark).lower()
        if bare not in known:
            choices = ", ".join(dict.fromkeys(known.values()))
            raise Invalid(f"{label} cannot contain {as_written(word)}; choose from {choices}")
        names.setdefault(known[bare], word[len(bare) :])
    return [name + behind for name, behind in names.items()]


def ordered(query: Query, layout: Layout) -> Query:
    """Return a query in groups, and in the order of a layout unless the query has its own."""
    sorts = query.sorts or sorts_of(layout)
    group = "board_state" if layout.group == "state" else layout.group
    groups = (Sort(group),) if layout.group in _GROUPED_BY else ()
    return replace(query, sorts=(*groups, *sorts), text="")


def grouped(ordered: Sequence[Ticket], layout: Layout) -> list[list[Ticket]]:
    """Return tickets that are in the order of a layout in its groups, all in one if it has none."""
    if layout.group not in _GROUPED_BY:
        return [list(ordered)] if ordered else []
    return [list(group) for _, group in groupby(ordered, attrgetter(_GROUPED_BY[layout.group]))]


def columns_of(layout: Layout) -> Sequence[str]:
    """Return the columns of a layout, or the usual ones if it names none."""
    return layout.columns.split(",") if layout.columns else USUAL_COLUMNS


def sorts_of(layout: Layout) -> tuple[Sort, ...]:
    """Return the order of a layout, empty for the usual one."""
    words = [word for word in layout.sort.split(",") if word.removesuffix("-") in SORTS]
    return tuple(Sort(word.removesuffix("-"), word.endswith("-")) for word in words)


def get(context: Context, _params: Params) -> ListSettings:
    """Return how the caller sees the list of the project, or of all projects."""
    project_id = _project_id(context)
    kept = store.one(context.transaction, project_id, context.author.user_id) or ListSettings()
    return changed(kept, project_id=project_id or None)


def update(context: Context, params: Params) -> ListSettings:
    """Change how the caller sees the list; raises Invalid for a word that is not known."""
    users.lock(context.transaction, context.author.user_id)
    new = params.draft_of(ListSettings).over(get(context, params))
    store.put(context.transaction, _project_id(context), context.author.user_id, **checked(new))
    return get(context, params)


def _project_id(context: Context) -> int:
    return context.project_id if context.entered else store.ALL
