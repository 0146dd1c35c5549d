"""Search in plain Python: every ticket is looked at, one condition after the other.

It shares with the product only what is tested elsewhere: reading a query, cutting a text into
words, and the calendar.
"""

import fnmatch
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache

from skerry.text.queries.dates import resolve, resolve_days
from skerry.text.queries.query_tree import (
    And,
    Comparison,
    Everything,
    Not,
    Nothing,
    Number,
    Or,
    Phrase,
    Term,
    Text,
    Word,
)
from skerry.text.tags import read_tags
from skerry.text.words import words

DAY = 86_400_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_cut = cache(words)


@dataclass(frozen=True)
class Ticket:
    project_id: int
    number: int
    title: str
    body: str
    state: str
    closed: bool
    tags: frozenset
    importance: int
    assignee: int | None
    milestone: int | None
    creator: int
    watchers: frozenset
    files: int
    created_at: int
    updated_at: int
    private: bool = False
    comments: tuple = ()  # pairs of author and text; the text may be empty
    others: dict = field(default_factory=dict)  # values of other recorded fields, by name

    @property
    def key(self):
        return self.project_id, self.number


@dataclass
class World:
    """Projects by id with their names and states, people by id with name and login, milestones, tickets."""

    projects: dict
    people: dict
    milestones: dict
    tickets: dict = field(default_factory=dict)
    now: int = 0
    levels: dict = field(default_factory=dict)  # the number of each level of importance, by project and name


def found(world, query, project_ids, me):
    """Return the keys of all tickets that a query means, in its order."""
    searcher = Searcher(world, project_ids, me)
    chosen = [ticket for ticket in world.tickets.values() if ticket.project_id in project_ids]
    chosen = [ticket for ticket in chosen if searcher.holds(query.condition, ticket)]
    chosen.sort(key=lambda ticket: (ticket.updated_at, ticket.project_id, ticket.number), reverse=True)
    for sort in reversed(query.sorts):
        if sort.key == "due":
            chosen.sort(key=lambda ticket: ticket.others["due_on"] or "", reverse=sort.reverse)
            chosen.sort(key=lambda ticket: ticket.others["due_on"] is None)
            continue
        key, greatest_first = searcher.order(sort.key, query.condition)
        falls = greatest_first is not sort.reverse
        # Python keeps the order of equals when it sorts in reverse, too.
        chosen.sort(key=key, reverse=falls)
    return [ticket.key for ticket in chosen]


