"""Read access to events, which depends on the present access to their subjects.

- Events of a project are visible to its members and, if the subject still exists, to anybody else who can see
the project. A private saved view is visible to its owner only, those of a private ticket to its author and
its assignee, and a bulk edit of private tickets to members only.
- Events of the account, its people and invitations are visible to its administrators; those of a profile, to
the members of the account; those of a token, a feed or a password, to its owner; those of a saved view of
all projects, to its owner and, if it is shared, to the members of the account.
- A token with scopes sees no events of the administration, and those of hooks and forges with their scope.
- That links changed is visible to those who see one of the other tickets.
- Where a ticket went that left a project is visible to those who may read the events of the ticket there.
- Members see the old and new values of changes. Others see those of tickets, whose versions show them anyway;
of everything else they see only which fields changed.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any
from urllib.parse import quote

from skerry.database.transactions import Transaction
from skerry.store import links, private_tickets
from skerry.store.events import event_reading as store
from skerry.store.events.decoding import Changes, StoredEvent
from skerry.store.events.event_reading import EventWithActor
from skerry.tracker.context import Principal
from skerry.tracker.events.events import LINKS, MENTIONS, Type, is_departure
from skerry.tracker.token_scopes import HOOKS_WRITE

_OF_TICKETS = ("ticket", "bulk_edit")
_OF_HOOKS = ("hook", "forge")

_ADMINISTRATION = {
    "account": "administration",
    "invitation": "invitations",
    "person": "administration",
    "sign_up": "applicants",
    "spam": "spam-removals",
}
_OWN = {"feed": "profile/feeds", "password": "profile", "token": "profile/tokens"}

# The fields that reveal the other project of a moved ticket.
_MOVE = ("project_id", "number")

Subjects = Mapping[tuple[int, int | str], Sequence[Any]]


@dataclass(frozen=True)
class EventReader:
    """A reader of events; the principal is None for an anonymous one."""

    principal: Principal | None

    @property
    def user_id(self) -> int:
        """Return the reader's id, 0 for an anonymous one."""
        return self.principal.user_id if self.principal else 0

    @cached_property
    def administers(self) -> bool:
        """Return whether the reader administers the account, with a credential that suffices for it."""
        return bool(self.principal and self.principal.administers)

    def was_administrator(self, administrators: Container[int]) -> bool:
        """Return whether the reader administered the account, but is no longer among the administrators."""
        return bool(self.principal and self.principal.administrator) and self.user_id not in administrators

    def reaches(self, project_id: int) -> bool:
        """Return whether the reader's token, if any, is valid for a project."""
        return self.principal is None or self.principal.token_project in (0, project_id)

    def may_read_about(self, kind: str) -> bool:
        """Return whether the scopes of the reader's token, if it has any, name a kind of subject."""
        scopes = self.principal.scopes if self.principal else frozenset()
        return kind not in _OF_HOOKS or not scopes or HOOKS_WRITE in scopes


class Extent(Enum):
    """How much of an event a reader may see."""

    NOTHING = auto()
    FIELDS = auto()
    """Which fields changed, without their values."""
    WITHOUT_MOVE = auto()
    """Everything except where a moved ticket was, or where it is now."""
    WITHOUT_LINKS = auto()
    """Everything except that links changed, to tickets that the reader does not see."""
    ALL = auto()


_HIDDEN = {Extent.WITHOUT_MOVE: (*_MOVE, LINKS), Extent.WITHOUT_LINKS: (LINKS,)}


