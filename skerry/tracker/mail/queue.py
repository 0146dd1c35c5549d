"""Mails that wait: they are made and sent by a background task, which reads anew what they are about."""

from skerry.errors import Conflict
from skerry.store import accounts
from skerry.store.engine.transactions import Transaction
from skerry.store.mail import mails as store
from skerry.store.mail.mails import Content

OFF = "This server sends no mail"


def base_url(transaction: Transaction) -> str:
    """Return what stands in front of the addresses in mails of the account; empty if no mails are sent."""
    if transaction.mail is None:
        return ""
    return accounts.base_url_of(transaction) or transaction.mail.base_url


def is_on(transaction: Transaction) -> bool:
    """Return whether mails are sent for the account: a server is set, and where links lead."""
    return bool(base_url(transaction))


def check_on(transaction: Transaction) -> None:
    """Raise Conflict unless mails are sent for the account."""
    if not is_on(transaction):
        raise Conflict(OFF)


def put(
    transaction: Transaction,
    kind: str,
    content: Content,
    *,
    user_id: int | None = None,
    email: str | None = None,
) -> None:
    """Send a mail to a user, or to an address without one, after the commit; do nothing if mail is off."""
    if is_on(transaction):
        store.add(transaction, kind, content, user_id=user_id, email=email)
