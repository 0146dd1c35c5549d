"""Look-up of the owner of a token or a session, the first query of most requests."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, bindparam, select

from skerry.database.statements import Statement, in_account
from skerry.store.tables import account_logins, account_members, users


def by_hash(
    table: Table,
    columns: Sequence[ColumnElement[Any]],
    *valid: ColumnElement[bool],
    more: Sequence[ColumnElement[Any]] = (),
) -> Statement:
    """Select columns of a valid token or session by its hash, with its owner's name and role or NULL.

    ``more`` are columns of the owner's login in the account. Rows whose owner has a disabled login are not
    found.
    """
    member, login = (
        and_(beside.c.user_id == table.c.user_id, beside.c.account_id == table.c.account_id)
        for beside in (account_members, account_logins)
    )
    owned = table.join(users, users.c.id == table.c.user_id)
    return Statement(
        select(*columns, users.c.name, account_members.c.role, *more)
        .select_from(owned.outerjoin(account_members, member).outerjoin(account_logins, login))
        .where(
            in_account(table),
            table.c.hash == bindparam("hash"),
            users.c.disabled_at.is_(None),
            account_logins.c.disabled_at.is_(None),
            *valid,
        )
    )
