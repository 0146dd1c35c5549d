"""Disabled logins, in one account or on the whole server, and logins of removed people."""

from sqlalchemy import bindparam, or_, select, text, update

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.people.person import HAS_ACCESS, IS_IN_A_PROJECT, PERSON, WITH_ROLE, StoredPerson
from skerry.store.tables import account_logins, account_members, users

_IN_ACCOUNT = in_account(account_logins)


def setting(column: str, where: str = "") -> Statement:
    """Return the statement that sets a value of a login in the account."""
    return Statement(
        text(f"""
            INSERT INTO account_logins (account_id, user_id, {column}) VALUES (:account_id, :user, :value)
            ON CONFLICT (account_id, user_id) DO UPDATE SET {column} = excluded.{column} {where}
        """)  # noqa: S608 - our own names
    )


_DISABLE, _REMOVED = setting("disabled_at"), setting("removed_at")

_ENABLE = Statement(
    update(account_logins)
    .where(_IN_ACCOUNT, account_logins.c.user_id == bindparam("user"))
    .values(disabled_at=None)
)

_EVERYWHERE = Statement(
    update(users).where(users.c.id == bindparam("user")).values(disabled_at=bindparam("timestamp")),
    across_accounts=True,
)

_DISABLED_IN = Statement(
    select(account_logins.c.account_id)
    .where(account_logins.c.user_id == bindparam("user"), account_logins.c.disabled_at.is_not(None))
    .order_by(account_logins.c.account_id),
    across_accounts=True,
)

_OUTSIDE = Statement(
    select(*PERSON, account_logins.c.removed_at)
    .select_from(WITH_ROLE)
    .where(
        _IN_ACCOUNT,
        HAS_ACCESS,
        account_members.c.user_id.is_(None),
        ~IS_IN_A_PROJECT,
        or_(account_logins.c.removed_at.is_not(None), account_logins.c.disabled_at.is_not(None)),
    )
    .order_by(users.c.id),
    across_projects="administration",
)


def disable(transaction: Transaction, user_id: int) -> None:
    """Disable a login in the account."""
    transaction.run(_DISABLE, user=user_id, value=transaction.now)


def enable(transaction: Transaction, user_id: int) -> None:
    """Enable a login in the account."""
    transaction.run(_ENABLE, user=user_id)


def disable_everywhere(transaction: Transaction, user_id: int) -> None:
    """Disable a login on the whole server."""
    transaction.run(_EVERYWHERE, user=user_id, timestamp=transaction.now)


def enable_everywhere(transaction: Transaction, user_id: int) -> None:
    """Enable a login on the whole server; an account that disabled it keeps it disabled."""
    transaction.run(_EVERYWHERE, user=user_id, timestamp=None)


def disabled_in(transaction: Transaction, user_id: int) -> set[int]:
    """Return the ids of the accounts in which a login is disabled."""
    return {row[0] for row in transaction.all(_DISABLED_IN, user=user_id)}


def note_removal(transaction: Transaction, user_id: int) -> None:
    """Record that a person was removed from the account."""
    transaction.run(_REMOVED, user=user_id, value=transaction.now)


def outside(transaction: Transaction) -> list[tuple[StoredPerson, bool]]:
    """Return former people of the account, and outsiders whose login is disabled in it.

    Each has a flag that says whether they once belonged to it.
    """
    rows = transaction.all(_OUTSIDE)
    return [(StoredPerson(*row[:-1]), row[-1] is not None) for row in rows]
