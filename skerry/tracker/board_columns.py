"""The columns of a board: what the projects offer, each name once, and one for the rest.

Several projects share a column for the states, levels or milestones that they call the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skerry.resources.projects import Project
from skerry.store import milestones, states
from skerry.store.milestones import MilestoneName
from skerry.text.levels import Level
from skerry.text.queries.query_tree import (
    MYSELF,
    NEXT,
    And,
    Comparison,
    Condition,
    Not,
    Nothing,
    Term,
    Text,
    Value,
)
from skerry.text.words import folded
from skerry.tracker import access
from skerry.tracker import projects as project_rules
from skerry.tracker.context import Context
from skerry.tracker.people import people
from skerry.tracker.states import UNKNOWN_COLOR

MAX = 40
"""How many columns a board has at most, besides the one for the rest."""

_CLASSES = ("open", "closed")

# Bars of priority, where a project has no levels.
_NUMBERS = (4, 3, 2, 1)


@dataclass(frozen=True)
class Column:
    """A column: its name, empty for nobody or none, and the condition on its tickets.

    A ticket that is moved there gets ``value``, or in some projects another one of ``values``; if there is
    none for its project, it cannot be moved there. ``number`` is the id of the person or the number of the
    level, ``stage`` and ``color`` are those of the state.
    """

    name: str
    condition: Condition
    value: str | None = None
    values: Mapping[int, str] = field(default_factory=dict)
    number: int = 0
    stage: str = ""
    color: str = ""
    is_rest: bool = False


def of_group(context: Context, group: str, projects: Sequence[Project]) -> list[Column]:
    """Return the columns of a group in some projects; the last one has the tickets of no other."""
    columns = _GROUPS[group](context, projects)
    # What comes after the values, none, keeps its place.
    shown = columns if len(columns) <= MAX else [*columns[: MAX - 1], columns[-1]]
    is_complete = group == "state" and shown == columns
    return shown if is_complete else [*shown, Column("", _rest(shown), is_rest=True)]


def _rest(columns: Iterable[Column]) -> Condition:
    """Return the condition on tickets in none of the columns."""
    conditions = [column.condition for column in columns]
    terms = [each for each in conditions if isinstance(each, Term)]
    values = tuple(value for term in terms for value in term.values)
    joined = [Not(Term(terms[0].key, values))] if terms else []
    others = [Not(each) for each in conditions if not isinstance(each, Term)]
    parts = (*joined, *others)
    return And(parts) if len(parts) > 1 else parts[0]


def _states(context: Context, projects: Sequence[Project]) -> list[Column]:
    """Return the states in the order of the settings, open ones first, then those that only tickets have."""
    known: dict[str, Column] = {}
    closed: dict[str, bool] = {}
    for project in projects:
        defined = project_rules.states_of(project)
        for state in (*defined.open, *defined.closed):
            name = folded(state.name)
            known.setdefault(name, _state(state.name, defined.stage(state), state.color, value=state.name))
            closed[name] = closed.get(name, True) and state.closed
    ids = access.ids_of(projects)
    for name, is_closed, _ in sorted(states.counts(context.transaction, ids)):
        known.setdefault(folded(name), _state(name, "void" if is_closed else "open", UNKNOWN_COLOR))
        closed.setdefault(folded(name), is_closed)
    for name in _CLASSES:
        others = [each for each in known if each != name and closed[each] == closed.get(name)]
        if name in known and others:
            # In a query this name is that of all open or closed states, of which the column is the rest.
            rest = Not(_term("state", *(Text(known[each].name) for each in others)))
            known[name] = replace(known[name], condition=And((known[name].condition, rest)))
    return [known[name] for name in sorted(known, key=lambda name: closed[name])]


def _state(name: str, stage: str, color: str, value: str | None = None) -> Column:
    return Column(name, _term("state", Text(name)), value, stage=stage, color=color)


def _people(context: Context, projects: Sequence[Project]) -> list[Column]:
    """Return nobody, the caller, and the others who work in the projects, by name."""
    own, members = context.reader_id, people.of_projects(context, access.ids_of(projects))
    in_order = sorted(members, key=lambda person: (person[0] != own, person[1].casefold(), person[0]))
    return [
        Column("", _term("responsible", Nothing()), ""),
        *(
            Column(
                name,
                _term("responsible", Text(MYSELF if user_id == own else str(user_id))),
                str(user_id),
                number=user_id,
            )
            for user_id, name in in_order
        ),
    ]


def _milestones(context: Context, projects: Sequence[Project]) -> list[Column]:
    """Return the open milestones as they are listed, and none."""
    ids = access.ids_of(projects)
    named: dict[str, list[MilestoneName]] = {}
    for milestone in milestones.named_in(context.transaction, ids):
        named.setdefault(folded(milestone.title), []).append(milestone)
    columns = [
        _milestone(title, same) for title, same in named.items() if not all(each.closed for each in same)
    ]
    return [*columns, Column("", _term("milestone", Nothing()), "")]


def _milestone(title: str, same: Sequence[MilestoneName]) -> Column:
    # The last one of a project with the same title twice would win, and the first is due first.
    values = {each.project_id: str(each.id) for each in reversed(same) if not each.closed}
    is_plain = "*" not in title and title != NEXT and not title.startswith("id#")
    texts = [same[0].title] if is_plain else [f"id#{each.id}" for each in same]
    return Column(same[0].title, _term("milestone", *map(Text, texts)), values=values)


def _levels(_context: Context, projects: Sequence[Project]) -> list[Column]:
    """Return the levels of importance, the highest first, and none; numbers where no project has levels."""
    named: dict[str, list[tuple[int, Level]]] = {}
    for project in projects:
        for level in project_rules.levels_of(project).all:
            named.setdefault(folded(level.name), []).append((project.id or 0, level))
    in_order = sorted(named.values(), key=lambda same: -max(level.number for _, level in same))
    columns = [_level(same) for same in in_order]
    numbers = [Column(str(each), _importance(each), str(each), number=each) for each in _NUMBERS]
    return [*(columns or numbers), Column("", _importance(0), "0")]


def _level(same: Sequence[tuple[int, Level]]) -> Column:
    _, first = same[0]
    values = {project_id: str(level.number) for project_id, level in same}
    return Column(first.name, _term("importance", Text(first.name)), values=values, number=first.number)


def _importance(number: int) -> Term:
    return _term("importance", Comparison("=", number))


def _term(key: str, *values: Value) -> Term:
    return Term(key, values)


_GROUPS: Mapping[str, Callable[[Context, Sequence[Project]], list[Column]]] = {
    "state": _states,
    "responsible": _people,
    "milestone": _milestones,
    "importance": _levels,
}
