"""The inbox: the caller's notifications, as far as they may see the tickets now."""

from collections.abc import Sequence

from skerry.errors import Invalid, NotFound
from skerry.resources.events import Event
from skerry.resources.sending.notifications import Notification
from skerry.store.events import event_reading
from skerry.store.notifications import notifications as store
from skerry.store.ticket_rows import ticket_lists
from skerry.tracker import access
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import event_lists
from skerry.tracker.events.event_access import EventPermissions, Extent, Reader
from skerry.tracker.notifications.reasons import Reason
from skerry.wire.record import UNSET
from skerry.wire.values import MAX_SIZE, whole_number, yes_or_no

MAX_COUNTED = 99
"""Unread notifications are counted up to this number; a count of one more stands for more."""

UP_TO = "up_to"


def list_all(context: Context, params: Params) -> ResultPage[Notification]:
    """Return a page of the caller's notifications, unread ones first, then by their last events.

    Raises Invalid if ``unread`` is neither true nor false.
    """
    unread = yes_or_no("Unread", params.query.get("unread", "false"))
    visibility, page = access.visibility(context.author), params.page
    found = store.page(context.transaction, visibility, unread=unread, limit=page.limit, offset=page.offset)
    total = store.count(context.transaction, visibility, unread=unread)
    return ResultPage(Notification, _shown(context, found), total)


def get(context: Context, params: Params) -> Notification:
    """Return a notification of the caller; raises NotFound."""
    return _shown(context, [_one(context, params.ids["id"])])[0]


def update(context: Context, params: Params) -> Notification:
    """Mark a notification of the caller as read or unread; raises NotFound."""
    before = get(context, params)
    after = params.draft_of(Notification).over(before)
    if after.read != before.read:
        store.mark(context.transaction, context.author.user_id, params.ids["id"], unread=not after.read)
    return get(context, params)


def read_all(context: Context, params: Params) -> None:
    """Mark the caller's notifications as read, all or those up to an event number; raises Invalid.

    Only members have event numbers: others could learn from them how much happens elsewhere.
    """
    sent = params.extra_params.get(UP_TO)
    if sent is not None and not event_lists.is_inside(context):
        raise Invalid("up_to is only available to members of the account; omit it to mark everything as read")
    up_to = MAX_SIZE if sent is None else whole_number("up_to", sent)
    if up_to is None:
        raise Invalid("up_to must be a whole number")
    store.mark_all(context.transaction, access.visibility(context.author), up_to)


def count_unread(context: Context) -> int:
    """Return the number of the caller's unread notifications, at most ``MAX_COUNTED + 1``."""
    return store.count_unread(context.transaction, access.visibility(context.author), MAX_COUNTED + 1)


def of_ticket(context: Context, number: int) -> store.Notification | None:
    """Return the caller's notification of a ticket of the current project, if there is one."""
    return store.of_ticket(context.transaction, context.project_id, number, context.author.user_id)


def _one(context: Context, notification_id: int) -> store.Notification:
    found = store.one(context.transaction, access.visibility(context.author), notification_id)
    if found is None:
        raise NotFound("There is no such notification")
    return found


def _shown(context: Context, found: Sequence[store.Notification]) -> list[Notification]:
    keys = [(each.project_id, each.number) for each in found]
    tickets = {
        (each.project_id, each.number): each for each in ticket_lists.with_keys(context.transaction, keys)
    }
    events = _events(context, [each.event_number for each in found])
    return [
        Notification(
            id=each.id,
            read=not each.unread,
            reason=Reason(each.reason).word,
            event=events.get(each.event_number, UNSET),
            ticket=tickets.get((each.project_id, each.number), UNSET),
        )
        for each in found
    ]


def _events(context: Context, numbers: Sequence[int]) -> dict[int, Event]:
    """Return the events with the given numbers that are kept and that the caller may read."""
    named = event_reading.with_numbers(context.transaction, numbers)
    reader, base = Reader(context.principal), context.transaction.base
    facts, inside = EventPermissions(context.transaction, named, [reader]), event_lists.is_inside(context)
    found = ((each, facts.extent(reader, each.event)) for each in named)
    return {
        each.event.number: event_lists.as_shown(facts, extent, each, base, numbered=inside)
        for each, extent in found
        if extent is not Extent.NOTHING
    }
