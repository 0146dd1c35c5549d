"""Verification of addresses by a mailed link."""

from skerry.database.transactions import SECOND
from skerry.errors import NotFound, TooManyRequests
from skerry.resources.auth import Verification
from skerry.store.mail import mailed_links, mails
from skerry.store.mail.mailed_links import MailedLink
from skerry.store.people import preferences
from skerry.tracker import secrets
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue

KIND = "verification"

SECONDS = 60
"""The minimum interval between verification mails to a user."""

GONE = "This link was already used or has expired. Ask for a new one on your profile"


def ask(context: Context, _params: Params) -> None:
    """Mail the caller a link that verifies their address.

    Does nothing if it is verified. Raises Conflict if no mail is sent, TooManyRequests if the last one was
    sent within a minute.
    """
    transaction, user_id = context.transaction, context.author.user_id
    queue.check_on(transaction)
    settings = preferences.of_user(transaction, user_id)
    if settings is None or settings.email_verified or mails.is_waiting(transaction, KIND, user_id=user_id):
        return
    # The address of an invited login is proven by the link for a new password.
    sent = [
        mailed_links.last(transaction, kind, user_id) or 0 for kind in (KIND, mailed_links.PASSWORD_RESET)
    ]
    if transaction.now < max(sent) + SECONDS * SECOND:
        raise TooManyRequests(
            "A link was sent a moment ago. Look for the mail, or try again in a minute", SECONDS
        )
    queue.put(transaction, KIND, {}, user_id=user_id)


def get(context: Context, params: Params) -> Verification:
    """Return the address that a link verifies; raises NotFound for an invalid link."""
    return Verification(email=_link(context, params).email)


def verify(context: Context, params: Params) -> Verification:
    """Verify an address, and use up the link; raises NotFound for an invalid link."""
    link = _link(context, params)
    mailed_links.remove(context.transaction, KIND, link.user_id)
    if not preferences.verify(context.transaction, link.user_id, link.email):
        raise NotFound(GONE)
    events.record(context, Type.USER_UPDATED, link.user_id, user_id=link.user_id)
    return Verification(email=link.email)


def _link(context: Context, params: Params) -> MailedLink:
    link = mailed_links.with_hash(context.transaction, KIND, secrets.hash_token(params.texts["code"]))
    if link is None:
        raise NotFound(GONE)
    return link
