"""Changes of passwords by their owners."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from skerry.database.transactions import Transaction
from skerry.errors import Conflict, Invalid, NotFound, SerializationFailure
from skerry.resources.auth import ChosenPassword, Password, Welcome
from skerry.store.auth import factors, identities, logins, passkeys, sessions, tokens
from skerry.store.auth.logins import Login
from skerry.store.mail import mailed_links
from skerry.store.mail.mailed_links import PASSWORD_RESET
from skerry.store.people import people
from skerry.store.sending import feeds
from skerry.tracker import secrets
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue
from skerry.tracker.mail.queue import Alert
from skerry.tracker.people.single_sign_on import NO_PASSWORD
from skerry.wire.drafts import Draft
from skerry.wire.record import UNSET, Record

R = TypeVar("R", bound=Record)

WRONG = "The current password is wrong"
"""The error for a wrong current password."""


def hashed(params: Params, draft: Draft[R], field: str, known: Iterable[str] = ()) -> Params:
    """Return the request with the password in a field replaced by its hash.

    ``known`` are the address and the name of its owner. Raises Invalid for a password that is too short or
    easy to guess.
    """
    password = draft.get(field)
    with secrets.TURNS:
        password_hash = secrets.hash_password("" if password is UNSET else password, known)
    return params.drafting(draft.put(field, password_hash))


def known_of(transaction: Transaction, user_id: int) -> tuple[str, ...]:
    """Return the address and the name of a person, which their password must not consist of."""
    person = people.person(transaction, user_id)
    return (person.email or "", person.name) if person else ()


def least(transaction: Transaction, user_id: int) -> int:
    """Return how many characters a password has at least that a person chooses in the profile."""
    return _least(login_of(transaction, user_id))


def _least(login: Login) -> int:
    return secrets.MIN_PASSWORD_LENGTH if login.factor_at is None else secrets.MIN_LENGTH_WITH_FACTOR


def compared(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that checks the current password and replaces both passwords with hashes.

    If the current password is wrong, the draft of that request is empty. Raises Invalid if a password is
    missing, Conflict if members sign in with a provider; the function raises Invalid for an unacceptable new
    password.
    """
    new, login = params.draft_of(Password).new, _login(context)
    if login.needs_provider:
        raise Conflict(NO_PASSWORD)
    both = (("Present", new.present), ("New", new.new))
    problems = [f"{label} can't be blank" for label, password in both if not password]
    if problems:
        raise Invalid(problems)
    known = known_of(context.transaction, context.author.user_id)
    return lambda: _hashed_both(params, login, known)


def _hashed_both(params: Params, login: Login, known: Iterable[str]) -> Params:
    draft = params.draft_of(Password)
    present, new = draft.new.present or "", draft.new.new or ""
    with secrets.TURNS:
        if not secrets.is_password(present, login.password_hash):
            # Submitting the same form twice is no error: the change is already made.
            return params.drafting(Draft(Password, {}))
        new = secrets.hash_password(new, known, _least(login))
        return params.drafting(draft.put(Password.present, login.password_hash).put(Password.new, new))


def change(context: Context, params: Params) -> Password:
    """Change the caller's password, and sign out all of their other browsers where it is valid.

    Their tokens are revoked on request; returns how many remain valid there. Raises Invalid for a wrong
    current password, SerializationFailure if it was changed since it was checked.
    """
    principal, login = context.author, _login(context)
    new = params.draft_of(Password).new
    if not (new.present and new.new):
        raise Invalid(WRONG)
    if not logins.replace_password(context.transaction, login, new.present, new.new):
        raise SerializationFailure
    left = _end_earlier(
        context.transaction,
        principal.user_id,
        here=login.has_own_password,
        revoke=bool(new.revoke_tokens),
        session_id=principal.session_id,
    )
    queue.send_alert(context.transaction, principal.user_id, Alert.PASSWORD_CHANGED)
    events.record(context, Type.PASSWORD_CHANGED, principal.user_id)
    _record_revoked(context, principal.user_id, revoke=bool(new.revoke_tokens))
    return Password(tokens_count=left)


def tokens_left(transaction: Transaction, user_id: int, *, revoke: bool) -> int:
    """Revoke all of a user's tokens and feeds, or none.

    Returns how many tokens remain valid, in all accounts.
    """
    if revoke:
        tokens.revoke_everywhere(transaction, user_id)
        feeds.remove_everywhere(transaction, user_id)
    return tokens.count_everywhere(transaction, user_id)


