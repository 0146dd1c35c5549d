"""Lists of events of a project or the account, in order, filtered by what the caller may read."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from skerry.database.rows import timestamp
from skerry.resources.events import Event
from skerry.store import accounts
from skerry.store.events import event_reading as store
from skerry.store.events.event_reading import EventWithActor
from skerry.tracker import access
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events.event_access import EventPermissions, EventReader, Extent, changes, key_of
from skerry.tracker.events.event_cursors import Cursors

AFTER = "after"

_SOME = 200
"""How many events are examined at a time."""

MAX_EXAMINED = 5000
"""A page ends after this many events have been examined."""


class VisibleEvents(NamedTuple):
    """A page of events that the reader may see, and the position up to which events were examined.

    ``numbers`` are the event numbers, which not every reader may see. ``more`` says whether more events may
    follow.
    """

    events: list[Event]
    numbers: list[int]
    last: int
    more: bool


def list_all(context: Context, params: Params) -> ResultPage[Event]:
    """Return a page of the events of the project, the oldest first; raises Invalid and Gone."""
    return _page(context, params)


def list_across_projects(context: Context, params: Params) -> ResultPage[Event]:
    """Return a page of the events of the account and of all projects visible to the caller.

    Raises Unauthenticated if nobody is signed in and nothing is public, Invalid and Gone.
    """
    check(context)
    return _page(context, params)


def check(context: Context) -> None:
    """Raise Unauthenticated if nobody is signed in and nothing is public."""
    if context.entered is None and context.principal is None:
        access.visible_project_ids(context)


def _page(context: Context, params: Params) -> ResultPage[Event]:
    cursors = cursors_of(context)
    with context.transaction.snapshot():
        # Both use the same transaction, so that no event expires between the two.
        after = cursors.read(params.query.get(AFTER), store.event_range(context.transaction))
        page = after_number(context, after, params.page.limit)
    last = cursors.write(page.last)
    return ResultPage(Event, page.events, last=last, next=last if page.more else None)


def is_inside(context: Context) -> bool:
    """Return whether the caller may see event numbers: a member of the account or of the project."""
    principal = context.principal
    return context.member or (principal is not None and principal.role is not None)


def cursors_of(context: Context) -> Cursors:
    """Return the cursors of the caller."""
    return Cursors(accounts.key_of(context.transaction), is_inside(context))


def cursor_after(context: Context, number: int) -> str:
    """Return the cursor after an event; for members it is the number, for which no key is read."""
    return str(number) if is_inside(context) else cursors_of(context).write(number)


def after_number(context: Context, after: int, limit: int) -> VisibleEvents:
    """Return the events after a number, at most ``limit``."""
    reader, shown, numbers = EventReader(context.principal), list[Event](), list[int]()
    # Read before the events, so that all events up to this number are visible.
    last, looked_at = store.event_range(context.transaction).last, 0
    inside, base = is_inside(context), context.transaction.base
    for batch in _batches(context, after):
        facts = EventPermissions(context.transaction, batch, [reader])
        for each in batch:
            extent = facts.extent(reader, each.event)
            if extent is not Extent.NOTHING:
                if len(shown) == limit:
                    return VisibleEvents(shown, numbers, numbers[-1], more=True)
                shown.append(as_shown(facts, extent, each, base, numbered=inside))
                numbers.append(each.event.number)
        last, looked_at = max(last, batch[-1].event.number), looked_at + len(batch)
        if looked_at >= MAX_EXAMINED:
            return VisibleEvents(shown, numbers, batch[-1].event.number, more=True)
    return VisibleEvents(shown, numbers, last, more=False)


def _batches(context: Context, after: int) -> Iterator[list[EventWithActor]]:
    transaction = context.transaction
    if context.entered:
        find = partial(store.of_project, transaction, context.project_id)
    else:
        find = partial(store.of_visible, transaction, access.visibility(context.principal))
    while batch := find(after, _SOME):
        yield batch
        if len(batch) < _SOME:
            return
        after = batch[-1].event.number


def as_shown(
    facts: EventPermissions, extent: Extent, named: EventWithActor, base: str, *, numbered: bool
) -> Event:
    """Return an event as far as a reader may see it; only members see it ``numbered``."""
    event = named.event
    path, key = facts.path(event), key_of(event)
    return Event(
        batch_id=event.batch_id if numbered else None,
        changes=changes(extent, event),
        happened_at=timestamp(event.happened_at),
        number=event.number if numbered else None,
        project_id=event.project_id,
        revision=key if isinstance(key, str) else None,
        subject_id=key if isinstance(key, int) else None,
        subject_kind=event.subject_kind,
        type=event.type,
        url=f"{base}{path}" if path else None,
        user_id=event.user_id,
        user_name=named.user_name,
        version=event.version,
        via=event.via,
    )