@dataclass
class Searcher:
    world: World
    project_ids: tuple
    me: int | None

    def holds(self, condition, ticket):  # noqa: PLR0911 - one answer for each kind
        match condition:
            case And(parts):
                return all(self.holds(part, ticket) for part in parts)
            case Or(parts):
                return any(self.holds(part, ticket) for part in parts)
            case Not(part):
                return not self.holds(part, ticket)
            case Everything():
                return True
            case Number(number):
                return ticket.number == number
            case Word() | Phrase():
                texts = [ticket.title, ticket.body, *(text for _, text in ticket.comments)]
                return any(self.in_text(condition, text) for text in texts)
            case Term("is" | "blocked-by" | "parent", values):
                # Its tickets have no links and no claims.
                asked = {value.text for value in values}
                return (not ticket.closed and "ready" in asked) or (ticket.private and "private" in asked)
            case Term(key, values):
                if key in ticket.others:
                    return any(self.other(value, ticket.others[key]) for value in values)
                return any(getattr(self, key)(value, ticket) for value in values)

    def in_text(self, value, text):
        wanted, there = _cut(value.text), _cut(text)
        if not wanted:
            return False
        for start in range(len(there) - len(wanted) + 1):
            *before, last = there[start : start + len(wanted)]
            fits = last.startswith(wanted[-1]) if getattr(value, "prefix", False) else last == wanted[-1]
            if before == wanted[:-1] and fits:
                return True
        return False

    def title(self, value, ticket):
        return self.in_text(value, ticket.title)

    def body(self, value, ticket):
        return self.in_text(value, ticket.body)

    def state(self, value, ticket):
        name = value.text.casefold()
        return (
            (name == "closed") is ticket.closed
            if name in ("open", "closed")
            else name == ticket.state.casefold()
        )

    def person(self, value, user_id):
        name = value.text.casefold()
        if user_id is None or name == "me":
            return user_id is not None and user_id == self.me
        full, login = self.world.people[user_id]
        if "@" in name and login == name:
            return self.me is not None
        return name in (full.casefold(), full.casefold().split(" ")[0], str(user_id))

    def responsible(self, value, ticket):
        if isinstance(value, Nothing):
            return ticket.assignee is None
        return self.person(value, ticket.assignee)

    def reported_by(self, value, ticket):
        return self.person(value, ticket.creator)

    def watched(self, value, ticket):
        return any(self.person(value, user_id) for user_id in ticket.watchers)

    def commented_by(self, value, ticket):
        return any(self.person(value, user_id) for user_id, text in ticket.comments if text)

    def milestone(self, value, ticket):
        if isinstance(value, Nothing) or ticket.milestone is None:
            return isinstance(value, Nothing) and ticket.milestone is None
        name = value.text.casefold()
        if name == "next":
            return ticket.milestone == self.next_milestone(ticket.project_id)
        if re.fullmatch("id#[0-9]+", name):
            return ticket.milestone == int(name[3:])
        title = self.world.milestones[ticket.milestone].title.casefold()
        return fnmatch.fnmatchcase(title, re.sub(r"([\[?])", r"[\1]", name))

    def next_milestone(self, project_id):
        candidates = [
            milestone
            for milestone in self.world.milestones.values()
            if milestone.project_id == project_id
            and not milestone.completed
            and milestone.due is not None
            and milestone.due >= self.world.now // DAY * DAY
        ]
        candidates.sort(key=lambda one: (one.due, one.title.casefold(), one.title, one.id))
        return candidates[0].id if candidates else None

    def tagged(self, value, ticket):
        return "," not in value.text and set(read_tags(f"{value.text},")) & ticket.tags != set()

    def compare(self, value, number):
        there = {"=": number == value.number, "<": number < value.number, ">": number > value.number}
        return any(there[sign] for sign in value.op)

    def other(self, value, there):
        """Return whether a value names what a field without a rule of its own contains."""
        if there is None or isinstance(value, Nothing):
            return there is None and isinstance(value, Nothing)
        return self.compare(value, there) if isinstance(there, int) else value.text == there

    def importance(self, value, ticket):
        if isinstance(value, Text):
            sign, name = re.fullmatch("([<>]?=?)(.*)", value.text).groups()
            number = self.world.levels.get(ticket.project_id, {}).get(name.casefold())
            return number is not None and self.compare(Comparison(sign or "=", number), ticket.importance)
        return self.compare(value, ticket.importance)

    def due(self, value, ticket):
        day = ticket.others["due_on"]
        if day is None or isinstance(value, Nothing):
            return day is None and isinstance(value, Nothing)
        today = (EPOCH + timedelta(microseconds=self.world.now)).date()
        first, end = resolve_days(value.span, today)
        is_late = value.span.text == "overdue" and ticket.closed
        return not is_late and (first is None or first <= day) and (end is None or day < end)

    def number(self, value, ticket):
        return self.compare(value, ticket.number)

    def within(self, value, timestamp):
        start, end = resolve(value.span, EPOCH + timedelta(microseconds=self.world.now))
        then = EPOCH + timedelta(microseconds=timestamp)
        return (start is None or start <= then) and (end is None or then < end)

    def created(self, value, ticket):
        return self.within(value, ticket.created_at)

    def updated(self, value, ticket):
        return self.within(value, ticket.updated_at)

    def has(self, value, ticket):
        if value.text == "children":
            return False
        return ticket.files > 0 if value.text == "attachment" else any(text for _, text in ticket.comments)

    def project(self, value, ticket):
        name, permalink, *_ = self.world.projects[ticket.project_id]
        return value.text.casefold() in (name.casefold(), permalink, str(ticket.project_id))

    def order(self, key, condition):
        """Return the key of an order, and whether the greatest comes first."""
        return {
            "updated": (lambda one: one.updated_at, True),
            "created": (lambda one: one.created_at, True),
            "importance": (lambda one: one.importance, True),
            "number": (lambda one: one.number, False),
            "title": (lambda one: " ".join(words(one.title)), False),
            "state": (lambda one: (one.closed, one.state.casefold(), one.state), False),
            "milestone": (self.by_milestone, False),
            "relevance": (lambda one: not self.all_in_title(condition, one), False),
        }[key]

    def by_milestone(self, ticket):
        if ticket.milestone is None:
            return (2, 0, "", "", 0)
        milestone = self.world.milestones[ticket.milestone]
        title = milestone.title
        return (int(milestone.due is None), milestone.due or 0, title.casefold(), title, milestone.id)

    def all_in_title(self, condition, ticket, *, wanted=True):
        """Return whether a title has all that is searched for in any text and not negated."""
        match condition:
            case And(parts) | Or(parts):
                return all(self.all_in_title(part, ticket, wanted=wanted) for part in parts)
            case Not(part):
                return self.all_in_title(part, ticket, wanted=not wanted)
            case Word() | Phrase() if wanted:
                return self.in_text(condition, ticket.title)
        return True


@dataclass(frozen=True)
class Milestone:
    id: int
    project_id: int
    title: str
    due: int | None
    completed: bool


def changed(ticket, **values):
    return replace(ticket, **values)