def _end_earlier(
    transaction: Transaction, user_id: int, *, here: bool, revoke: bool, session_id: int = 0
) -> int:
    """End what an earlier password began in this account or in all: other sessions, links for a new password.

    Tokens there are revoked on request; returns how many remain valid.
    """
    if not here:
        mailed_links.remove_everywhere(transaction, PASSWORD_RESET, user_id)
        sessions.end_others(transaction, user_id, session_id)
        return tokens_left(transaction, user_id, revoke=revoke)
    mailed_links.remove(transaction, PASSWORD_RESET, user_id)
    for session in sessions.of_user(transaction, user_id):
        if session.id != session_id:
            sessions.end(transaction, user_id, session.id)
    if revoke:
        tokens.revoke_all(transaction, user_id)
        feeds.remove_all(transaction, user_id)
    return len(tokens.of_user(transaction, user_id))


def set_by_link(
    context: Context, user_id: int, password_hash: str, chosen: ChosenPassword | Welcome, *, mailed: bool
) -> None:
    """Set a password by a link, sign out every browser where it is valid, and end what its reader chose.

    A mailed link proves that its reader owns the address; if that was not proven before, all other
    credentials of the login end. A link that somebody else could read sets a password for the account alone.
    """
    transaction, login = context.transaction, login_of(context.transaction, user_id)
    revoke = chosen.revoke_tokens
    if mailed:
        logins.change_password(transaction, login, password_hash)
        logins.prove(transaction, login)
        if not login.is_proven:
            revoke = True
            _remove_other_ways_in(transaction, user_id)
    else:
        logins.change_own_password(transaction, login, password_hash)
    if chosen.remove_passkeys:
        _remove_passkeys(context, user_id)
    if chosen.remove_identities:
        unlink_all(context, user_id)
    _end_earlier(transaction, user_id, here=not mailed, revoke=revoke)
    queue.send_alert(transaction, user_id, Alert.PASSWORD_CHANGED)
    events.record(context, Type.PASSWORD_CHANGED, user_id, user_id=user_id)
    _record_revoked(context, user_id, revoke=revoke)


def withdraw(context: Context, login: Login) -> None:
    """End a password here and all other ways in: the owner of the address may not have chosen them."""
    transaction, user_id = context.transaction, login.user_id
    _remove_other_ways_in(transaction, user_id)
    logins.change_own_password(transaction, login, "")
    _end_earlier(transaction, user_id, here=True, revoke=True)
    events.record(context, Type.PASSWORD_CHANGED, user_id, user_id=user_id)
    _record_revoked(context, user_id, revoke=True)


def _remove_passkeys(context: Context, user_id: int) -> None:
    """Remove a person's passkeys, but not what they are asked for after the password.

    Otherwise, whoever reads somebody's mail could sign in without a second factor.
    """
    for each in passkeys.of_user(context.transaction, user_id):
        passkeys.remove(context.transaction, user_id, each.id)
        audit.record(context, Kind.PASSKEY_DELETED, each.id, user_id=user_id)


def unlink_all(context: Context, user_id: int) -> None:
    """Unlink all accounts at providers of a person."""
    for each in identities.of_user(context.transaction, user_id):
        identities.remove(context.transaction, user_id, each.id)
        audit.record(context, Kind.IDENTITY_DELETED, each.id, user_id=user_id)


def _remove_other_ways_in(transaction: Transaction, user_id: int) -> None:
    """Remove second factors, passkeys and links to providers, which somebody else may have made."""
    factors.remove_all(transaction, user_id)
    identities.remove_all(transaction, user_id)


def _record_revoked(context: Context, user_id: int, *, revoke: bool) -> None:
    if revoke:
        audit.record(context, Kind.TOKEN_REVOKED, user_id=user_id, details={"all": True})


class Kept(NamedTuple):
    """How many other ways in to the account stay after ``set_by_link`` unless its reader ends them."""

    tokens_count: int = 0
    passkeys_count: int = 0
    identities_count: int = 0


def kept(transaction: Transaction, user_id: int, *, mailed: bool) -> Kept:
    """Return how many other ways in a person has that a link does not end anyway."""
    if mailed and not login_of(transaction, user_id).is_proven:
        return Kept()
    return Kept(
        tokens_count=len(tokens.of_user(transaction, user_id)),
        passkeys_count=passkeys.count(transaction, user_id),
        identities_count=len(identities.of_user(transaction, user_id)),
    )


def login_of(transaction: Transaction, user_id: int) -> Login:
    """Return the login of a user; raises NotFound if there is none that is valid in the account."""
    login = logins.of_user(transaction, user_id)
    if login is None:
        raise NotFound("There is no such login")
    return login


def _login(context: Context) -> Login:
    return login_of(context.transaction, context.author.user_id)