class EventPermissions:
    """The facts that decide who may read some events, loaded once for all readers."""

    def __init__(
        self, transaction: Transaction, entries: Iterable[EventWithActor], readers: Iterable[EventReader]
    ) -> None:
        """Load the existing subjects of the events, and the members of their projects."""
        events = [each.event for each in entries]
        # The facts are the same for all readers, who do not see the same tickets.
        with transaction.seeing(None):
            self._subjects, self._linked = (
                _subjects(transaction, events),
                _linked_projects(transaction, events),
            )
        self._seen_by_all, self._linked_for_all = self._subjects, self._linked
        sight = private_tickets.of_everybody(transaction)
        if sight.key and any(self._subjects[kind] for kind in _OF_TICKETS):
            with transaction.seeing(sight):
                self._seen_by_all = _subjects(transaction, events)
                self._linked_for_all = _linked_projects(transaction, events)
        named = {event.project_id for event in events} | {_other_project(event) for event in events}
        named |= {row[0] for row in self._subjects["bulk_edit"].values()}
        named |= {project_id for projects in self._linked.values() for project_id in projects}
        project_ids = {project_id for project_id in named if project_id}
        self._public = store.public(transaction, project_ids)
        self._members = store.members(transaction, project_ids, {reader.user_id for reader in readers})

    def is_member(self, reader: EventReader, project_id: int) -> bool:
        """Return whether a reader works in a project; administrators of the account work in all."""
        if reader.principal is None or not reader.reaches(project_id):
            return False
        return reader.principal.administrator or (project_id, reader.user_id) in self._members

    def sees(self, reader: EventReader, project_id: int) -> bool:
        """Return whether a reader can see a project."""
        is_open = self._public.get(project_id, False) and reader.reaches(project_id)
        return is_open or (project_id in self._public and self.is_member(reader, project_id))

    def extent(self, reader: EventReader, event: StoredEvent) -> Extent:
        """Return how much of an event a reader may see now."""
        project_id = event.project_id
        if project_id is None or event.subject_kind == "invitation":
            is_open = _may_read_of_account(reader, event) and self._is_open(reader, event)
            return Extent.ALL if is_open else Extent.NOTHING
        is_member = self.is_member(reader, project_id)
        is_seen = is_member or (self.sees(reader, project_id) and self._is_present(reader, event))
        if not (is_seen and reader.may_read_about(event.subject_kind) and self._is_open(reader, event)):
            return Extent.NOTHING
        if event.subject_kind != "ticket":
            return Extent.ALL if is_member else Extent.FIELDS
        other = _other_project(event)
        if other is not None and not (self.sees(reader, other) and self._sees_target(reader, event)):
            return Extent.WITHOUT_MOVE
        return Extent.ALL if self.sees_links(reader, event) else Extent.WITHOUT_LINKS

    def sees_links(self, reader: EventReader, event: StoredEvent) -> bool:
        """Return whether a reader sees any ticket to which an event changed links, or it changed none."""
        linked, for_all = (each.get(event.number, ()) for each in (self._linked, self._linked_for_all))
        return (
            LINKS not in event.changes
            or any(self.sees(reader, project_id) for project_id in for_all)
            or any(self.is_member(reader, project_id) for project_id in linked)
        )

    def _is_open(self, reader: EventReader, event: StoredEvent) -> bool:
        """Return whether the subject of an event is open to everybody who can see the project."""
        subject = self._subject(event)
        if event.subject_kind == "bin":
            shared, owner_id = subject or (_was_shared(event), event.user_id)
            return bool(shared) or owner_id == reader.user_id
        # The commands of a bulk edit that moved tickets name the target project.
        target = subject[0] if subject and event.subject_kind == "bulk_edit" else None
        return target is None or self.sees(reader, target)

    def _is_present(self, reader: EventReader, event: StoredEvent) -> bool:
        """Return whether the subject of an event exists for those who see the project as guests."""
        place = (event.project_id or 0, key_of(event))
        return event.subject_kind == "project" or self._exists_for(reader, event.subject_kind, place)

    def _sees_target(self, reader: EventReader, event: StoredEvent) -> bool:
        """Return whether a reader who sees both projects sees the ticket there, if the event says it left."""
        target = _target(event)
        return (
            target is None
            or self.is_member(reader, target[0])
            or self._exists_for(reader, event.subject_kind, target)
        )

    def _exists_for(self, reader: EventReader, kind: str, place: tuple[int, int | str]) -> bool:
        """Return whether a subject exists for a reader who sees its project as a guest."""
        subject = self._subjects[kind].get(place)
        if subject is None:
            return False
        is_own = kind == "ticket" and bool(reader.user_id) and reader.user_id in subject
        return is_own or place in self._seen_by_all[kind]

    def _subject(self, event: StoredEvent) -> Sequence[Any] | None:
        return self._subjects[event.subject_kind].get((event.project_id or 0, key_of(event)))

    def path(self, event: StoredEvent) -> str | None:
        """Return the path of the page that shows an event's subject, or None if it no longer exists."""
        kind, project_id = event.subject_kind, event.project_id
        if kind == "bin" and project_id is None and self._subject(event) is not None:
            return f"/bins/{event.subject_id}"
        if project_id is None or kind == "invitation":
            return _path_in_account(event)
        place = f"/projects/{project_id}"
        if kind == "project":
            return place
        if kind == "member":
            return f"{place}/memberships"
        subject = self._subject(event)
        if subject is None:
            return None
        # A comment is shown on the page of its message.
        key = subject[0] if kind == "message" and subject[0] else event.subject_id
        return f"{place}/{kind}s/{quote(str(key), safe='')}"


