"""A person as seen by one account: the columns, and the tables that they come from."""

from dataclasses import dataclass

from sqlalchemy import FromClause, bindparam, exists, func, literal_column, or_

from skerry.database.statements import in_account
from skerry.store.tables import account_logins, account_members, logins, project_members, users


@dataclass(frozen=True)
class StoredPerson:
    """A person with the role in one account: None, ``member``, ``administrator`` or ``owner``.

    The timestamps say since when the login is disabled, there or on the whole server, and since when signing
    in there takes a second factor. A service user has no login, and its ``email`` is empty.
    """

    id: int
    name: str
    email: str
    role: str | None
    disabled_at: int | None = None
    disabled_everywhere_at: int | None = None
    factor_at: int | None = None
    service_flag: int = 0

    @property
    def service(self) -> bool:
        """Return whether this is a service user."""
        return bool(self.service_flag)

    @property
    def called(self) -> str:
        """Return what names the person to administrators: the login, or the name of a service user."""
        return self.email or self.name

    @property
    def disabled(self) -> bool:
        """Return whether the login is disabled in the account."""
        return self.disabled_at is not None or self.disabled_everywhere_at is not None


VALID_HERE = logins.c.account_id.in_([literal_column("0"), bindparam("account_id")])
"""Whether a login is valid in the account: on the whole server, or there alone."""


def _with_role(known: FromClause) -> FromClause:
    return known.outerjoin(
        account_members, (account_members.c.user_id == users.c.id) & in_account(account_members)
    ).outerjoin(account_logins, (account_logins.c.user_id == users.c.id) & in_account(account_logins))


_is_theirs = logins.c.user_id == users.c.id

WITH_LOGIN = _with_role(users.join(logins, _is_theirs))
"""People with a login."""

WITH_ROLE = _with_role(users.outerjoin(logins, _is_theirs))
"""Everybody; those who are neither a service user nor have a login are placeholders, without any role."""

HAS_ACCESS = or_(logins.c.user_id.is_not(None), users.c.service == 1)
"""Whether somebody is no placeholder."""

IS_IN_A_PROJECT = exists().where(in_account(project_members), project_members.c.user_id == users.c.id)
"""Whether a person is a member of a project of the account."""

PERSON = (
    users.c.id,
    users.c.name,
    func.coalesce(logins.c.email, "").label("email"),
    account_members.c.role,
    account_logins.c.disabled_at,
    users.c.disabled_at.label("disabled_everywhere_at"),
    account_logins.c.factor_at,
    users.c.service,
)
