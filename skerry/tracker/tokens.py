"""Tokens: keys to an account or to one project of it, in somebody's name."""

from skerry.errors import Invalid, Missing
from skerry.resources.tokens import Token
from skerry.store import people as people_store
from skerry.store import projects as project_store
from skerry.store import tokens as store
from skerry.store.database import Transaction
from skerry.store.people import Person
from skerry.store.rows import moment
from skerry.text.slugs import leading_number
from skerry.tracker import secrets
from skerry.tracker.visit import Ask, Caller, Visit

LONGEST_NOTE = 255


def shown(visit: Visit, ask: Ask) -> Token:
    """Give a token to its owner, by its value, which is not kept.

    Raises Missing for everybody else, and to the token of a project for all but that project's.
    """
    value = ask.texts["token"]
    found = store.with_hash(visit.transaction, secrets.hash_token(value))
    if found is None or not _is_of(found[0], visit.author):
        raise Missing("There is no such token")
    token = found[0]
    return Token(
        created_at=moment(token.created_at),
        note=token.note,
        project_id=token.project_id,
        read_only=token.read_only,
        token=value,
        user_id=token.user_id,
        account=visit.transaction.base,
    )


def _is_of(token: store.Token, caller: Caller) -> bool:
    return token.user_id == caller.user_id and caller.token_project in (0, token.project_id)


def add(
    transaction: Transaction, owner: Person, *, project_id: int | None, read_only: bool, note: str
) -> str:
    """Make a token and give its value, which is not kept.

    Raises Missing if there is no such project, Invalid if the owner is not its member.
    """
    if len(note) > LONGEST_NOTE or not note.isprintable():
        raise Invalid("Note must have at most 255 printable characters")
    if project_id is not None:
        if project_store.one(transaction, project_id, None) is None:
            raise Missing(f"There is no project {project_id}")
        if owner.id not in people_store.who_work_in(transaction, project_id):
            raise Invalid(f"{owner.email} is not a member of project {project_id}")
    token = secrets.new_token()
    store.add(
        transaction,
        owner.id,
        secrets.hash_token(token),
        project_id=project_id,
        read_only=read_only,
        note=note,
    )
    return token


def revoke(transaction: Transaction, token: str) -> None:
    """End a token, named by its value or by its id; raises Missing."""
    found = store.with_hash(transaction, secrets.hash_token(token))
    token_id = found[0].id if found else leading_number(token) or 0
    if not store.revoke(transaction, token_id):
        raise Missing("There is no such token, or it is revoked already")
