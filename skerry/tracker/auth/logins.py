"""Disabled logins: by administrators in their account, by the command line on the whole server."""

from skerry.database.transactions import Transaction
from skerry.errors import Forbidden
from skerry.store.auth import account_logins as store
from skerry.store.auth import sessions
from skerry.store.people.person import StoredPerson
from skerry.tracker.context import Context

ON_THE_SERVER = "This login is disabled on the whole server; enable it there with 'skerry user enable'"


def change(context: Context, person: StoredPerson, *, disabled: bool) -> None:
    """Disable a login in the account, or enable it again.

    Raises Forbidden for the caller's own login, and for a login that is disabled on the whole server.
    """
    if not disabled:
        enable(context.transaction, person)
        return
    if person.id == context.author.user_id:
        raise Forbidden("You cannot disable your own login")
    disable(context.transaction, person)


def disable(transaction: Transaction, person: StoredPerson) -> None:
    """Disable a login in the account: its password and tokens stop working, and its sessions end."""
    store.disable(transaction, person.id)
    sessions.end_here(transaction, person.id)


def enable(transaction: Transaction, person: StoredPerson) -> None:
    """Enable a login in the account; raises Forbidden if it is disabled on the whole server."""
    if person.disabled_everywhere_at is not None:
        raise Forbidden(ON_THE_SERVER)
    store.enable(transaction, person.id)


def disable_everywhere(transaction: Transaction, person: StoredPerson) -> None:
    """Disable a login on the whole server, as ``disable`` does in an account."""
    store.disable_everywhere(transaction, person.id)
    sessions.end_everywhere(transaction, person.id)


def enable_everywhere(transaction: Transaction, person: StoredPerson) -> None:
    """Enable a login on the whole server, except in accounts that have disabled it."""
    store.enable_everywhere(transaction, person.id)
