"""Reminders: one mail to everybody for whom tickets are due today, from seven in the morning on."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from skerry.database.rows import timestamp
from skerry.database.transactions import SECOND, Transaction
from skerry.errors import NotFound
from skerry.resources.tickets import Ticket
from skerry.store import accounts, calendar
from skerry.store.mail.mails import QueuedMail
from skerry.store.notifications import levels as notification_levels
from skerry.store.notifications import reminders as store
from skerry.store.notifications.reminders import DueTicket
from skerry.store.ticket_rows import moved_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.characters import one_line
from skerry.text.time_zones import zone_named
from skerry.tracker.context import Context
from skerry.tracker.mail import notification_mails, queue, subscriptions
from skerry.tracker.mail.letters import Headers, Letter, Recipient
from skerry.tracker.mail.notification_mails import Content
from skerry.tracker.notifications.levels import DEFAULT, Level, Reason
from skerry.tracker.people import frequency

KIND = "due"

_MAX_TICKETS = 50


class Reminder(NamedTuple):
    """What a person is reminded of: the day where they are, and their tickets."""

    user_id: int
    day: str
    tickets: list[Place]


def accounts_due(transaction: Transaction) -> list[int]:
    """Return the accounts in which somebody may have to be reminded."""
    return store.accounts_due(transaction, *_days(transaction))


def due(transaction: Transaction) -> list[Reminder]:
    """Return the reminders of the account that are to be queued now."""
    if not queue.is_on(transaction):
        return []
    concerned = defaultdict[int, list[DueTicket]](list)
    for ticket in store.due(transaction, *_days(transaction)):
        for user_id in {ticket.assigned_user_id or 0, *ticket.watchers_ids} - {0}:
            concerned[user_id].append(ticket)
    here, found = calendar.zone(transaction), list[Reminder]()
    for reader in store.readers(transaction, concerned) if concerned else ():
        zone = zone_named(reader.time_zone) if reader.time_zone else here
        local = datetime.fromtimestamp(transaction.now / SECOND, zone)
        today = local.date().isoformat()
        places = [
            Place(each.project_id, each.number) for each in concerned[reader.user_id] if each.due_on == today
        ]
        if places and local.hour >= frequency.DIGEST_HOUR and reader.reminded_on < today:
            found.append(Reminder(reader.user_id, today, places))
    return found


def queue_due(transaction: Transaction) -> None:
    """Queue the reminders that are due; each person gets one a day."""
    for reminder in due(transaction):
        # Creates the row in which the day is kept.
        frequency.code_of(transaction, reminder.user_id)
        store.note(transaction, reminder.user_id, reminder.day)
        content = {"day": reminder.day, "tickets": reminder.tickets}
        queue.put(transaction, KIND, content, user_id=reminder.user_id)


def _days(transaction: Transaction) -> tuple[str, str]:
    """Return the first and the last day that is today in some time zone."""
    first, last = (timestamp(transaction.now).date() + timedelta(days=step) for step in (-1, 1))
    return first.isoformat(), last.isoformat()


def reminder(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    """Return a reminder of the tickets that are still due on its day, or None if there are none."""
    to, places = notification_mails.wants(transaction, mail), mail.content["tickets"]
    if to is None or not isinstance(places, list) or not frequency.wants_reminders(transaction, to.user_id):
        return None
    day = str(mail.content["day"])
    told = list(_still_due(transaction, to, [Place(*place) for place in places], day))
    if not told:
        return None
    more = max(0, len(told) - _MAX_TICKETS)
    address = f"due.{transaction.account_id}.{notification_mails.host(transaction)}"
    headers: Headers = {"List-Id": (one_line(accounts.name_of(transaction)), address)}
    link = subscriptions.link_to_end(transaction, to.user_id, ends=subscriptions.REMINDERS)
    shown = told[:_MAX_TICKETS]
    return notification_mails.letter(transaction, KIND, to, headers, link, tickets=shown, more=more)


def _still_due(transaction: Transaction, to: Recipient, places: list[Place], day: str) -> Iterator[Content]:
    for place in places:
        try:
            entered, ticket = subscriptions.ticket_of(transaction, to.user_id, place)
        except NotFound:
            continue
        if ticket.due_on == day and not ticket.closed and _is_wanted(entered, ticket, to.user_id):
            yield _content(entered, ticket)


def _is_wanted(context: Context, ticket: Ticket, user_id: int) -> bool:
    """Return whether a ticket concerns a person who has not muted it, at the level of its project."""
    transaction, project_id, number = context.transaction, context.project_id, ticket.number or 0
    if ticket.assigned_user_id != user_id and user_id not in ticket.watchers_ids:
        return False
    reason = Reason.ASSIGNED if ticket.assigned_user_id == user_id else Reason.WATCHED
    level = Level(notification_levels.level(transaction, project_id, user_id) or DEFAULT)
    return level.wants(reason) and not notification_levels.is_muted(transaction, project_id, number, user_id)


def _content(context: Context, ticket: Ticket) -> Content:
    place = Place(context.project_id, ticket.number or 0)
    url = f"{queue.base_url(context.transaction)}/projects/{place.project_id}/tickets/{place.number}"
    project, title = one_line(context.project.name), one_line(ticket.title)
    origin = moved_tickets.origin(context.transaction, *place)
    return Content(place.project_id, project, place.number, title, origin, url, "", [])
