"""Batching of changes into mail: per ticket within two minutes, or as a daily or weekly digest."""

from collections import defaultdict
from collections.abc import Iterable

from skerry.database.transactions import SECOND, Transaction
from skerry.store.events.decoding import StoredEvent
from skerry.store.mail import mail_changes as store
from skerry.store.mail.mail_changes import Changes, Wanted
from skerry.store.mail.mail_preferences import AT_ONCE, NONE
from skerry.tracker.mail import queue
from skerry.tracker.people import frequency

SECONDS = 120
"""How long changes of a ticket are gathered, from the first one."""

TICKET, DIGEST = "ticket", "digest"

_MAX = 1000


def add(
    transaction: Transaction, told: Iterable[tuple[int, int, int, StoredEvent, StoredEvent, int]]
) -> None:
    """Queue changes of tickets to be mailed to people as they prefer; does nothing if mail is off.

    Each item has the user, the project, the ticket number, the first and the last event, and the reason; a
    greater reason is stronger.
    """
    if not queue.is_on(transaction):
        return
    store.add(
        transaction,
        [
            Wanted(user_id, project_id, number, reason, first.version or last.version, last.version)
            for user_id, project_id, number, first, last, reason in told
            if last.version is not None
        ],
        _settled(transaction),
    )


def accounts_due(transaction: Transaction) -> list[int]:
    """Return the accounts with changes that are due to be mailed."""
    return store.accounts_due(transaction)


def gather(transaction: Transaction) -> None:
    """Queue the mail for the changes that are due."""
    due = store.due(transaction, _MAX)
    digests = defaultdict[int, list[Changes]](list)
    for each in due:
        if each.frequency == AT_ONCE:
            queue.put(transaction, TICKET, _content(each), user_id=each.user_id)
        elif each.frequency != NONE:
            digests[each.user_id].append(each)
    for user_id, some in digests.items():
        queue.put(transaction, DIGEST, {"tickets": [_content(each) for each in some]}, user_id=user_id)
        frequency.note_digest(transaction, user_id)
    store.remove(transaction, due, _settled(transaction))


def _settled(transaction: Transaction) -> int:
    """Return until when changes made now are gathered."""
    return transaction.now + SECONDS * SECOND


def _content(changes: Changes) -> dict[str, int]:
    names = ("project_id", "number", "reason", "first_version", "last_version")
    return {name: getattr(changes, name) for name in names}
