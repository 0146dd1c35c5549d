"""Logins: e-mail address and password."""

from dataclasses import dataclass

from sqlalchemy import and_, bindparam, func, select, update

from skerry.store.engine import locks
from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import account_logins, account_members, logins, users
from skerry.store.engine.transactions import Transaction


@dataclass(frozen=True)
class Login:
    """A person's address, password hash, name, and role in the account or None.

    A disabled login cannot be used in the account.
    """

    user_id: int
    email: str
    password_hash: str
    name: str
    role: str | None
    disabled_at: int | None


_member, _here = (
    and_(beside.c.user_id == users.c.id, beside.c.account_id == bindparam("account_id"))
    for beside in (account_members, account_logins)
)
_person = logins.join(users, users.c.id == logins.c.user_id)

_LOGIN = Statement(
    select(
        logins.c.user_id,
        logins.c.email,
        logins.c.password_hash,
        users.c.name,
        account_members.c.role,
        func.coalesce(users.c.disabled_at, account_logins.c.disabled_at),
    )
    .select_from(_person.outerjoin(account_members, _member).outerjoin(account_logins, _here))
    .where(logins.c.email == bindparam("email"))
)

_CHANGE_PASSWORD = Statement(
    update(logins)
    .where(logins.c.email == bindparam("address"))
    .values(password_hash=bindparam("password_hash"), changed_at=bindparam("now")),
    across_accounts=True,
)

_REPLACE_PASSWORD = Statement(
    update(logins)
    .where(logins.c.email == bindparam("address"), logins.c.password_hash == bindparam("present"))
    .values(password_hash=bindparam("password_hash"), changed_at=bindparam("now")),
    across_accounts=True,
)


_CHANGE_EMAIL = Statement(
    update(logins)
    .where(logins.c.email == bindparam("address"))
    .values(email=bindparam("new_email"), verified_at=None),
    across_accounts=True,
)


def with_email(transaction: Transaction, email: str) -> Login | None:
    """Return the login of an e-mail address, ignoring case."""
    row = transaction.one(_LOGIN, email=email.lower())
    return Login(*row) if row else None


def lock(transaction: Transaction, email: str) -> None:
    """Lock the password of an e-mail address until the end."""
    locks.lock_login_shared(transaction, email.lower())


def change_password(transaction: Transaction, email: str, password_hash: str) -> None:
    """Replace a password, after waiting for concurrent sign-ins with the previous one."""
    locks.lock_login(transaction, email.lower())
    transaction.run(_CHANGE_PASSWORD, address=email.lower(), password_hash=password_hash, now=transaction.now)


def replace_password(transaction: Transaction, email: str, present: str, password_hash: str) -> bool:
    """Replace a password if its hash is still the current one; return whether it was."""
    locks.lock_login(transaction, email.lower())
    return bool(
        transaction.changed(
            _REPLACE_PASSWORD,
            address=email.lower(),
            present=present,
            password_hash=password_hash,
            now=transaction.now,
        )
    )


def change_email(transaction: Transaction, email: str, new: str) -> None:
    """Change the e-mail address of a login, which is then unverified; sessions stay open."""
    transaction.run(_CHANGE_EMAIL, address=email.lower(), new_email=new.lower())
