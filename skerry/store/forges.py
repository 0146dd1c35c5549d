"""Forges that push commits, with the secrets that sign their requests."""

from typing import NamedTuple

from sqlalchemy import BigInteger, bindparam, select, update

from skerry.database.statements import Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.resources.forges import Forge
from skerry.sealing.sealed_texts import Place
from skerry.store import sealed_columns
from skerry.store.sealed_columns import FORGES
from skerry.store.table_rows import Rows
from skerry.store.tables import forges

ROWS = Rows(Forge, forges, hidden=("secret",), sealed=("secret",))

_OF_KIND = Statement(
    select(forges.c.id, forges.c.user_id, forges.c.secret)
    .where(in_project(forges), forges.c.kind == bindparam("kind"))
    .order_by(forges.c.id)
)
_NAMED = Statement(
    select(forges.c.project_id, forges.c.user_id, forges.c.kind, forges.c.note).where(
        in_account(forges), forges.c.id == bindparam("forge_id")
    ),
    across_projects="upkeep",
)
_REPLACE_SECRET = Statement(update(forges).where(ROWS.by_key).values(secret=bindparam("new_secret")))
_NOTE_PUSH = Statement(update(forges).where(ROWS.by_key).values(pushed_at=bindparam("now", type_=BigInteger)))


class Signer(NamedTuple):
    """A forge as its requests are checked: its owner, and the secret that signs them."""

    id: int
    user_id: int
    secret: str


def of_kind(transaction: Transaction, project_id: int, kind: str) -> list[Signer]:
    """Return the forges of one kind that may push to a project.

    Raises SecretUnreadable if the key of their secrets is missing.
    """
    return [
        Signer(forge_id, user_id, sealed_columns.unseal(transaction, secret, _place(transaction, forge_id)))
        for forge_id, user_id, secret in transaction.all(_OF_KIND, project_id=project_id, kind=kind)
    ]


def named(transaction: Transaction, forge_id: int) -> tuple[int, int, str]:
    """Return the project and the owner of a forge of the account, and its kind with its note."""
    project_id, user_id, kind, note = transaction.one(_NAMED, forge_id=forge_id) or (0, 0, "", "")
    return project_id, user_id, f"{kind} {note}".strip()


def replace_secret(transaction: Transaction, project_id: int, forge_id: int, secret: str) -> None:
    """Replace the secret of a forge."""
    sealed = sealed_columns.seal(transaction, secret, _place(transaction, forge_id))
    transaction.run(_REPLACE_SECRET, project_id=project_id, row_id=forge_id, new_secret=sealed)


def note_push(transaction: Transaction, project_id: int, forge_id: int) -> None:
    """Store that a forge sent something just now, which also makes its pushes wait for one another."""
    transaction.run(_NOTE_PUSH, project_id=project_id, row_id=forge_id, now=transaction.now)


def _place(transaction: Transaction, forge_id: int) -> Place:
    return FORGES.place("secret", transaction.account_id, forge_id)
