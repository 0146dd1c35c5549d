"""Names in place of ids in the queries that pages show."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from skerry.store import milestones
from skerry.store.projects import SeenIds
from skerry.text.queries.query_print import print_query
from skerry.text.queries.query_tree import MYSELF, NEXT, And, Condition, Not, Or, Query, Term, Text, Value
from skerry.text.words import folded
from skerry.tracker.context import Context
from skerry.tracker.people import people

_PEOPLE = ("responsible", "reported_by", "watched", "commented_by")
_PERSON, _MILESTONE = (
    re.compile(r"0*([1-9][0-9]{0,17})"),
    re.compile(r"id#0*([1-9][0-9]{0,17})", re.IGNORECASE),
)


@dataclass(frozen=True)
class QueryNames:
    """The names of people and milestones of some projects, for queries; each is read when needed."""

    context: Context
    project_ids: SeenIds

    @cached_property
    def _people(self) -> Mapping[int, str]:
        """Return the people whom their names mean alone; a query also finds people by their first names."""
        names = people.of_projects(self.context, self.project_ids)
        wholes = {user_id: folded(name) for user_id, name in names}
        meant = Counter(called for whole in wholes.values() for called in {whole, whole.partition(" ")[0]})
        alone = {user_id for user_id, whole in wholes.items() if meant[whole] == 1 and whole != MYSELF}
        return {user_id: name for user_id, name in names if user_id in alone and not _PERSON.fullmatch(name)}

    @cached_property
    def _milestones(self) -> Mapping[int, str]:
        found = milestones.named_in(self.context.transaction, self.project_ids)
        titles = Counter(folded(each.title) for each in found)
        return {
            each.id: each.title for each in found if titles[folded(each.title)] == 1 and _is_plain(each.title)
        }

    def shown(self, query: Query) -> Query:
        """Return a query with names in place of the ids that they can replace."""
        return replace(query, condition=self._shown(query.condition))

    def text(self, written: str, query: Query) -> str:
        """Return the text of a query with names in place of ids, as it was written if there are none."""
        shown = self.shown(query)
        return written if shown == query else print_query(shown)

    def _shown(self, condition: Condition) -> Condition:
        match condition:
            case Term(key, values):
                return replace(condition, values=tuple(self._value(key, value) for value in values))
            case Not(part):
                return Not(self._shown(part))
            case And(parts):
                return And(self._all(parts))
            case Or(parts):
                return Or(self._all(parts))
            case _:
                return condition

    def _all(self, parts: Iterable[Condition]) -> tuple[Condition, ...]:
        return tuple(self._shown(part) for part in parts)

    def _value(self, key: str, value: Value) -> Value:
        if not isinstance(value, Text):
            return value
        if key in _PEOPLE and (match := _PERSON.fullmatch(value.text)):
            return Text(self._people.get(int(match[1]), value.text), value.position)
        if key == "milestone" and (match := _MILESTONE.fullmatch(value.text)):
            return Text(self._milestones.get(int(match[1]), value.text), value.position)
        return value


def _is_plain(title: str) -> bool:
    return "*" not in title and folded(title) != NEXT and not _MILESTONE.fullmatch(title)
