"""Who may read which event: who may read its subject now.

- What happened in a project is read by its members, and, if its subject is still there, by whoever else sees
  the project. A saved view that is not shared belongs to one person.
- What happened to the account, its people and invitations is read by its administrators; to a profile, by
  the members of the account; to a token, a feed or a password, by its owner in person.
- Members see the old and the new values of what changed. Others see those of tickets, whose versions show
  them anyway, and of everything else only which fields changed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any
from urllib.parse import quote

from skerry.store.engine.transactions import Transaction
from skerry.store.events import event_reading as store
from skerry.store.events.event_reading import Named
from skerry.store.events.events import Changes, Happened
from skerry.tracker.changes.comments import MENTIONS
from skerry.tracker.context import Principal
from skerry.tracker.events.events import Type

_ADMINISTRATION = {"account": "administration", "invitation": "invitations", "person": "administration"}
_OWN = {"feed": "profile/feeds", "password": "profile", "token": "profile/tokens"}

# What says where a ticket was before it was moved.
_ORIGIN = ("project_id", "number")

Subjects = Mapping[tuple[int, int | str], Sequence[Any]]


@dataclass(frozen=True)
class Reader:
    """Somebody who reads events, None for nobody known."""

    principal: Principal | None

    @property
    def user_id(self) -> int:
        """Return the reader's id, 0 for nobody known."""
        return self.principal.user_id if self.principal else 0

    @cached_property
    def administers(self) -> bool:
        """Return whether the reader administers the account, and not only one of its projects."""
        return bool(self.principal and self.principal.administrator and not self.principal.token_project)

    def reaches(self, project_id: int) -> bool:
        """Return whether the reader's token, if any, opens a project."""
        return self.principal is None or self.principal.token_project in (0, project_id)


class Extent(Enum):
    """How much of an event somebody may read."""

    NOTHING = auto()
    FIELDS = auto()
    """Which fields changed, without their values."""
    WITHOUT_ORIGIN = auto()
    """All but where a ticket was before it was moved."""
    ALL = auto()


class Facts:
    """What decides who may read some events: looked up once for all of their readers."""

    def __init__(self, transaction: Transaction, found: Iterable[Named], readers: Iterable[Reader]) -> None:
        """Look at what is there of the events' subjects, and at whom their projects are open to."""
        events = [each.event for each in found]
        self._subjects = _subjects(transaction, events)
        named = {event.project_id for event in events} | {_moved_from(event) for event in events}
        named |= {row[0] for row in self._subjects["bulk_edit"].values()}
        project_ids = {project_id for project_id in named if project_id}
        self._public = store.public(transaction, project_ids)
        self._members = store.members(transaction, project_ids, {reader.user_id for reader in readers})

    def is_member(self, reader: Reader, project_id: int) -> bool:
        """Return whether somebody works in a project, as administrators of the account do in all."""
        if reader.principal is None or not reader.reaches(project_id):
            return False
        return reader.principal.administrator or (project_id, reader.user_id) in self._members

    def sees(self, reader: Reader, project_id: int) -> bool:
        """Return whether somebody sees a project."""
        is_open = self._public.get(project_id, False) and reader.reaches(project_id)
        return is_open or (project_id in self._public and self.is_member(reader, project_id))

    def extent(self, reader: Reader, event: Happened) -> Extent:
        """Return how much of an event somebody may read now."""
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

    def _is_open(self, reader: Reader, event: Happened) -> bool:
        """Return whether nothing more than the project hides an event's subject from somebody."""
        subject = self._subject(event)
        if event.subject_kind == "bin":
            shared, owner_id = subject or (_was_shared(event), event.user_id)
            return bool(shared) or owner_id == reader.user_id
        # The words of a bulk edit that moved tickets name where to.
        target = subject[0] if subject and event.subject_kind == "bulk_edit" else None
        return target is None or self.sees(reader, target)

    def _is_present(self, event: Happened) -> bool:
        return event.subject_kind == "project" or self._subject(event) is not None

    def _subject(self, event: Happened) -> Sequence[Any] | None:
        return self._subjects[event.subject_kind].get((event.project_id or 0, key_of(event)))

    def path(self, event: Happened) -> str | None:
        """Return the path of the page that shows an event's subject, None where there is none any more."""
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
        # A comment stands on the page of its message.
        key = subject[0] if kind == "message" and subject[0] else event.subject_id
        return f"{place}/{kind}s/{quote(str(key), safe='')}"


def changes(extent: Extent, event: Happened) -> Changes:
    """Return what an event says of old and new values, as far as somebody may read it."""
    hidden = (MENTIONS, *_ORIGIN) if extent is Extent.WITHOUT_ORIGIN else (MENTIONS,)
    told = {name: values for name, values in event.changes.items() if name not in hidden}
    return dict.fromkeys(told) if extent is Extent.FIELDS else told


def key_of(event: Happened) -> int | str:
    """Return the number, id or revision of an event's subject."""
    is_text = event.subject_kind == "changeset" or not event.subject_id.isdecimal()
    return event.subject_id if is_text else int(event.subject_id)


def _was_shared(event: Happened) -> bool:
    """Return whether an event tells that a saved view was deleted which everybody in the project saw."""
    return event.type == Type.BIN_DELETED and event.changes.get("shared") == [True, None]


def _moved_from(event: Happened) -> int | None:
    """Return the project that a ticket was moved from, None where it was not."""
    pair = event.changes.get("project_id")
    return pair[0] if pair else None


def _subjects(transaction: Transaction, events: Iterable[Happened]) -> dict[str, Subjects]:
    """Return what is there of the subjects of events, by their kinds."""
    named: dict[str, list[Happened]] = defaultdict(list)
    for event in events:
        if event.project_id is not None:
            named[event.subject_kind].append(event)
    found: dict[str, Subjects] = defaultdict(dict)
    for kind, each in named.items():
        project_ids = {event.project_id for event in each if event.project_id}
        found[kind] = store.present(transaction, kind, project_ids, {key_of(event) for event in each})
    return found


def _may_read_of_account(reader: Reader, event: Happened) -> bool:
    principal = reader.principal
    if principal is None or principal.token_project:
        return False
    if event.subject_kind == "user":
        # What is nobody else's business, such as a language, changes nothing that others see.
        is_seen = principal.role is not None and bool(event.changes)
        return is_seen or key_of(event) == principal.user_id
    if event.subject_kind in _OWN:
        return event.user_id == principal.user_id and not principal.token_id
    return reader.administers


def _path_in_account(event: Happened) -> str | None:
    if event.subject_kind == "user":
        return f"/users/{event.subject_id}"
    name = _ADMINISTRATION.get(event.subject_kind) or _OWN.get(event.subject_kind)
    return f"/{name}" if name else None
