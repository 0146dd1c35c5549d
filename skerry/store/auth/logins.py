"""Logins: e-mail address and password."""

from dataclasses import dataclass

from sqlalchemy import and_, bindparam, case, func, or_, select, update

from skerry.database import locks
from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.auth.account_logins import setting
from skerry.store.people.person import IS_IN_A_PROJECT, VALID_HERE
from skerry.store.people.single_sign_on import IS_DEMANDED
from skerry.store.tables import account_logins, account_members, accounts, logins, users
from skerry.text import addresses


@dataclass(frozen=True)
class Login:
    """A person's address, password hash, name, and role in the account or None.

    A disabled login cannot be used in the account. ``account_id`` is the only account in which the login is
    valid, 0 if it is valid in all of them. ``has_own_password`` says whether the password is one of the
    account alone. ``factor_at`` is since when the password is not enough in the account, ``needs_provider``
    says that it does not work there, because members sign in with a provider, and ``factors_from`` is the day
    from which it is enough for nobody there.
    """

    user_id: int
    email: str
    password_hash: str
    name: str
    role: str | None
    disabled_at: int | None
    account_id: int
    verified_at: int | None
    has_own_password: bool
    factor_at: int | None
    needs_provider: int
    factors_from: str | None

    @property
    def is_proven(self) -> bool:
        """Return whether the owner of the address is known to have chosen the password."""
        return not self.has_own_password and (self.account_id == 0 or self.verified_at is not None)


_member, _here = (
    and_(beside.c.user_id == users.c.id, in_account(beside)) for beside in (account_members, account_logins)
)
_person = logins.join(users, users.c.id == logins.c.user_id)

_is_member = or_(account_members.c.role.is_not(None), IS_IN_A_PROJECT)

_found = select(
    logins.c.user_id,
    logins.c.email,
    func.coalesce(account_logins.c.password_hash, logins.c.password_hash),
    users.c.name,
    account_members.c.role,
    func.coalesce(users.c.disabled_at, account_logins.c.disabled_at),
    logins.c.account_id,
    logins.c.verified_at,
    account_logins.c.password_hash.is_not(None),
    account_logins.c.factor_at,
    case((and_(IS_DEMANDED, _is_member), 1), else_=0),
    select(accounts.c.factors_from).where(accounts.c.id == bindparam("account_id")).scalar_subquery(),
).select_from(_person.outerjoin(account_members, _member).outerjoin(account_logins, _here))

# A login of the account takes precedence over one of the server.
_LOGIN = Statement(
    _found.where(logins.c.email == bindparam("email"), VALID_HERE).order_by(logins.c.account_id.desc()),
    across_projects="person",
)

_OF_USER = Statement(
    _found.where(logins.c.user_id == bindparam("of_user"), VALID_HERE), across_projects="person"
)

_BY_USER = logins.c.user_id == bindparam("of_user")

_CHANGE_PASSWORD = Statement(
    update(logins)
    .where(_BY_USER)
    .values(password_hash=bindparam("password_hash"), changed_at=bindparam("now")),
    across_accounts=True,
)

_REPLACE_PASSWORD = Statement(
    update(logins)
    .where(_BY_USER, logins.c.password_hash == bindparam("present"))
    .values(password_hash=bindparam("password_hash"), changed_at=bindparam("now")),
    across_accounts=True,
)

_CHANGE_OWN_PASSWORD = setting("password_hash")

_REPLACE_OWN_PASSWORD = Statement(
    update(account_logins)
    .where(
        in_account(account_logins),
        account_logins.c.user_id == bindparam("of_user"),
        account_logins.c.password_hash == bindparam("present"),
    )
    .values(password_hash=bindparam("password_hash"))
)

_REMOVE_OWN_PASSWORDS = Statement(
    update(account_logins).where(account_logins.c.user_id == bindparam("of_user")).values(password_hash=None),
    across_accounts=True,
)

_CHANGE_EMAIL = Statement(
    update(logins).where(_BY_USER).values(email=bindparam("new_email"), verified_at=None),
    across_accounts=True,
)

_OF_SERVER = Statement(
    select(logins.c.user_id).where(logins.c.email == bindparam("email"), logins.c.account_id == 0),
    across_accounts=True,
)

_PROVE = Statement(
    update(logins).where(_BY_USER).values(verified_at=bindparam("now"), account_id=bindparam("of_account")),
    across_accounts=True,
)


def with_email(transaction: Transaction, email: str) -> Login | None:
    """Return the login of an e-mail address that is valid in the account, ignoring case."""
    rows = (transaction.one(_LOGIN, email=form) for form in addresses.forms(email))
    return next((Login(*row) for row in rows if row), None)


def of_user(transaction: Transaction, user_id: int) -> Login | None:
    """Return a user's login if it is valid in the account."""
    row = transaction.one(_OF_USER, of_user=user_id)
    return Login(*row) if row else None


def lock(transaction: Transaction, email: str) -> None:
    """Lock the password of an e-mail address until the transaction ends."""
    for form in addresses.forms(email):
        locks.lock_login_shared(transaction, form)


def change_password(transaction: Transaction, login: Login, password_hash: str) -> None:
    """Replace a password wherever the login is valid, after waiting for concurrent sign-ins."""
    locks.lock_login(transaction, login.email)
    transaction.run(_CHANGE_PASSWORD, of_user=login.user_id, password_hash=password_hash, now=transaction.now)
    transaction.run(_REMOVE_OWN_PASSWORDS, of_user=login.user_id)


def change_own_password(transaction: Transaction, login: Login, password_hash: str) -> None:
    """Set a password that is valid in the account alone, where it replaces the previous one."""
    locks.lock_login(transaction, login.email)
    transaction.run(_CHANGE_OWN_PASSWORD, user=login.user_id, value=password_hash)


def replace_password(transaction: Transaction, login: Login, present: str, password_hash: str) -> bool:
    """Replace the password that is valid here if its hash is still the current one; return whether it was."""
    locks.lock_login(transaction, login.email)
    values = {"of_user": login.user_id, "present": present, "password_hash": password_hash}
    if login.has_own_password:
        return bool(transaction.changed(_REPLACE_OWN_PASSWORD, **values))
    return bool(transaction.changed(_REPLACE_PASSWORD, **values, now=transaction.now))


def change_email(transaction: Transaction, login: Login, new: str) -> None:
    """Change the e-mail address of a login, which is then unverified; sessions stay open."""
    transaction.run(_CHANGE_EMAIL, of_user=login.user_id, new_email=new.lower())


def prove(transaction: Transaction, login: Login, *, here: bool = False) -> None:
    """Record that the address is proven.

    The login becomes valid on the whole server if no other one is, unless it was proven for the account alone
    (``here``), now or before.
    """
    locks.lock_login(transaction, login.email)
    present = (transaction.one(_OF_SERVER, email=form) for form in addresses.forms(login.email))
    stays = here or login.verified_at is not None or any(present)
    account_id = login.account_id if stays else 0
    transaction.run(_PROVE, of_user=login.user_id, of_account=account_id, now=transaction.now)
