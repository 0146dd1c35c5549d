"""Language, time zone and address of people, which apply in every account."""

from sqlalchemy import bindparam, case, func, or_, select, update

from skerry.database.rows import Shape
from skerry.database.statements import Statement
from skerry.database.transactions import Transaction
from skerry.resources.people import Preferences
from skerry.store.tables import logins, users

_SHAPE = Shape(
    Preferences,
    {
        "email": logins.c.email,
        "email_verified": case((logins.c.verified_at.is_not(None), 1), else_=0),
        "language": func.coalesce(users.c.language, ""),
        "time_zone": func.coalesce(users.c.time_zone, ""),
    },
)
_BY_KEY = users.c.id == bindparam("user_id")

_ONE = Statement(
    select(*_SHAPE.columns).select_from(users.join(logins, logins.c.user_id == users.c.id)).where(_BY_KEY),
    across_accounts=True,
)

_CHANGE = Statement(
    update(users)
    .where(_BY_KEY)
    .values(language=bindparam("new_language"), time_zone=bindparam("new_time_zone")),
    across_accounts=True,
)

_LEARN = Statement(
    update(users)
    .where(_BY_KEY, or_(users.c.language.is_(None), users.c.time_zone.is_(None)))
    .values(
        language=func.coalesce(users.c.language, bindparam("new_language")),
        time_zone=func.coalesce(users.c.time_zone, bindparam("new_time_zone")),
    ),
    across_accounts=True,
)

_VERIFY = Statement(
    update(logins)
    .where(
        logins.c.user_id == bindparam("user_id"),
        logins.c.email == bindparam("address"),
        logins.c.account_id == 0,
    )
    .values(verified_at=bindparam("now")),
    across_accounts=True,
)


def of_user(transaction: Transaction, user_id: int) -> Preferences | None:
    """Return the preferences of a user who has a login."""
    return _SHAPE.one(transaction, _ONE, user_id=user_id)


def change(transaction: Transaction, user_id: int, *, language: str, time_zone: str) -> None:
    """Set a user's language and time zone."""
    values = {"new_language": language or None, "new_time_zone": time_zone or None}
    transaction.run(_CHANGE, user_id=user_id, **values)


def learn(transaction: Transaction, user_id: int, *, language: str, time_zone: str) -> None:
    """Set a user's language and time zone, each unless they have chosen one."""
    known = of_user(transaction, user_id)
    if known and not (known.language and (known.time_zone or not time_zone)):
        values = {"new_language": language or None, "new_time_zone": time_zone or None}
        transaction.run(_LEARN, user_id=user_id, **values)


def verify(transaction: Transaction, user_id: int, email: str) -> bool:
    """Record that a user's address has been verified; return whether it is still their address.

    A login that is valid in one account is proven by a new password instead.
    """
    return bool(transaction.changed(_VERIFY, user_id=user_id, address=email.lower(), now=transaction.now))
