"""Whose a token or a session is: most requests begin with this look."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Table, bindparam, select

from skerry.store.statements import Statement
from skerry.store.tables import account_members, users


def by_hash(table: Table, columns: Sequence[ColumnElement[Any]], *valid: ColumnElement[bool]) -> Statement:
    """Select columns of what has a hash and is valid, its owner's name, and the owner's role or NULL."""
    member = (account_members.c.user_id == table.c.user_id) & (
        account_members.c.account_id == table.c.account_id
    )
    return Statement(
        select(*columns, users.c.name, account_members.c.role)
        .select_from(table.join(users, users.c.id == table.c.user_id).outerjoin(account_members, member))
        .where(table.c.account_id == bindparam("account_id"), table.c.hash == bindparam("hash"), *valid)
    )
