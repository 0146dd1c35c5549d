"""Alerts about somebody's own account: they are told by mail what an intruder would do first."""

from enum import StrEnum

from skerry.store.engine.transactions import Transaction
from skerry.tracker.mail import queue


class Alert(StrEnum):
    """What somebody is told of; the template ``alert.jinja`` has the words."""

    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - the name of what happened
    TOKEN_CREATED = "token_created"  # noqa: S105 - the name of what happened


def send(transaction: Transaction, user_id: int, what: Alert, note: str = "") -> None:
    """Tell somebody by mail what happened to their account; ``note`` names the thing, such as a token."""
    queue.put(transaction, "alert", {"what": what, "note": note}, user_id=user_id)
