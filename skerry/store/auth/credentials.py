"""Finding the owner of a token or a session, with which most requests begin."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, bindparam, select, true

from skerry.store import accounts
from skerry.store.accounts import Account
from skerry.store.engine.statements import Row, Statement
from skerry.store.engine.tables import account_logins, account_members, users
from skerry.store.engine.tables import accounts as table_of_accounts
from skerry.store.engine.transactions import Transaction

_ACCOUNT: ColumnElement[int] = bindparam("account_id")


def by_hash(
    table: Table,
    columns: Sequence[ColumnElement[Any]],
    *valid: ColumnElement[bool],
    account: ColumnElement[int] = _ACCOUNT,
) -> Select[Any]:
    """Select columns of what has a hash and is valid, its owner's name, and the owner's role or NULL.

    Rows whose owner has a disabled login are not found.
    """
    member, login = (
        and_(beside.c.user_id == table.c.user_id, beside.c.account_id == table.c.account_id)
        for beside in (account_members, account_logins)
    )
    owned = table.join(users, users.c.id == table.c.user_id)
    return (
        select(*columns, users.c.name, account_members.c.role)
        .select_from(owned.outerjoin(account_members, member).outerjoin(account_logins, login))
        .where(
            table.c.account_id == account,
            table.c.hash == bindparam("hash"),
            users.c.disabled_at.is_(None),
            account_logins.c.disabled_at.is_(None),
            *valid,
        )
    )


def with_account(found: Select[Any]) -> Statement:
    """Select the account at a host, and what ``by_hash`` finds in it: one question for two."""
    beside = found.subquery()
    return Statement(
        select(*accounts.COLUMNS, *beside.c)
        .select_from(table_of_accounts.outerjoin(beside, true()))
        .where(table_of_accounts.c.id == accounts.ID_AT_HOST),
        across_accounts=True,
    )


def at_host(
    transaction: Transaction, statement: Statement, host: str, hashed: str
) -> tuple[Account | None, Row | None]:
    """Return the account at a host, and the row of a hash in it, with a statement of ``with_account``."""
    row = transaction.one(statement, host=host.lower(), hash=hashed)
    if row is None:
        return None, None
    account, found = row[: len(accounts.COLUMNS)], row[len(accounts.COLUMNS) :]
    return Account(*account), None if found[0] is None else found
