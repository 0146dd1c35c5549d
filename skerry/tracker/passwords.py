"""Passwords: changed by those whose they are."""

from collections.abc import Callable
from dataclasses import replace

from skerry.errors import Collision, Invalid, Missing
from skerry.resources.passwords import Password
from skerry.store import logins, sessions, tokens
from skerry.store import people as store
from skerry.store.logins import Login
from skerry.store.transactions import Transaction
from skerry.tracker import secrets
from skerry.tracker.visit import Ask, Visit

WRONG = "The present password is wrong"
"""What is said about a present password that is not the right one."""


def hashed(ask: Ask) -> Ask:
    """Give the request with the hash of the password in its place; raises Invalid for one too short."""
    with secrets.TURNS:
        password_hash = secrets.hash_password(ask.draft.get("password", ""))
    return replace(ask, draft={**ask.draft, "password": password_hash})


def compared(visit: Visit, ask: Ask) -> Callable[[], Ask]:
    """Give a function that checks the present password, and gives the request with the hashes of both.

    If the present password is wrong, the draft of that request is empty. Raises Invalid if one of the two is
    missing; so does the function if the new one cannot be used.
    """
    draft, stored = ask.draft, _login(visit).password_hash
    problems = [f"{label} can't be blank" for label in ("Present", "New") if not draft.get(label.lower())]
    if problems:
        raise Invalid(problems)
    return lambda: _hashed_both(ask, stored)


def _hashed_both(ask: Ask, stored: str) -> Ask:
    draft = ask.draft
    with secrets.TURNS:
        if not secrets.is_password(draft["present"], stored):
            # Whoever comes a second time with the same form is not told so: it is done.
            return replace(ask, draft={})
        new = secrets.hash_password(draft["new"])
        return replace(ask, draft={**draft, "present": stored, "new": new})


def change(visit: Visit, ask: Ask) -> Password:
    """Change the caller's password, and sign them out of every browser but the one that asks.

    Their tokens are revoked if they want that; return how many are valid then.
    Raises Invalid if the present one is wrong, Collision if it was changed since it was compared.
    """
    caller, login = visit.author, _login(visit)
    if not ask.draft:
        raise Invalid(WRONG)
    if not logins.replace_password(visit.transaction, login.email, ask.draft["present"], ask.draft["new"]):
        raise Collision
    sessions.end_others(visit.transaction, caller.user_id, caller.session_id)
    left = tokens_left(visit.transaction, caller.user_id, revoke=bool(ask.draft.get("revoke_tokens")))
    return Password(tokens_count=left)


def tokens_left(transaction: Transaction, user_id: int, *, revoke: bool) -> int:
    """Revoke all of somebody's tokens, or none, and return how many are valid then, in every account."""
    if revoke:
        tokens.revoke_everywhere(transaction, user_id)
    return tokens.count_everywhere(transaction, user_id)


def _login(visit: Visit) -> Login:
    person = store.person(visit.transaction, visit.author.user_id)
    login = logins.with_email(visit.transaction, person.email) if person else None
    if login is None:
        raise Missing("There is no such login")
    return login
