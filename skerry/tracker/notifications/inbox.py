"""The inbox: the caller's notifications, as far as they may see the tickets now."""

from collections.abc import Sequence
from datetime import datetime

from skerry.database.rows import timestamp
from skerry.database.transactions import SECOND
from skerry.errors import Invalid, NotFound
from skerry.resources.events import Event
from skerry.resources.notifications import Marking, Notification
from skerry.store.events import event_reading
from skerry.store.events import events as event_store
from skerry.store.notifications import excerpts as excerpt_store
from skerry.store.notifications import notifications as store
from skerry.store.projects import Visibility
from skerry.store.ticket_rows import ticket_lists
from skerry.text.actions import is_bare_command
from skerry.text.rendered_html import excerpt
from skerry.tracker import access
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import event_lists
from skerry.tracker.events.event_access import EventPermissions, EventReader, Extent
from skerry.tracker.notifications import notifier
from skerry.tracker.notifications.levels import Reason
from skerry.wire.record import UNSET, UnsetType
from skerry.wire.values import MAX_INTEGER, whole_number, yes_or_no

MAX_COUNTED = 99
"""Unread notifications are counted up to this number; a count of one more stands for more."""

MAX_EXCERPT = 160
"""The maximum length of an excerpt."""

# A limit on rendered text, which may have more markup than words.
_READ = 1000

UP_TO = "up_to"
FILTERS = ("project_id", "reason")
"""The parameters that choose notifications of one project, or for one reason."""


def list_all(context: Context, params: Params) -> ResultPage[Notification]:
    """Return a page of the caller's notifications, unread ones first, then by their last events.

    Raises Invalid for an invalid parameter.
    """
    visibility, page, which, wanted = _visibility(context), params.page, _which(params), _wanted(params)
    notifications = store.page(
        context.transaction, visibility, which, wanted, limit=page.limit, offset=page.offset
    )
    total = store.count(context.transaction, visibility, which, wanted)
    return ResultPage(Notification, _shown(context, notifications), total)


def excerpts(context: Context, shown: Sequence[Notification]) -> dict[int, str]:
    """Return the first words of the texts that notifications are about, by their ids."""
    ids = [each.id for each in shown if each.id and each.ticket and _says(each.event)]
    read = excerpt_store.beginnings(context.transaction, context.author.user_id, ids, _READ)
    words = {told: excerpt(html, MAX_EXCERPT) for told, html in read.items()}
    return {told: said for told, said in words.items() if not is_bare_command(said)}


def _says(event: Event | UnsetType) -> bool:
    return isinstance(event, Event) and (event.version == 1 or "body" in event.changes)


def _which(params: Params) -> str:
    if yes_or_no("Snoozed", params.query.get("snoozed", "false")):
        return "snoozed"
    return "unread" if yes_or_no("Unread", params.query.get("unread", "false")) else "all"


def _wanted(params: Params) -> store.Wanted:
    """Return the project and the reason that are asked for; raises Invalid."""
    sent = {**params.query, **params.extra_params}
    project_id = whole_number("Project", sent["project_id"]) if sent.get("project_id") else 0
    if project_id is None:
        raise Invalid("Project must be a whole number")
    reasons = {reason.word: reason for reason in Reason}
    word = str(sent.get("reason") or "")
    if word and word not in reasons:
        raise Invalid(f"Reason is not one of {', '.join(reasons)}")
    return store.Wanted(project_id, reasons[word] if word else 0)


def _visibility(context: Context) -> Visibility:
    return access.visibility(context.author)


def get(context: Context, params: Params) -> Notification:
    """Return a notification of the caller; raises NotFound."""
    return _shown(context, [_one(context, params.ids["id"])])[0]


def update(context: Context, params: Params) -> Notification:
    """Mark a notification of the caller as read or unread, or snooze it; raises NotFound.

    A snoozed one is unread, and one that is read is not snoozed.
    """
    before = get(context, params)
    after = params.draft_of(Notification).over(before)
    is_done = after.read and not before.read
    until = None if is_done else after.snoozed_until
    if (after.read, until) != (before.read, before.snoozed_until):
        store.mark(
            context.transaction,
            context.author.user_id,
            params.ids["id"],
            unread=until is not None or not after.read,
            until=_microseconds(until),
        )
    return get(context, params)


