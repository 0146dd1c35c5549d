"""The reader of events that creates notifications of tickets.

The watchers of a ticket, its assignee and the people mentioned in its text are notified if they want to be
and can see the ticket at that time; nobody is notified of their own changes. Imports write no events, and so
cause no notifications.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from skerry.store.engine.transactions import Transaction
from skerry.store.events import event_reading
from skerry.store.events.events import StoredEvent
from skerry.store.notifications import notification_levels
from skerry.store.notifications import notifications as store
from skerry.store.notifications.notifications import NewNotification
from skerry.store.people import people
from skerry.tracker.changes.comments import named_in
from skerry.tracker.events.events import Type
from skerry.tracker.mail import batching
from skerry.tracker.notifications.reasons import DEFAULT, Level, Reason

NAME = "notifications"
"""The name under which the reader's position is stored."""

# An edited text notifies only the people whom it newly mentions.
_NOTIFIED = frozenset({Type.TICKET_CREATED, Type.TICKET_UPDATED, Type.TICKET_MOVED, Type.VERSION_UPDATED})


def read(transaction: Transaction, events: Sequence[StoredEvent]) -> None:
    """Notify people of events: once per ticket, with the last event and the strongest reason.

    Their mail is queued as well.
    """
    of_projects = defaultdict[int, list[StoredEvent]](list)
    for event in events:
        if event.type in _NOTIFIED and event.project_id:
            of_projects[event.project_id].append(event)
    notified: dict[tuple[int, int, int], tuple[StoredEvent, StoredEvent, Reason]] = {}
    for project_id, some in of_projects.items():
        audience = Audience(transaction, project_id, some)
        for event in some:
            for user_id, reason in audience.recipients_of(event):
                key = (user_id, project_id, int(event.subject_id))
                first, _, before = notified.get(key, (event, event, reason))
                notified[key] = (first, event, max(before, reason))
    store.add(
        transaction,
        [NewNotification(*key, reason, last.number) for key, (_, last, reason) in notified.items()],
    )
    batching.add(transaction, [(*key, *rest) for key, rest in notified.items()])


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
            if is_wanted and (self._is_public or user_id in self._members):
                yield user_id, reason

    def _reasons(self, number: int, event: StoredEvent) -> dict[int, Reason]:
        mentioned = dict.fromkeys(named_in(event.changes), Reason.MENTION)
        if event.type == Type.VERSION_UPDATED:
            return mentioned
        # People who started watching since then have seen the change; those who stopped are not interested.
        assignee_id, watched = self._versions.get((number, event.version or 0), (None, None))
        present = self._watching[number]
        watchers_ids = present if watched is None else set(present).intersection(watched)
        everything = (id_ for id_, level in self._levels.items() if level is Level.EVERYTHING)
        reasons = dict.fromkeys((*watchers_ids, *everything), Reason.WATCHED)
        if assignee_id:
            reasons[assignee_id] = Reason.ASSIGNED
        return reasons | mentioned
