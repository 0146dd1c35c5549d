"""Alerts by mail: about typical actions of an intruder, and about hooks that were turned off."""

from enum import StrEnum

from skerry.store.engine.transactions import Transaction
from skerry.tracker.mail import queue


class Alert(StrEnum):
    """The kinds of alerts; the template ``alert.jinja`` has their texts."""

    HOOK_TURNED_OFF = "hook_turned_off"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - the name of an alert
    TOKEN_CREATED = "token_created"  # noqa: S105 - the name of an alert


def send(transaction: Transaction, user_id: int, what: Alert, note: str = "") -> None:
    """Mail a user an alert about something of theirs; ``note`` names it, such as a token."""
    queue.put(transaction, "alert", {"what": what, "note": note}, user_id=user_id)
