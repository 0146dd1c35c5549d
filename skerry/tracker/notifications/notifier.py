"""The reader of events that creates notifications of tickets.

The watchers of a ticket, its assignee and the people mentioned in its text are notified if they want to be
and can see the ticket at that time. Nobody is notified of their own changes, and no service user of anything.
Imports write no events, and so cause no notifications.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from skerry.database.transactions import Transaction
from skerry.store import links, private_tickets
from skerry.store.events import event_reading
from skerry.store.events.decoding import StoredEvent
from skerry.store.notifications import levels as notification_levels
from skerry.store.notifications import notifications as store
from skerry.store.notifications.notifications import NewNotification
from skerry.store.people import people, users
from skerry.store.ticket_rows import moved_tickets
from skerry.tracker.events.events import LINKS, Type, is_departure, named_in
from skerry.tracker.mail import batching
from skerry.tracker.notifications.levels import DEFAULT, Level, Reason

NAME = "notifications"
"""The name under which the reader's position is stored."""

# An edited text notifies only the people whom it newly mentions.
_NOTIFIED = frozenset({Type.TICKET_CREATED, Type.TICKET_UPDATED, Type.TICKET_MOVED, Type.VERSION_UPDATED})


def read(transaction: Transaction, events: Sequence[StoredEvent]) -> None:
    """Notify people of events: once per ticket, with the last event and the strongest reason.

    Their mail is queued as well.
    """
    of_projects = defaultdict[int, list[StoredEvent]](list)
    for event in _at_present(transaction, events):
        of_projects[event.project_id or 0].append(event)
    notified: dict[tuple[int, int, int], tuple[StoredEvent, StoredEvent, Reason]] = {}
    for project_id, some in of_projects.items():
        audience = Audience(transaction, project_id, some)
        for event in some:
            for user_id, reason in audience.recipients_of(event):
                key = (user_id, project_id, int(event.subject_id))
                first, _, before = notified.get(key, (event, event, reason))
                notified[key] = (first, event, max(before, reason))
    programs = users.programs(transaction, {user_id for user_id, *_ in notified}) if notified else set()
    notified = {key: rest for key, rest in notified.items() if key[0] not in programs}
    store.add(
        transaction,
        [NewNotification(*key, reason, last.number) for key, (_, last, reason) in notified.items()],
    )
    batching.add(transaction, [(*key, *rest) for key, rest in notified.items()])


def _at_present(transaction: Transaction, events: Sequence[StoredEvent]) -> Iterator[StoredEvent]:
    """Yield the events that people are notified of, with the present address of their ticket."""
    # Nobody is notified of a version that changes nothing.
    wanted = [event for event in events if event.type in _NOTIFIED and event.project_id and event.changes]
    numbers = defaultdict[int, set[int]](set)
    for event in wanted:
        numbers[event.project_id or 0].add(int(event.subject_id))
    moved = {
        project_id: moved_tickets.moved(transaction, project_id, some) for project_id, some in numbers.items()
    }
    for event in wanted:
        place = moved[event.project_id or 0].get(int(event.subject_id))
        if place is None:
            yield event
        elif not is_departure(event):
            yield event._replace(project_id=place.project_id, subject_id=str(place.number))


class Audience:
    """The people who may be notified of events of a project's tickets, loaded once for all events."""

    def __init__(self, transaction: Transaction, project_id: int, events: Sequence[StoredEvent]) -> None:
        """Load the people involved in the tickets, their levels and mutes, and who can see the project."""
        numbers = {int(event.subject_id) for event in events}
        keys = {(int(event.subject_id), event.version or 0) for event in events}
        self._watching = notification_levels.watching(transaction, project_id, numbers)
        self._versions = notification_levels.concerned(transaction, project_id, keys)
        levels = notification_levels.levels(transaction, project_id)
        self._levels = {user_id: Level(level) for user_id, level in levels.items()}
        self._muted = notification_levels.muted(transaction, project_id, numbers)
        self._is_public = event_reading.public(transaction, [project_id]).get(project_id, False)
        self._members = people.worker_ids(transaction, project_id)
        self._private = notification_levels.private(transaction, project_id, numbers)
        self._linked = _Linked(transaction, project_id, events)

    def recipients_of(self, event: StoredEvent) -> Iterator[tuple[int, Reason]]:
        """Yield the people who are notified of an event, and the reason."""
        number = int(event.subject_id)
        if number not in self._watching:
            return
        reasons = self._reasons(number, event)
        if event.user_id:
            reasons.pop(event.user_id, None)
        for user_id, reason in reasons.items():
            level = self._levels.get(user_id, DEFAULT)
            is_wanted = level.wants(reason) and (user_id, number) not in self._muted
            is_guest_there = self._is_public and user_id in self._private.get(number, (user_id,))
            is_seen = is_guest_there or user_id in self._members
            if is_wanted and is_seen and self._linked.tells(event, user_id):
                yield user_id, reason

    def _reasons(self, number: int, event: StoredEvent) -> dict[int, Reason]:
        mentioned = dict.fromkeys(named_in(event.changes), Reason.MENTION)
        if event.type == Type.VERSION_UPDATED:
            return mentioned
        # People who began to watch since then have seen the change; those who stopped do not want to know.
        present = self._watching[number]
        assignee_id, watched = self._versions.get((number, event.version or 0), (None, present))
        watchers_ids = set(present).intersection(watched)
        everything = (id_ for id_, level in self._levels.items() if level is Level.EVERYTHING)
        reasons = dict.fromkeys((*watchers_ids, *everything), Reason.WATCHED)
        if assignee_id:
            reasons[assignee_id] = Reason.ASSIGNED
        return reasons | mentioned


class _Linked:
    """The people who see the tickets to which events changed links and nothing else."""

    def __init__(self, transaction: Transaction, project_id: int, events: Sequence[StoredEvent]) -> None:
        keys = {(int(event.subject_id), event.version or 0) for event in events if _only_links(event)}
        self._projects = self._for_guests = links.linked_projects(transaction, project_id, keys)
        if self._projects:
            with transaction.seeing(private_tickets.of_everybody(transaction)):
                self._for_guests = links.linked_projects(transaction, project_id, keys)
        named = {each for projects in self._projects.values() for each in projects}
        self._public = event_reading.public(transaction, named) if named else {}
        self._members = {each: people.worker_ids(transaction, each) for each in named}

    def tells(self, event: StoredEvent, user_id: int) -> bool:
        """Return whether an event tells a person anything."""
        if not _only_links(event):
            return True
        key = (int(event.subject_id), event.version or 0)
        is_guest_there = any(self._public.get(each) for each in self._for_guests.get(key, ()))
        return is_guest_there or any(user_id in self._members[each] for each in self._projects.get(key, ()))


def _only_links(event: StoredEvent) -> bool:
    return event.changes.keys() == {LINKS}
