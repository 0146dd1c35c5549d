"""The frequency of notification mail, and the code in its unsubscribe links."""

from datetime import UTC, datetime, timedelta

from skerry.database.transactions import SECOND, Transaction, microseconds
from skerry.errors import Invalid
from skerry.resources.mail import Subscription
from skerry.store.mail import mail_changes
from skerry.store.mail import mail_preferences as store
from skerry.store.mail.mail_preferences import AT_ONCE, DAILY, FREQUENCIES, NONE, WEEKLY
from skerry.store.people import preferences
from skerry.text.time_zones import zone_named
from skerry.tracker import secrets
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type

DIGEST_HOUR = 7
"""The hour, in the reader's time zone, at which digests are due; weekly ones are due on Monday."""


def of_user(transaction: Transaction, user_id: int) -> str:
    """Return the mail frequency of a user."""
    row = store.of_user(transaction, user_id)
    return row.frequency if row else AT_ONCE


def wants_reminders(transaction: Transaction, user_id: int) -> bool:
    """Return whether a user is reminded of due dates."""
    row = store.of_user(transaction, user_id)
    return row is None or bool(row.due_reminders)


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
    local = datetime.fromtimestamp(now / SECOND, zone_named(time_zone))
    due = local.replace(hour=DIGEST_HOUR, minute=0, second=0, microsecond=0)
    days = -local.weekday() % 7 if frequency == WEEKLY else 0
    due += timedelta(days=days)
    if due <= local:
        due += timedelta(days=7 if frequency == WEEKLY else 1)
    return microseconds(due.astimezone(UTC))


def code_of(transaction: Transaction, user_id: int) -> str:
    """Return the unsubscribe code of a user, and create it if there is none."""
    store.begin(transaction, user_id, secrets.new_token())
    row = store.of_user(transaction, user_id)
    return row.code if row else ""


def renew_link(context: Context, _params: Params) -> Subscription:
    """Replace the caller's unsubscribe link, because earlier mails may have been forwarded."""
    user_id = context.author.user_id
    code = secrets.new_token()
    store.begin(context.transaction, user_id, code)
    store.renew(context.transaction, user_id, code)
    events.record(context, Type.USER_UPDATED, user_id)
    return Subscription(mail=of_user(context.transaction, user_id))


def note_digest(transaction: Transaction, user_id: int) -> None:
    """Store when the next digest of a user is due, after one was composed."""
    row, known = store.of_user(transaction, user_id), preferences.of_user(transaction, user_id)
    if row and row.frequency in (DAILY, WEEKLY):
        zone = known.time_zone if known else ""
        store.note_digest(transaction, user_id, next_digest(transaction.now, row.frequency, zone))
