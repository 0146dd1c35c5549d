"""Values in a query that name nothing the reader knows, and what was probably meant."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from skerry.resources.projects import Project
from skerry.store import milestones, tags
from skerry.store.people import placeholders
from skerry.text.queries.query import is_query
from skerry.text.queries.query_complete import piece_at
from skerry.text.queries.query_keys import KEYS
from skerry.text.queries.query_print import quoted_name
from skerry.text.queries.query_tree import Query, Term, Text, terms
from skerry.text.queries.query_values import sign_and_name
from skerry.text.words import folded
from skerry.tracker import access, states
from skerry.tracker.context import Context
from skerry.tracker.people import people, users
from skerry.tracker.projects import levels_of, states_of

_MAX_NEAR = 3
_MAX_PROJECTS = 20
_MAX_TAGS = 1000


@dataclass(frozen=True)
class UnknownValue:
    """A value that nothing has: its keyword and text, where its term is, and queries with similar names."""

    key: str
    name: str
    start: int
    end: int
    near: list[str]


@dataclass(frozen=True)
class _Known:
    """The projects that a query searches, and what is known in them."""

    context: Context
    projects: list[Project]

    def names(self, key: str) -> Mapping[str, str]:
        """Return the names that a keyword accepts, each by what is compared; empty if nobody can tell."""
        found = _NAMES[key](self) if key in _NAMES else ()
        named = [*KEYS[key].choices, *found] if found else []
        firsts = {folded(name).partition(" ")[0]: name for name in named} if key in _PEOPLE else {}
        return firsts | {folded(name): name for name in named}

    def states(self) -> list[str]:
        defined = [name for each in self.projects for name in states_of(each).names]
        return [*states.names_in_use(self.context), *defined]

    def people(self) -> list[str]:
        if self.context.principal is None or not users.sees_others(self.context):
            return []
        imported = [each.name for each in placeholders.list_all(self.context.transaction)]
        return imported + [each.name for each in people.everybody(self.context)]

    def milestones(self) -> list[str]:
        ids = access.listed_project_ids(self.context)
        return [each.title for each in milestones.named_in(self.context.transaction, ids)]

    def tags(self) -> list[str]:
        # Of many projects, not all tags are read.
        known = self.projects if len(self.projects) <= _MAX_PROJECTS else []
        counts = [tags.counts(self.context.transaction, each.id or 0, _MAX_TAGS) for each in known]
        return (
            []
            if any(len(each) == _MAX_TAGS for each in counts)
            else [tag for each in counts for tag, _ in each]
        )

    def levels(self) -> list[str]:
        return [level.name for each in self.projects for level in levels_of(each).all]

    def project_names(self) -> list[str]:
        return [name for each in self.projects for name in (each.permalink or "", each.name)]


_PEOPLE = ("responsible", "reported_by", "watched", "commented_by")
_NAMES: Mapping[str, Callable[[_Known], list[str]]] = {
    "state": _Known.states,
    "milestone": _Known.milestones,
    "tagged": _Known.tags,
    "importance": _Known.levels,
    "project": _Known.project_names,
    **dict.fromkeys(_PEOPLE, _Known.people),
}


# With these, a value is an id, a login, a pattern, or several tags.
_SIGNS = {**dict.fromkeys(_PEOPLE, "@"), "milestone": ("*", "id#"), "tagged": ","}


def first_in(context: Context, text: str, query: Query, projects: Iterable[Project]) -> UnknownValue | None:
    """Return the first value of a query that names nothing in the projects that it searches, or None."""
    known = _Known(context, list(projects))
    for term in terms(query.condition):
        names = known.names(term.key)
        for value in term.values if names else ():
            if isinstance(value, Text) and not _is_known(term, value.text, names):
                span = piece_at(text, value.position - 1)
                return UnknownValue(term.key, _name(term, value), *span, _near(text, term, value, names))
    return None


def _name(term: Term, value: Text) -> str:
    return sign_and_name(value.text)[1] if term.key == "importance" else value.text


def _is_known(term: Term, text: str, names: Mapping[str, str]) -> bool:
    """Return whether a value names something, or can do so in a way that is not looked up here."""
    name = folded(sign_and_name(text)[1] if term.key == "importance" else text)
    is_id = name.isdecimal() and term.key in (*_PEOPLE, "project")
    return name in names or is_id or any(sign in name for sign in _SIGNS.get(term.key, ()))


def _near(text: str, term: Term, value: Text, names: Mapping[str, str]) -> list[str]:
    """Return the query with the names that are most similar to an unknown one."""
    name, at = _name(term, value), value.position - 1
    found = dict.fromkeys(names[each] for each in get_close_matches(folded(name), names, _MAX_NEAR))
    is_quoted = text[at : at + 1] in ("'", '"')
    queries = [
        text[:at] + text[at:].replace(name, each if is_quoted else quoted_name(each), 1) for each in found
    ]
    return [query for query in queries if is_query(query) and query != text]
