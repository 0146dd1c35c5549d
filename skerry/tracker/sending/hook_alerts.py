"""Alerts about hooks that Skerry turned off."""

from skerry.database.transactions import Transaction
from skerry.store.events.decoding import Changes
from skerry.store.sending import hooks
from skerry.store.sending.hooks import Target
from skerry.tracker.context import Context
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue
from skerry.tracker.mail.queue import Alert
from skerry.tracker.sending import hook_addresses
from skerry.tracker.sending.hooks import owners


def turned_off(transaction: Transaction, target: Target) -> None:
    """Record that a hook was turned off, and mail its owners the problem."""
    changes: Changes = {"active": [True, False]}
    context, project_id = Context(transaction), target.project_id
    events.record(context, Type.HOOK_UPDATED, target.id, changes=changes, via="hooks", project_id=project_id)
    hook = hooks.ROWS.one(transaction, project_id, target.id)
    said = f"{hook.note} {hook_addresses.masked(hook.url)}".strip() if hook else ""
    link = f"/projects/{project_id}/hooks/{target.id}" if project_id else f"/hooks/{target.id}"
    for user_id in sorted(owners(transaction, project_id, target.user_id)):
        queue.send_alert(transaction, user_id, Alert.HOOK_TURNED_OFF, f"{said}: {target.problem}", link)
