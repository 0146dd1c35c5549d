"""Changes of passwords by their owners."""

from collections.abc import Callable
from typing import TypeVar

from skerry.errors import Invalid, NotFound, SerializationFailure
from skerry.resources.auth.passwords import Password
from skerry.store.auth import logins, sessions, tokens
from skerry.store.auth.logins import Login
from skerry.store.engine.transactions import Transaction
from skerry.store.people import people as store
from skerry.store.sending import feeds
from skerry.tracker.auth import secrets
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import alerts
from skerry.tracker.mail.alerts import Alert
from skerry.wire.drafts import Draft
from skerry.wire.record import UNSET, Record

R = TypeVar("R", bound=Record)

WRONG = "The current password is wrong"
"""The error for a wrong current password."""


def hashed(params: Params, draft: Draft[R], field: str) -> Params:
    """Return the request with the password in a field replaced by its hash.

    Raises Invalid for a password that is too short.
    """
    password = draft.get(field)
    with secrets.TURNS:
        password_hash = secrets.hash_password("" if password is UNSET else password)
    return params.drafting(draft.put(field, password_hash))


def compared(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that checks the current password and replaces both passwords with hashes.

    If the current password is wrong, the draft of that request is empty. Raises Invalid if a password is
    missing; the function raises Invalid for an unacceptable new password.
    """
    new, stored = params.draft_of(Password).new, _login(context).password_hash
    both = (("Present", new.present), ("New", new.new))
    problems = [f"{label} can't be blank" for label, password in both if not password]
    if problems:
        raise Invalid(problems)
    return lambda: _hashed_both(params, stored)


def _hashed_both(params: Params, stored: str) -> Params:
    draft = params.draft_of(Password)
    present, new = draft.new.present or "", draft.new.new or ""
    with secrets.TURNS:
        if not secrets.is_password(present, stored):
            # Submitting the same form twice is no error: the change is already made.
            return params.drafting(Draft(Password, {}))
        new = secrets.hash_password(new)
        return params.drafting(draft.put(Password.present, stored).put(Password.new, new))


def change(context: Context, params: Params) -> Password:
    """Change the caller's password, and sign out all of their other browsers.

    Their tokens are revoked on request; returns how many remain valid. Raises Invalid for a wrong current
    password, SerializationFailure if it was changed since it was checked.
    """
    principal, login = context.author, _login(context)
    new = params.draft_of(Password).new
    if not (new.present and new.new):
        raise Invalid(WRONG)
    if not logins.replace_password(context.transaction, login.email, new.present, new.new):
        raise SerializationFailure
    sessions.end_others(context.transaction, principal.user_id, principal.session_id)
    left = tokens_left(context.transaction, principal.user_id, revoke=bool(new.revoke_tokens))
    alerts.send(context.transaction, principal.user_id, Alert.PASSWORD_CHANGED)
    events.record(context, Type.PASSWORD_CHANGED, principal.user_id)
    return Password(tokens_count=left)


def tokens_left(transaction: Transaction, user_id: int, *, revoke: bool) -> int:
    """Revoke all of a user's tokens and feeds, or none.

    Returns how many tokens remain valid, in all accounts.
    """
    if revoke:
        tokens.revoke_everywhere(transaction, user_id)
        feeds.remove_everywhere(transaction, user_id)
    return tokens.count_everywhere(transaction, user_id)


def _login(context: Context) -> Login:
    person = store.person(context.transaction, context.author.user_id)
    login = logins.with_email(context.transaction, person.email) if person else None
    if login is None:
        raise NotFound("There is no such login")
    return login
