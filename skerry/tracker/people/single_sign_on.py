"""Accounts that demand that their members sign in with a provider."""

from skerry.errors import Conflict
from skerry.store.auth import sessions
from skerry.store.people import single_sign_on as store
from skerry.tracker.context import Context

PROVIDER_FIRST = (
    "Members of this site sign in with a provider. Do so with this address, then open the invitation again"
)

NO_PASSWORD = "Members of this site sign in with a provider, so they need no password here"  # noqa: S105 - a sentence

IN_THIS_BROWSER = (
    "Sign in with a provider in this browser first. "
    "A provider that does not say when you gave your password there cannot be required"
)


def demand(context: Context, *, demanded: bool) -> None:
    """Set whether members of the account sign in with a provider only; their other sessions end.

    Raises Conflict if the caller has not signed in with one, because they could not come back.
    """
    if demanded and not _began_with_provider(context):
        raise Conflict(IN_THIS_BROWSER)
    store.demand(context.transaction, demanded=demanded)


def is_needed(context: Context) -> bool:
    """Return whether the caller must sign in with a provider before they become a member."""
    return store.is_demanded(context.transaction) and not _began_with_provider(context)


def check_invited(context: Context) -> None:
    """Raise Conflict if the caller must sign in with a provider before they become a member."""
    if is_needed(context):
        raise Conflict(PROVIDER_FIRST)


def check_password(context: Context) -> None:
    """Raise Conflict if members need no password, because they sign in with a provider."""
    if store.is_demanded(context.transaction):
        raise Conflict(NO_PASSWORD)


def _began_with_provider(context: Context) -> bool:
    principal = context.principal
    if principal is None or not principal.session_id:
        return False
    provider, _ = sessions.provider_of(context.transaction, principal.user_id, principal.session_id)
    return bool(provider)