def changes(extent: Extent, event: StoredEvent) -> Changes:
    """Return the changes of an event, limited to the given extent."""
    hidden = (MENTIONS, *_HIDDEN.get(extent, ()))
    told = {name: values for name, values in event.changes.items() if name not in hidden}
    return dict.fromkeys(told) if extent is Extent.FIELDS else told


def key_of(event: StoredEvent) -> int | str:
    """Return the number, id or revision of an event's subject."""
    is_text = event.subject_kind == "changeset" or not event.subject_id.isdecimal()
    return event.subject_id if is_text else int(event.subject_id)


def _was_shared(event: StoredEvent) -> bool:
    """Return whether the event is the deletion of a saved view that was shared with the project."""
    return event.type == Type.BIN_DELETED and event.changes.get("shared") == [True, None]


def _other_project(event: StoredEvent) -> int | None:
    """Return the other project of a moved ticket, or None if it was not moved."""
    pair = event.changes.get("project_id")
    return pair[pair[0] == event.project_id] if pair else None


def _target(event: StoredEvent) -> tuple[int, int] | None:
    """Return the project and number that a ticket got when it left the project of an event, or None."""
    if not is_departure(event):
        return None
    project_id, number = ((event.changes.get(name) or (0, 0))[1] for name in _MOVE)
    return (project_id, number)


def _subjects(transaction: Transaction, events: Iterable[StoredEvent]) -> dict[str, Subjects]:
    """Return the existing subjects of events, by kind, and the tickets that left the projects of events."""
    named: dict[str, list[StoredEvent]] = defaultdict(list)
    for event in events:
        if event.project_id is not None or event.subject_kind == "bin":
            named[event.subject_kind].append(event)
    subjects: dict[str, Subjects] = defaultdict(dict)
    for kind, each in named.items():
        places = {(event.project_id or 0, key_of(event)) for event in each}
        places |= {place for event in each if (place := _target(event))}
        project_ids = {project_id for project_id, _ in places if project_id}
        subjects[kind] = store.present(transaction, kind, project_ids, {key for _, key in places})
    return subjects


def _linked_projects(transaction: Transaction, events: Iterable[StoredEvent]) -> dict[int, set[int]]:
    """Return the projects of the tickets to which events changed links, by the number of the event."""
    changing = [event for event in events if LINKS in event.changes and event.project_id]
    linked: dict[int, set[int]] = {}
    for project_id in {event.project_id or 0 for event in changing}:
        here = {
            event.number: (int(event.subject_id), event.version or 0)
            for event in changing
            if event.project_id == project_id
        }
        projects = links.linked_projects(transaction, project_id, here.values())
        linked |= {number: projects.get(version, set()) for number, version in here.items()}
    return linked


def _may_read_of_account(reader: EventReader, event: StoredEvent) -> bool:
    principal = reader.principal
    if principal is None or principal.token_project:
        return False
    if event.subject_kind == "user":
        # A change of private settings, such as the language, has no changes that others may see.
        is_seen = principal.role is not None and bool(event.changes)
        return is_seen or key_of(event) == principal.user_id
    if event.subject_kind == "bin":
        return principal.role is not None or event.user_id == principal.user_id
    if event.subject_kind in _OWN:
        return event.user_id == principal.user_id and not principal.token_id
    return reader.administers


def _path_in_account(event: StoredEvent) -> str | None:
    if event.subject_kind == "user":
        return f"/users/{event.subject_id}"
    name = _ADMINISTRATION.get(event.subject_kind) or _OWN.get(event.subject_kind)
    return f"/{name}" if name else None