def _microseconds(time: datetime | None) -> int | None:
    return None if time is None else int(time.timestamp()) * SECOND


def read_all(context: Context, params: Params) -> Marking:
    """Mark the caller's notifications as read: those in the list that is asked for, up to an event number.

    The result can be undone. Only members have event numbers: others could learn from them how much happens
    elsewhere. Raises Invalid for an invalid parameter.
    """
    sent = params.extra_params.get(UP_TO)
    if sent is not None and not event_lists.is_inside(context):
        raise Invalid("Up to is only available to members of the account; omit it to mark everything as read")
    up_to = MAX_INTEGER if sent is None else whole_number("Up to", sent)
    if up_to is None:
        raise Invalid("Up to must be a whole number")
    marked = store.mark_all(context.transaction, _visibility(context), _wanted(params), up_to)
    return Marking(marked, context.transaction.now)


def unread_again(context: Context, params: Params) -> Marking:
    """Mark those as unread that were marked as read together and have not changed since."""
    marked_at = params.ids["id"]
    return Marking(store.unmark(context.transaction, _visibility(context), marked_at), marked_at)


def is_waiting(context: Context, notification: store.StoredNotification) -> bool:
    """Return whether a notification is unread and not snoozed."""
    until = notification.snoozed_until
    return bool(notification.unread) and (until is None or until <= context.transaction.now)


def count_unread(context: Context) -> int:
    """Return the number of the caller's unread notifications, at most ``MAX_COUNTED + 1``."""
    return store.count_unread(context.transaction, access.visibility(context.author), MAX_COUNTED + 1)


def progress(context: Context) -> tuple[str, bool]:
    """Return the cursor after the last event, and whether notifications of events may still be created."""
    last, notified = event_store.positions(context.transaction, notifier.NAME)
    return event_lists.cursor_after(context, last), notified < last


def of_ticket(context: Context, number: int) -> store.StoredNotification | None:
    """Return the caller's notification of a ticket of the current project, if there is one."""
    return store.of_ticket(context.transaction, context.project_id, number, context.author.user_id)


def _one(context: Context, notification_id: int) -> store.StoredNotification:
    notification = store.one(context.transaction, access.visibility(context.author), notification_id)
    if notification is None:
        raise NotFound("There is no such notification")
    return notification


def _shown(context: Context, notifications: Sequence[store.StoredNotification]) -> list[Notification]:
    keys = [(each.project_id, each.number) for each in notifications]
    tickets = {
        (each.project_id, each.number): each for each in ticket_lists.with_keys(context.transaction, keys)
    }
    events = _events(context, [each.event_number for each in notifications])
    return [
        Notification(
            id=each.id,
            read=not each.unread,
            reason=Reason(each.reason).word,
            snoozed_until=_shown_time(context, each.snoozed_until),
            event=events.get(each.event_number, UNSET),
            ticket=tickets.get((each.project_id, each.number), UNSET),
        )
        for each in notifications
    ]


def _shown_time(context: Context, until: int | None) -> datetime | None:
    return None if until is None or until <= context.transaction.now else timestamp(until)


def _events(context: Context, numbers: Sequence[int]) -> dict[int, Event]:
    """Return the events with the given numbers that are kept and that the caller may read."""
    named = event_reading.with_numbers(context.transaction, numbers)
    reader, base = EventReader(context.principal), context.transaction.base
    facts, inside = EventPermissions(context.transaction, named, [reader]), event_lists.is_inside(context)
    measured = ((each, facts.extent(reader, each.event)) for each in named)
    return {
        each.event.number: event_lists.as_shown(facts, extent, each, base, numbered=inside)
        for each, extent in measured
        if extent is not Extent.NOTHING
    }
