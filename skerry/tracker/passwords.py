"""Passwords: changed by those whose they are."""

from skerry.errors import Invalid, Missing
from skerry.store import people as store
from skerry.store import sessions
from skerry.tracker import secrets
from skerry.tracker.visit import Ask, Visit

WRONG = "The present password is wrong"
"""What is said about a present password that is not the right one."""


def change(visit: Visit, ask: Ask) -> None:
    """Change the caller's password, and sign him out of every browser but the one that asks.

    Raises Invalid if the present one is wrong or the new one cannot be used.
    """
    caller, draft = visit.author, ask.draft
    person = store.person(visit.transaction, caller.user_id)
    login = store.login(visit.transaction, person.email) if person else None
    if login is None:
        raise Missing("There is no such login")
    problems = [f"{label} can't be blank" for label in ("Present", "New") if not draft.get(label.lower())]
    if problems:
        raise Invalid(problems)
    if not secrets.is_password(draft["present"], login.password_hash):
        raise Invalid(WRONG)
    store.change_password(visit.transaction, login.email, secrets.hash_password(draft["new"]))
    sessions.end_others(visit.transaction, caller.user_id, caller.session_id)
