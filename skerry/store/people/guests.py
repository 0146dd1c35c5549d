"""Guests: who may write in the public projects of an account without being a member."""

from sqlalchemy import bindparam, exists, literal_column, or_, select

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.tables import (
    account_logins,
    account_members,
    invitations,
    logins,
    project_members,
    sign_ups,
    users,
)

_belongs_or_signed_up = [
    exists().where(in_account(table), table.c.user_id == users.c.id)
    for table in (account_members, project_members, sign_ups)
]
_belonged = exists().where(
    in_account(account_logins),
    account_logins.c.user_id == users.c.id,
    account_logins.c.removed_at.is_not(None),
)
_is_invited = exists().where(
    in_account(invitations),
    invitations.c.email == logins.c.email,
    invitations.c.used_at.is_(None),
    invitations.c.expires_at > bindparam("now"),
)
_IS_ADMITTED = Statement(
    select(literal_column("1"))
    .select_from(users.outerjoin(logins, logins.c.user_id == users.c.id))
    .where(
        users.c.id == bindparam("of_user"),
        or_(*_belongs_or_signed_up, _belonged, logins.c.account_id == bindparam("account_id"), _is_invited),
    ),
    across_projects="person",
)


def is_admitted(transaction: Transaction, user_id: int) -> bool:
    """Return whether somebody belongs to the account, did before, is invited to it, or signed up here.

    A login that is valid in the account alone was made by one of these.
    """
    return transaction.value(_IS_ADMITTED, of_user=user_id, now=transaction.now) is not None
