"""Read access to events, which depends on the present access to their subjects.

- Events of a project are visible to its members and, if the subject still exists, to anybody else who can see
the project. A private saved view is visible to its owner only.
- Events of the account, its people and invitations are visible to its administrators; those of a profile, to
the members of the account; those of a token, a feed or a password, to its owner.
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

from skerry.store.engine.transactions import Transaction
from skerry.store.events import event_reading as store
from skerry.store.events.event_reading import EventWithActor
from skerry.store.events.events import Changes, StoredEvent
from skerry.tracker.changes.comments import MENTIONS
from skerry.tracker.context import Principal
from skerry.tracker.events.events import Type

_ADMINISTRATION = {"account": "administration", "invitation": "invitations", "person": "administration"}
_OWN = {"feed": "profile/feeds", "password": "profile", "token": "profile/tokens"}

# The fields that reveal where a ticket was before it was moved.
_ORIGIN = ("project_id", "number")

Subjects = Mapping[tuple[int, int | str], Sequence[Any]]


@dataclass(frozen=True)
class Reader:
    """A reader of events; the principal is None for an anonymous one."""

    principal: Principal | None

    @property
    def user_id(self) -> int:
        """Return the reader's id, 0 for an anonymous one."""
        return self.principal.user_id if self.principal else 0

    @cached_property
    def administers(self) -> bool:
        """Return whether the reader administers the account, and not just one of its projects."""
        return bool(self.principal and self.principal.administrator and not self.principal.token_project)

    def was_administrator(self, administrators: Container[int]) -> bool:
        """Return whether the reader administered the account and is not among the administrators any more."""
        return bool(self.principal and self.principal.administrator) and self.user_id not in administrators

    def reaches(self, project_id: int) -> bool:
        """Return whether the reader's token, if any, is valid for a project."""
        return self.principal is None or self.principal.token_project in (0, project_id)


class Extent(Enum):
    """How much of an event a reader may see."""

    NOTHING = auto()
    FIELDS = auto()
    """Which fields changed, without their values."""
    WITHOUT_ORIGIN = auto()
    """Everything except where a ticket was before it was moved."""
    ALL = auto()


class EventPermissions:
    """The facts that decide who may read some events, loaded once for all readers."""

    def __init__(
        self, transaction: Transaction, found: Iterable[EventWithActor], readers: Iterable[Reader]
    ) -> None:
        """Load the existing subjects of the events, and the members of their projects."""
        events = [each.event for each in found]
        self._subjects = _subjects(transaction, events)
        named = {event.project_id for event in events} | {_moved_from(event) for event in events}
        named |= {row[0] for row in self._subjects["bulk_edit"].values()}
        project_ids = {project_id for project_id in named if project_id}
        self._public = store.public(transaction, project_ids)
        self._members = store.members(transaction, project_ids, {reader.user_id for reader in readers})

    def is_member(self, reader: Reader, project_id: int) -> bool:
        """Return whether a reader works in a project; administrators of the account work in all."""
        if reader.principal is None or not reader.reaches(project_id):
            return False
        return reader.principal.administrator or (project_id, reader.user_id) in self._members

    def sees(self, reader: Reader, project_id: int) -> bool:
        """Return whether a reader can see a project."""
        is_open = self._public.get(project_id, False) and reader.reaches(project_id)
        return is_open or (project_id in self._public and self.is_member(reader, project_id))

    def extent(self, reader: Reader, event: StoredEvent) -> Extent:
        """Return how much of an event a reader may see now."""
        project_id = event.project_id
        if project_id is None or event.subject_kind == "invitation":
            return Extent.ALL if _may_read_of_account(reader, event) else Extent.NOTHING
        is_member = self.is_member(reader, project_id)
        is_seen = is_member or (self.sees(reader, project_id) and self._is_present(event))
        if not is_seen or not self._is_open(reader, event):
            return Extent.NOTHING
        if event.subject_kind != "ticket":
            return Extent.ALL if is_member else Extent.FIELDS
        before = _moved_from(event)
        return Extent.ALL if before is None or self.sees(reader, before) else Extent.WITHOUT_ORIGIN

    def _is_open(self, reader: Reader, event: StoredEvent) -> bool:
        """Return whether the subject of an event is open to everybody who can see the project."""
        subject = self._subject(event)
        if event.subject_kind == "bin":
            shared, owner_id = subject or (_was_shared(event), event.user_id)
            return bool(shared) or owner_id == reader.user_id
        # The commands of a bulk edit that moved tickets name the target project.
        target = subject[0] if subject and event.subject_kind == "bulk_edit" else None
        return target is None or self.sees(reader, target)

    def _is_present(self, event: StoredEvent) -> bool:
        return event.subject_kind == "project" or self._subject(event) is not None

    def _subject(self, event: StoredEvent) -> Sequence[Any] | None:
        return self._subjects[event.subject_kind].get((event.project_id or 0, key_of(event)))

    def path(self, event: StoredEvent) -> str | None:
        """Return the path of the page that shows an event's subject, or None if it no longer exists."""
        kind, project_id = event.subject_kind, event.project_id
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
    hidden = (MENTIONS, *_ORIGIN) if extent is Extent.WITHOUT_ORIGIN else (MENTIONS,)
    told = {name: values for name, values in event.changes.items() if name not in hidden}
    return dict.fromkeys(told) if extent is Extent.FIELDS else told


def key_of(event: StoredEvent) -> int | str:
    """Return the number, id or revision of an event's subject."""
    is_text = event.subject_kind == "changeset" or not event.subject_id.isdecimal()
    return event.subject_id if is_text else int(event.subject_id)


def _was_shared(event: StoredEvent) -> bool:
    """Return whether the event is the deletion of a saved view that was shared with the project."""
    return event.type == Type.BIN_DELETED and event.changes.get("shared") == [True, None]


def _moved_from(event: StoredEvent) -> int | None:
    """Return the project that a ticket was moved from, or None if it was not moved."""
    pair = event.changes.get("project_id")
    return pair[0] if pair else None


def _subjects(transaction: Transaction, events: Iterable[StoredEvent]) -> dict[str, Subjects]:
    """Return the existing subjects of events, by kind."""
    named: dict[str, list[StoredEvent]] = defaultdict(list)
    for event in events:
        if event.project_id is not None:
            named[event.subject_kind].append(event)
    found: dict[str, Subjects] = defaultdict(dict)
    for kind, each in named.items():
        project_ids = {event.project_id for event in each if event.project_id}
        found[kind] = store.present(transaction, kind, project_ids, {key_of(event) for event in each})
    return found


def _may_read_of_account(reader: Reader, event: StoredEvent) -> bool:
    principal = reader.principal
    if principal is None or principal.token_project:
        return False
    if event.subject_kind == "user":
        # A change of private settings, such as the language, has no changes that others may see.
        is_seen = principal.role is not None and bool(event.changes)
        return is_seen or key_of(event) == principal.user_id
    if event.subject_kind in _OWN:
        return event.user_id == principal.user_id and not principal.token_id
    return reader.administers


def _path_in_account(event: StoredEvent) -> str | None:
    if event.subject_kind == "user":
        return f"/users/{event.subject_id}"
    name = _ADMINISTRATION.get(event.subject_kind) or _OWN.get(event.subject_kind)
    return f"/{name}" if name else None
