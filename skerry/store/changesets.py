"""Changesets as rows."""

from collections.abc import Iterable

from sqlalchemy import bindparam, select

from skerry.store.database import Transaction
from skerry.store.statements import Statement
from skerry.store.tables import changesets

_KNOWN = Statement(
    select(changesets.c.revision).where(
        changesets.c.account_id == bindparam("account_id"),
        changesets.c.project_id == bindparam("project_id"),
        changesets.c.revision.in_(bindparam("revisions", expanding=True)),
    )
)


def known(transaction: Transaction, project_id: int, revisions: Iterable[str]) -> set[str]:
    """Give those of some revisions that a project has."""
    wanted = list(revisions)
    if not wanted:
        return set()
    return {row[0] for row in transaction.all(_KNOWN, project_id=project_id, revisions=wanted)}
