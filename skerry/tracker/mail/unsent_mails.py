"""Unsent mail, for administrators."""

from typing import NamedTuple

from skerry.database.rows import timestamp, timestamp_or_none
from skerry.database.transactions import Transaction
from skerry.errors import NotFound
from skerry.resources.mail import Mail
from skerry.store.mail import mails as store
from skerry.store.mail.mails import Outage
from skerry.store.people import preferences
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type

MAX = 500
"""The maximum number of mails listed: first those set aside, then those that have waited longest."""

NONE = "There is no such mail; it may have been sent"


class Waiting(NamedTuple):
    """The number of queued mails and of those set aside, the age of the oldest, and the server's state."""

    waiting: int
    set_aside: int
    oldest: int | None
    outage: Outage | None


def summary(transaction: Transaction) -> Waiting:
    """Return a summary of the account's unsent mail."""
    return Waiting(*store.count(transaction), store.outage(transaction))


def list_all(context: Context, _params: Params) -> ResultPage[Mail]:
    """Return the unsent mail: what was set aside, then what is queued, in order."""
    outage = store.outage(context.transaction)
    mails = store.list_all(context.transaction, MAX)
    return ResultPage(Mail, [_as_shown(context, mail, outage) for mail in mails])


def get(context: Context, params: Params) -> Mail:
    """Return an unsent mail; raises NotFound."""
    return _as_shown(context, _one(context, params), store.outage(context.transaction))


def retry(context: Context, params: Params) -> Mail:
    """Retry a mail at once, with a new backoff; raises NotFound."""
    mail = _one(context, params)
    store.try_again(context.transaction, mail.id)
    store.end_outage(context.transaction)
    events.record(context, Type.MAIL_RETRIED, mail.id)
    return get(context, params)


def remove(context: Context, params: Params) -> None:
    """Remove an unsent mail; raises NotFound."""
    mail = _one(context, params)
    store.remove(context.transaction, mail.id)
    events.record(context, Type.MAIL_REMOVED, mail.id)


def _one(context: Context, params: Params) -> store.QueuedMail:
    mail = store.one(context.transaction, params.ids["id"])
    if mail is None:
        raise NotFound(NONE)
    return mail


def _as_shown(context: Context, mail: store.QueuedMail, outage: Outage | None) -> Mail:
    aside = mail.set_aside_at is not None
    due_at, failure = mail.due_at, mail.failure or ""
    if outage and not aside:
        due_at, failure = max(due_at, outage.due_at), outage.failure
    known = (
        preferences.of_user(context.transaction, mail.user_id) if mail.user_id and not mail.email else None
    )
    return Mail(
        created_at=timestamp(mail.created_at),
        due_at=None if aside else timestamp(due_at),
        email=mail.email or (known.email if known else ""),
        failure=failure,
        id=mail.id,
        kind=mail.kind,
        set_aside_at=timestamp_or_none(mail.set_aside_at),
        tries=mail.tries,
        user_id=mail.user_id,
    )
