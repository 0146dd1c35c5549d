"""Hooks and forges whose secret is lost: they get one that nobody knows, and their owners are told."""

from skerry.database.transactions import Transaction
from skerry.store import forges as forge_store
from skerry.store.sending import hooks
from skerry.tracker import secrets
from skerry.tracker.audit.audit import COMMANDS
from skerry.tracker.context import Context
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue
from skerry.tracker.mail.queue import Alert
from skerry.tracker.sending import hook_alerts
from skerry.tracker.sending.hooks import new_secret, owners

PROBLEM = (
    "The key of its secret was lost. Enter its URL again, make a new secret, enter that at the receiver, and "
    "turn the hook on"
)


def turn_off_hook(transaction: Transaction, hook_id: int) -> None:
    """Replace the secret of a hook, and turn it off."""
    (target,) = hooks.targets(transaction, [hook_id])
    hooks.replace_secret(transaction, target.project_id, hook_id, new_secret(), transaction.now)
    after = target._replace(active=0, problem=PROBLEM)
    hooks.note(transaction, [after])
    if not hooks.url_of(transaction, hook_id, target.url):
        hooks.give_up_url(transaction, hook_id)
    if target.active:
        hook_alerts.turned_off(transaction, after)


def close_forge(transaction: Transaction, forge_id: int) -> None:
    """Replace the secret of a forge, so that its pushes are refused until somebody makes another one."""
    project_id, user_id, name = forge_store.named(transaction, forge_id)
    forge_store.replace_secret(transaction, project_id, forge_id, secrets.new_token())
    events.record(Context(transaction, via=COMMANDS), Type.FORGE_UPDATED, forge_id, project_id=project_id)
    for owner_id in sorted(owners(transaction, project_id, user_id)):
        queue.send_alert(transaction, owner_id, Alert.SECRET_LOST, name)
