"""A person as seen by one account: the columns, and the tables that they come from."""

from dataclasses import dataclass

from sqlalchemy import bindparam, literal_column

from skerry.database.statements import in_account
from skerry.store.tables import account_logins, account_members, logins, users


@dataclass(frozen=True)
class StoredPerson:
    """A person with the role in one account: None, ``member``, ``administrator`` or ``owner``.

    The timestamps say since when the login is disabled, there or on the whole server, and since when signing
    in there takes a second factor.
    """

    id: int
    name: str
    email: str
    role: str | None
    disabled_at: int | None = None
    disabled_everywhere_at: int | None = None
    factor_at: int | None = None

    @property
    def disabled(self) -> bool:
        """Return whether the login is disabled in the account."""
        return self.disabled_at is not None or self.disabled_everywhere_at is not None


VALID_HERE = logins.c.account_id.in_([literal_column("0"), bindparam("account_id")])
"""Whether a login is valid in the account: on the whole server, or there alone."""

_MEMBER = in_account(account_members)
WITH_ROLE = (
    users.join(logins, logins.c.user_id == users.c.id)
    .outerjoin(account_members, (account_members.c.user_id == users.c.id) & _MEMBER)
    .outerjoin(
        account_logins,
        (account_logins.c.user_id == users.c.id) & in_account(account_logins),
    )
)
PERSON = (
    users.c.id,
    users.c.name,
    logins.c.email,
    account_members.c.role,
    account_logins.c.disabled_at,
    users.c.disabled_at.label("disabled_everywhere_at"),
    account_logins.c.factor_at,
)
