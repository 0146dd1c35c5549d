"""Answers to mails that cannot be carried out."""

from skerry.store.engine.transactions import Transaction
from skerry.tracker.mail.senders import Sender


def is_own(_transaction: Transaction, _message_id: str) -> bool:
    """Return whether a message is one that this server sent."""
    return False


def refuse(_transaction: Transaction, _sender: Sender, _reason: str) -> bool:
    """Answer a mail with the reason why it was not carried out; return whether that is possible."""
    return False
