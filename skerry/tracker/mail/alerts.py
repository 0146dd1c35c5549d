"""Alerts by mail: of what an intruder would do first, and of a hook that was turned off."""

from enum import StrEnum

from skerry.store.engine.transactions import Transaction
from skerry.tracker.mail import queue


class Alert(StrEnum):
    """What somebody is told of; the template ``alert.jinja`` has the words."""

    HOOK_TURNED_OFF = "hook_turned_off"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - the name of what happened
    TOKEN_CREATED = "token_created"  # noqa: S105 - the name of what happened


def send(transaction: Transaction, user_id: int, what: Alert, note: str = "") -> None:
    """Tell somebody by mail what happened to what is theirs; ``note`` names the thing, such as a token."""
    queue.put(transaction, "alert", {"what": what, "note": note}, user_id=user_id)
