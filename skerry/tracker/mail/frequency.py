"""The frequency of notification mail, and the unsubscribe links in it."""

from datetime import UTC, datetime, timedelta

from skerry.errors import Invalid, NotFound
from skerry.resources.sending.subscriptions import Subscription
from skerry.store.engine.transactions import Transaction, microseconds
from skerry.store.mail import mail_changes
from skerry.store.mail import mail_preferences as store
from skerry.store.mail.mail_preferences import AT_ONCE, DAILY, FREQUENCIES, NONE, WEEKLY
from skerry.store.people import preferences
from skerry.text.time_zones import zone_named
from skerry.tracker.auth import secrets
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type

HOUR = 7
"""Digests are due at this hour of the reader's day, weekly ones on Monday."""

GONE = "This unsubscribe link is not valid. Choose on your profile which mails you get"


def of_user(transaction: Transaction, user_id: int) -> str:
    """Return the mail frequency of a user."""
    found = store.of_user(transaction, user_id)
    return found.frequency if found else AT_ONCE


def change(transaction: Transaction, user_id: int, frequency: str, time_zone: str) -> None:
    """Set the mail frequency of a user; raises Invalid for an unknown frequency."""
    if frequency not in FREQUENCIES:
        raise Invalid(f"Mail is not one of {', '.join(FREQUENCIES)}")
    store.begin(transaction, user_id, secrets.new_token())
    due_at = None if frequency in (AT_ONCE, NONE) else next_digest(transaction.now, frequency, time_zone)
    store.change(transaction, user_id, frequency, due_at)
    if frequency == NONE:
        mail_changes.remove_of_user(transaction, user_id)
    else:
        mail_changes.put_off(transaction, user_id, due_at or transaction.now)


def next_digest(now: int, frequency: str, time_zone: str) -> int:
    """Return when the next digest is due, in microseconds since 1970."""
    local = datetime.fromtimestamp(now / 1_000_000, zone_named(time_zone))
    due = local.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    days = -local.weekday() % 7 if frequency == WEEKLY else 0
    due += timedelta(days=days)
    if due <= local:
        due += timedelta(days=7 if frequency == WEEKLY else 1)
    return microseconds(due.astimezone(UTC))


def code_of(transaction: Transaction, user_id: int) -> str:
    """Return the unsubscribe code of a user, and create it if there is none."""
    store.begin(transaction, user_id, secrets.new_token())
    found = store.of_user(transaction, user_id)
    return found.code if found else ""


def renew_link(context: Context, params: Params) -> Subscription:
    """Replace the caller's unsubscribe link, because earlier mails may have been forwarded."""
    user_id = context.author.user_id
    code = secrets.new_token()
    store.begin(context.transaction, user_id, code)
    store.renew(context.transaction, user_id, code)
    events.record(context, Type.USER_UPDATED, user_id)
    del params
    return Subscription(mail=of_user(context.transaction, user_id))


def get(context: Context, params: Params) -> Subscription:
    """Return the mail frequency of the owner of an unsubscribe link; raises NotFound if it is not valid."""
    return Subscription(mail=_with_code(context, params).frequency)


def unsubscribe(context: Context, params: Params) -> Subscription:
    """Turn off notification mail for the owner of a link; raises NotFound if it is not valid."""
    found = _with_code(context, params)
    store.change(context.transaction, found.user_id, NONE, None)
    mail_changes.remove_of_user(context.transaction, found.user_id)
    events.record(context, Type.USER_UPDATED, found.user_id, user_id=found.user_id)
    return Subscription(mail=NONE)


def _with_code(context: Context, params: Params) -> store.MailPreferences:
    found = store.with_code(context.transaction, params.texts["code"])
    if found is None:
        raise NotFound(GONE)
    return found


def note_digest(transaction: Transaction, user_id: int) -> None:
    """Store when the next digest of a user is due, after one was composed."""
    found, known = store.of_user(transaction, user_id), preferences.of_user(transaction, user_id)
    if found and found.frequency in (DAILY, WEEKLY):
        zone = known.time_zone if known else ""
        store.note_digest(transaction, user_id, next_digest(transaction.now, found.frequency, zone))
