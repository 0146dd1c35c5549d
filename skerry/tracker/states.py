"""The states of a project, and the number of tickets in each."""

from skerry.resources.projects import State
from skerry.store import states as store
from skerry.text.words import folded
from skerry.tracker import access, projects
from skerry.tracker.context import Context, Params, ResultPage

UNKNOWN_COLOR = "888888"


def names_in_use(context: Context) -> list[str]:
    """Return the names of the states of the tickets in the project, or in all visible ones."""
    return [name for name, *_ in store.counts(context.transaction, access.listed_project_ids(context))]


def list_all(context: Context, _params: Params) -> ResultPage[State]:
    """Return the states of the project in the order of its settings, open ones first.

    States that were removed from the settings but are still used by tickets come last.
    """
    left: dict[str, tuple[str, bool, int]] = {}
    for name, closed, count in store.counts(context.transaction, access.listed_project_ids(context)):
        known = left.get(folded(name), (name, closed, 0))
        left[folded(name)] = (name, closed, known[2] + count)
    states = projects.states_of(context.project)
    known_states = [
        State(state.closed, state.color, state.name, left.pop(folded(state.name), ("", False, 0))[2])
        for state in states.open + states.closed
    ]
    known_states += [
        State(closed, UNKNOWN_COLOR, name, count) for name, closed, count in sorted(left.values())
    ]
    return ResultPage(State, known_states)
