"""The links in mail that end such mail: a muted ticket, no digests, or no reminders.

A link has the code of its reader, followed by what it ends: ``CODE-PROJECT-NUMBER`` for a ticket,
``CODE-digest`` and ``CODE-reminders``. The code alone ends all notifications by mail.
"""

from typing import NamedTuple

from skerry.database.transactions import Transaction
from skerry.errors import NotFound
from skerry.resources.mail import Subscription
from skerry.resources.tickets import Ticket
from skerry.store import tickets as ticket_store
from skerry.store.mail import mail_changes
from skerry.store.mail import mail_preferences as store
from skerry.store.mail.mail_preferences import DAILY, NONE, WEEKLY
from skerry.store.notifications import levels as notification_levels
from skerry.store.people import people
from skerry.store.ticket_rows import moved_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.tracker import access, tickets
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params, Principal
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import frequency

GONE = "This unsubscribe link is not valid. Choose on your profile which mails you get"

ALL, DIGEST, REMINDERS, TICKET = "notifications", "digest", "reminders", "ticket"


class _Link(NamedTuple):
    """An unsubscribe link: the preferences of its reader, and the ticket, if it ends mail about one."""

    reader: store.MailPreferences
    ends: str
    place: Place | None = None


def link_to_end(
    transaction: Transaction, user_id: int, place: Place | None = None, *, ends: str = DIGEST
) -> str:
    """Return the code of the link that mutes a ticket for a user, or ends their digests or reminders."""
    code = frequency.code_of(transaction, user_id)
    return f"{code}-{place.project_id}-{place.number}" if place else f"{code}-{ends}"


def ticket_of(transaction: Transaction, user_id: int, place: Place) -> tuple[Context, Ticket]:
    """Return a ticket that may have been moved, if the user can see it; raises NotFound."""
    person = people.person(transaction, user_id)
    principal = Principal(user_id, person.name if person else "", person.role if person else None)
    project_id, number = moved_tickets.present(transaction, *place)
    context = access.enter(Context(transaction, principal), project_id, Permission.VIEW, writes=False)
    return context, tickets.one(context, number)


def get(context: Context, params: Params) -> Subscription:
    """Return the subscription that an unsubscribe link ends; raises NotFound if the link is not valid."""
    return _shown(context.transaction, _link(context, params))


def unsubscribe(context: Context, params: Params) -> Subscription:
    """End the subscription of an unsubscribe link, and no other; raises NotFound if the link is not valid."""
    link = _link(context, params)
    if link.place:
        _mute(context.transaction, link.reader.user_id, link.place)
    elif link.ends == REMINDERS:
        store.remind(context.transaction, link.reader.user_id, wanted=False)
        events.record(context, Type.USER_UPDATED, link.reader.user_id, user_id=link.reader.user_id)
    elif link.ends == ALL or link.reader.frequency in (DAILY, WEEKLY):
        _stop(context, link.reader.user_id)
    return _shown(context.transaction, _link(context, params))


def _mute(transaction: Transaction, user_id: int, place: Place) -> None:
    context, ticket = ticket_of(transaction, user_id, place)
    ticket_store.lock(transaction, context.project_id, ticket.number or 0)
    notification_levels.mute(transaction, context.project_id, ticket.number or 0, user_id, muted=True)


def _stop(context: Context, user_id: int) -> None:
    store.change(context.transaction, user_id, NONE, None)
    mail_changes.remove_of_user(context.transaction, user_id)
    events.record(context, Type.USER_UPDATED, user_id, user_id=user_id)


def _link(context: Context, params: Params) -> _Link:
    code, *rest = params.texts["code"].split("-")
    reader = store.with_code(context.transaction, code)
    match rest:
        case _ if reader is None:
            raise NotFound(GONE)
        case []:
            return _Link(reader, ALL)
        case [what] if what in (DIGEST, REMINDERS):
            return _Link(reader, what)
        case [project, number] if all(each.isascii() and each.isdigit() for each in rest) and _is_small(rest):
            return _Link(reader, TICKET, Place(int(project), int(number)))
    raise NotFound(GONE)


def _is_small(numbers: list[str]) -> bool:
    return all(len(each) < len(str(1 << 62)) for each in numbers)


def _shown(transaction: Transaction, link: _Link) -> Subscription:
    mail = link.reader.frequency
    if link.place is None:
        ended = {
            ALL: mail == NONE,
            DIGEST: mail not in (DAILY, WEEKLY),
            REMINDERS: mail == NONE or not link.reader.due_reminders,
        }[link.ends]
        return Subscription(ended=ended, ends=link.ends, mail=mail)
    context, ticket = ticket_of(transaction, link.reader.user_id, link.place)
    number, project_id = ticket.number or 0, context.project_id
    muted = notification_levels.is_muted(transaction, project_id, number, link.reader.user_id)
    return Subscription(
        ended=muted or mail == NONE,
        ends=TICKET,
        mail=mail,
        number=number,
        project_id=project_id,
        title=ticket.title,
    )
