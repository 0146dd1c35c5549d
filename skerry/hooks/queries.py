"""Selection of events for hooks with a query: those whose ticket may have matched before or after."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any

from skerry.database.transactions import Transaction
from skerry.store import projects, search, tickets
from skerry.store.events.decoding import StoredEvent
from skerry.store.projects import SeenIds
from skerry.store.search import Names, Scope
from skerry.text.queries.dates import resolve_days
from skerry.text.queries.query_tree import (
    And,
    Comparison,
    Condition,
    Dates,
    Everything,
    Not,
    Nothing,
    Number,
    Or,
    Phrase,
    Query,
    Term,
    Text,
    Value,
    Word,
)
from skerry.text.queries.query_values import PRIVATE, sign_and_name
from skerry.text.states import read_states
from skerry.text.tags import read_tags
from skerry.text.words import folded, words
from skerry.tracker.events.events import LINKS, Type, is_departure

_BEFORE, _AFTER = 0, 1

# The fields of an event that can change what a keyword finds.
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "state": ("state",),
    "responsible": ("assigned_user_id",),
    "milestone": ("milestone_id",),
    "tagged": ("tag",),
    "importance": ("importance",),
    "due": ("due_on",),
    "title": ("title",),
    "number": ("number",),
    "project": ("project_id",),
    "body": ("body",),
    "keyword": ("title", "body"),
    "has": ("body", "attachments", "links"),
    "blocked-by": ("links",),
    "parent": ("links",),
    "commented_by": ("body",),
    "watched": ("watchers_ids",),
    "created": (),
    "reported_by": (),
}

# A move may change everything but these, which the event in the project that the ticket leaves does not show.
_KEPT_IN_MOVES = ("title", "body", "created", "reported_by", "blocked-by", "parent")

# A move adds a comment, so it can only add to what these find.
_GROWN_IN_MOVES = ("keyword", "commented_by", "has")

Truth = bool | None
"""True or False, or None if unknown."""


def may_match(transaction: Transaction, event: StoredEvent, query: Query) -> bool:
    """Return False if the ticket of an event certainly matched neither before nor after it."""
    if event.subject_kind != "ticket" or event.project_id is None:
        return True
    return _Ticket(transaction, event, event.project_id).may_match(query.condition)


class _Ticket:
    """The ticket of an event: its present values, and those that the event records before and after."""

    def __init__(self, transaction: Transaction, event: StoredEvent, project_id: int) -> None:
        self._transaction, self._event, self._project_id = transaction, event, project_id
        self._is_departure = is_departure(event)
        place = (project_id, int(event.subject_id))
        if self._is_departure and event.changes.get("number"):
            place = (self._at("project_id", _AFTER), self._at("number", _AFTER))
        self._place = place
        row = tickets.one(transaction, *place)
        self._is_gone = row is None
        # Editing an old text makes no version.
        is_change = event.type in (Type.TICKET_CREATED, Type.TICKET_UPDATED, Type.TICKET_MOVED)
        self._is_newer = row is not None and is_change and row.version != event.version

    def may_match(self, condition: Condition) -> bool:
        sides = [_BEFORE, _AFTER]
        if self._event.type == Type.TICKET_CREATED:
            sides.remove(_BEFORE)
        if self._event.type == Type.TICKET_DELETED or self._is_departure:
            sides.remove(_AFTER)
        elif not self._is_gone:
            if self._found(condition):
                return True
            if not self._is_newer:
                sides.remove(_AFTER)
        return any(self._truth(condition, side) is not False for side in sides)

    def _truth(self, condition: Condition, side: int) -> Truth:
        if isinstance(condition, Not):
            found = self._truth(condition.part, side)
            return None if found is None else not found
        if isinstance(condition, And | Or):
            decisive = isinstance(condition, Or)
            found = not decisive
            for part in condition.parts:
                truth = self._truth(part, side)
                if truth is decisive:
                    return decisive
                found = None if truth is None else found
            return found
        return True if isinstance(condition, Everything) else self._leaf(condition, side)

    def _leaf(self, leaf: Term | Word | Phrase | Number, side: int) -> Truth:
        if isinstance(leaf, Number):
            leaf = Term("number", (Comparison("=", leaf.number),))
        key = leaf.key if isinstance(leaf, Term) else "keyword"
        touched = [name for name in _fields(leaf, key) if name in self._event.changes]
        if not touched:
            return self._now(leaf, key)
        if not isinstance(leaf, Term) or key not in _CHECKS or self._event.changes[touched[0]] is None:
            return None
        return _any(_CHECKS[key](self, value, self._at(touched[0], side)) for value in leaf.values)

    def _now(self, leaf: Term | Word | Phrase, key: str) -> Truth:
        """Return whether the ticket matches now, if nothing can have changed that since the event."""
        if key in ("number", "project") and isinstance(leaf, Term):
            value = int(self._event.subject_id) if key == "number" else self._project_id
            return _any(_CHECKS[key](self, each, value) for each in leaf.values)
        is_fixed = key in ("created", "reported_by")
        if self._is_gone or (self._is_newer and not is_fixed):
            return None
        if self._is_departure and key not in _KEPT_IN_MOVES:
            return False if key in _GROWN_IN_MOVES and not self._found(leaf) else None
        return self._found(leaf)

    def _found(self, condition: Condition) -> bool:
        project_id, number = self._place
        both = Query(And((Number(number), condition)))
        return bool(
            search.page(self._transaction, both, Scope(SeenIds((project_id,)), None), limit=1, offset=0)
        )

    def _at(self, name: str, side: int) -> Any:
        values = self._event.changes[name]
        return values[side] if values else None

    @cached_property
    def _names(self) -> Names:
        places = {self._project_id, *(self._event.changes.get("project_id") or ())} - {None}
        return Names(self._transaction, Scope(SeenIds(tuple(sorted(places))), None))

    def state(self, value: Value, state: Any) -> Truth:
        wanted = folded(_text(value))
        if wanted not in ("open", "closed"):
            return wanted == folded(str(state))
        project = projects.one(self._transaction, self._project_id)
        known = project and read_states(project.open_states or "", project.closed_states or "")
        state_kind = known and known.find(str(state))
        return state_kind.closed is (wanted == "closed") if state_kind else None

    def responsible(self, value: Value, user_id: Any) -> Truth:
        if isinstance(value, Nothing):
            return user_id is None
        return user_id in self._names.people(_text(value))

    def milestone(self, value: Value, milestone_id: Any) -> Truth:
        if isinstance(value, Nothing) or milestone_id is None:
            return isinstance(value, Nothing) and milestone_id is None
        # The title of a deleted milestone is no longer known.
        is_known = milestone_id in self._names.milestones("*")
        return milestone_id in self._names.milestones(_text(value)) if is_known else None

    def tagged(self, value: Value, tags: Any) -> Truth:
        try:
            (wanted,) = read_tags(f"{_text(value)},")
        except ValueError:
            return False
        return wanted in read_tags(str(tags or ""))

    def importance(self, value: Value, number: Any) -> Truth:
        if not isinstance(value, Text):
            return self.compared(value, number)
        sign, name = sign_and_name(value.text)
        levels = self._names.levels(name)
        level = next((each for each, places in levels.items() if self._project_id in places), None)
        return level is not None and self.compared(Comparison(sign, level), number)

    def compared(self, value: Value, number: Any) -> Truth:
        if not isinstance(value, Comparison) or not isinstance(number, int):
            return None
        return value.op in _signs(number, value.number)

    def due(self, value: Value, day: Any) -> Truth:
        if isinstance(value, Nothing) or day is None:
            return isinstance(value, Nothing) and day is None
        # A hook's query has no dates that depend on the present time.
        first, end = resolve_days(value.span, date.min) if isinstance(value, Dates) else (None, None)
        return (first or "0") <= str(day) < (end or "A")

    def is_(self, value: Value, private: Any) -> Truth:
        return bool(private) if _text(value) == PRIVATE else None

    def title(self, value: Value, title: Any) -> Truth:
        wanted, there = words(_text(value)), words(str(title))
        is_prefix = isinstance(value, Word) and value.prefix
        starts = range(len(there) - len(wanted) + 1)
        return any(
            _begins(there[start : start + len(wanted)], wanted, is_prefix=is_prefix) for start in starts
        )

    def project(self, value: Value, project_id: Any) -> Truth:
        return project_id in self._names.projects(_text(value))


_CHECKS = {
    "state": _Ticket.state,
    "responsible": _Ticket.responsible,
    "milestone": _Ticket.milestone,
    "tagged": _Ticket.tagged,
    "importance": _Ticket.importance,
    "due": _Ticket.due,
    "number": _Ticket.compared,
    "title": _Ticket.title,
    "is": _Ticket.is_,
    "project": _Ticket.project,
}


def _fields(leaf: Term | Word | Phrase, key: str) -> Sequence[str]:
    """Return the fields of an event that can change whether a part of a query matches."""
    if key == "is" and isinstance(leaf, Term):
        return [PRIVATE if _text(value) == PRIVATE else LINKS for value in leaf.values]
    return _FIELDS.get(key, ())


def _any(truths: Any) -> Truth:
    found = list(truths)
    if True in found:
        return True
    return None if None in found else False


def _text(value: Value) -> str:
    return value.text if isinstance(value, Text | Word | Phrase) else ""


def _signs(left: int, right: int) -> Sequence[str]:
    """Return the comparisons that hold between two numbers."""
    if left == right:
        return ("=", "<=", ">=")
    return ("<", "<=") if left < right else (">", ">=")


def _begins(there: Sequence[str], wanted: Sequence[str], *, is_prefix: bool) -> bool:
    *before, last = wanted
    fits = there[-1].startswith(last) if is_prefix else there[-1] == last
    return fits and list(there[:-1]) == before
