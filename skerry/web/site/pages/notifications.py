"""The page of the inbox."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta, tzinfo
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

from skerry.database.transactions import SECOND
from skerry.resources.notifications import Notification
from skerry.tracker import projects
from skerry.tracker.context import Context, Params
from skerry.tracker.notifications import inbox, levels
from skerry.tracker.people import avatars
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import existing_page
from skerry.wire.values import whole_number

_MORNING = time(8)
_MAX_DAYS = 30


class Mornings(NamedTuple):
    """When snoozed notifications may come back: in the morning, where the reader is."""

    tomorrow: datetime
    next_week: datetime
    days: Sequence[datetime]


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the reader's notifications, unread ones first."""
    listing, page = existing_page(
        params.page, lambda page: inbox.list_all(context, replace(params, page=page))
    )
    names = projects.names(context)
    kept = {name: params.query[name] for name in ("snoozed", *inbox.FILTERS) if params.query.get(name)}
    events = [each.event for each in listing.records if each.event]
    return {
        "listing": listing,
        "page": page,
        "unread": [each for each in listing.records if not each.read],
        "earlier": [each for each in listing.records if each.read],
        "newest": max((each.number for each in events if each.number), default=None),
        "names": names,
        "kept": kept,
        "here": f"/notifications?{urlencode(kept)}",
        "undo": _undo(params),
        "excerpts": inbox.excerpts(context, listing.records),
        "pictures": avatars.paths(context, (each.user_id for each in events)),
        "mornings": partial(_mornings, context.transaction.now),
        "snoozing": _snoozing(listing.records, params),
    }


def _undo(params: Params) -> tuple[int, int] | None:
    """Return which notifications were just marked together, and how many."""
    marked, count = (whole_number(name, params.query.get(name, "")) for name in ("marked", "count"))
    return (marked, count) if marked and count else None


def _snoozing(listed: Sequence[Notification], params: Params) -> Notification | None:
    """Return the notification for which the reader chooses a day."""
    return next((each for each in listed if str(each.id) == params.query.get("snooze")), None)


def _mornings(now: int, zone: tzinfo) -> Mornings:
    """Return the next mornings in a time zone."""
    today = datetime.fromtimestamp(now / SECOND, zone).date()
    days = [
        datetime.combine(today + timedelta(days=ahead), _MORNING, zone) for ahead in range(1, _MAX_DAYS + 1)
    ]
    return Mornings(days[0], days[6 - today.weekday()], days)


def of_ticket(context: Context, params: Params) -> Content:
    """Return the reader's notification of a ticket, and whether they muted it."""
    if context.principal is None:
        return {"told": None, "muted": False}
    told = inbox.of_ticket(context, params.ids["number"])
    return {
        "told": told.id if told and inbox.is_waiting(context, told) else None,
        "muted": levels.is_muted(context, params.ids["number"]),
    }
