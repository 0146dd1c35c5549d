"""What all trackers have in common: projects, people, milestones, tickets and their history.

Moments are microseconds since 1970 in UTC. People, milestones and tickets are named by keys, which are
those of the source.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skerry.transfer.sources.columns import Mapped

FIELDS = ("title", "state", "assignee", "milestone", "level", "due_on")
"""The fields whose changes a history has, apart from tags."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is named by the source; ``email`` is empty if the source does not have it."""

    key: str
    name: str
    email: str = ""


@dataclass(frozen=True, slots=True)
class Milestone:
    """A milestone; ``due_on`` is a day such as ``2026-05-01``."""

    key: str
    title: str
    goals: str = ""
    due_on: str | None = None
    completed_at: int | None = None
    created_at: int | None = None
    author: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a ticket at one time.

    ``level`` is the name of its importance, ``assignee`` and ``milestone`` are keys, empty for none.
    """

    title: str
    state: str
    tags: frozenset[str] = frozenset()
    assignee: str = ""
    milestone: str = ""
    level: str = ""
    due_on: str | None = None


class Edit(NamedTuple):
    """A change of one of ``FIELDS``."""

    before: Any
    after: Any


@dataclass(slots=True)
class Change:
    """A comment, a change of values, or both at once.

    ``text_before`` is the first text of the ticket as it was before this, if this edited it.
    """

    author: str
    at: int
    body: str = ""
    edits: dict[str, Edit] = field(default_factory=dict)
    tagged: frozenset[str] = frozenset()
    untagged: frozenset[str] = frozenset()
    text_before: str | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether there is neither a comment nor a change of values."""
        return not (self.body or self.edits or self.tagged or self.untagged)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a ticket, whose content is read when it is needed; ``size`` is in bytes."""

    filename: str
    at: int
    author: str
    size: int
    pieces: Callable[[], Iterable[bytes]]
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another ticket; ``kind`` is one of ``resources/links.py``.

    The ticket of a ``parent`` is the child of the other one.
    """

    kind: str
    other: str


@dataclass(slots=True)
class Ticket:
    """A ticket with its present values, its first text, and the changes since, in any order.

    One that only some could read is ``private``, in all of its versions.
    """

    key: str
    values: Values
    author: str
    created_at: int
    body: str = ""
    updated_at: int | None = None
    changes: list[Change] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    watchers: Iterable[str] = ()
    private: bool = False


class TicketName(NamedTuple):
    """How texts name a ticket, and the number that it should have, if any."""

    key: str
    number: int | None


@dataclass(frozen=True)
class References:
    """What the references of a project's texts mean.

    ``ticket``, ``merge`` and ``commit`` are addresses with ``{}`` for the number or id; an address of a
    ticket that comes along becomes its number, and what does not come along becomes a link to the old
    tracker. ``words`` are the names of the project before a ``#``, such as ``octo/roof``. ``merges`` are
    the numbers of merge requests that share the numbers of tickets.
    """

    ticket: str = ""
    merge: str = ""
    commit: str = ""
    words: frozenset[str] = frozenset()
    merges: frozenset[str] = frozenset()


@dataclass
class Project:
    """A project, whose tickets are read as often as they are asked for.

    ``origin`` names where the keys of people come from, by default the tracker: the same key of the same
    origin is the same person in another import. ``levels`` are the names of importances, the most
    important first. ``last_number`` is the highest number that the source has used, also for what does
    not come along.
    """

    key: str
    name: str
    names: Callable[[], Iterator[TicketName]]
    tickets: Callable[[], Iterator[Ticket]]
    origin: str = ""
    description: str = ""
    created_at: int | None = None
    archived: bool = False
    people: dict[str, Person] = field(default_factory=dict)
    milestones: dict[str, Milestone] = field(default_factory=dict)
    open_states: list[str] = field(default_factory=list)
    closed_states: list[str] = field(default_factory=list)
    levels: list[str] = field(default_factory=list)
    last_number: int = 0
    references: References = field(default_factory=References)


@dataclass(frozen=True)
class SourceOptions:
    """What the caller says about a source: the name of its project, and what it does not say itself.

    ``columns`` is the mapping of a table, ``markup`` that of texts, ``address`` that of the old tracker.
    """

    name: str = ""
    columns: Mapped = field(default_factory=Mapped)
    markup: str = ""
    address: str = ""
