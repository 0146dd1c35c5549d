"""Accounts that demand that their members sign in with a provider."""

from sqlalchemy import bindparam, delete, exists, or_, select, union, update

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.tables import account_members, accounts, project_members, sessions

_BY_KEY = accounts.c.id == bindparam("account_id")

IS_DEMANDED = exists().where(_BY_KEY, accounts.c.single_sign_on == 1)
"""Whether the account demands it."""

_MEMBERS = union(
    *(select(table.c.user_id).where(in_account(table)) for table in (account_members, project_members))
)

_DEMANDS = Statement(select(accounts.c.single_sign_on).where(_BY_KEY))

_DEMAND = Statement(update(accounts).where(_BY_KEY).values(single_sign_on=bindparam("demanded")))

# 0 stands for everybody.
_END_OTHER_SESSIONS = Statement(
    delete(sessions).where(
        in_account(sessions),
        sessions.c.provider.is_(None),
        or_(bindparam("of_user") == 0, sessions.c.user_id == bindparam("of_user")),
        sessions.c.user_id.in_(_MEMBERS),
        IS_DEMANDED,
    ),
    across_projects="person",
)


def is_demanded(transaction: Transaction) -> bool:
    """Return whether members of the account sign in with a provider only."""
    return bool(transaction.value(_DEMANDS))


def demand(transaction: Transaction, *, demanded: bool) -> None:
    """Set whether members of the account sign in with a provider only; if so, their other sessions end."""
    transaction.run(_DEMAND, demanded=int(demanded))
    end_other_sessions(transaction)


def end_other_sessions(transaction: Transaction, user_id: int = 0) -> None:
    """End the sessions of a member, or of all, that began without a provider, if the account demands one."""
    transaction.run(_END_OTHER_SESSIONS, of_user=user_id)
