"""Rows of placeholders: imported people without a login."""

from sqlalchemy import bindparam, select, update

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.resources.people import Membership, Placeholder
from skerry.store.people.users import SHAPE
from skerry.store.tables import placeholder_members, placeholders, users

_HERE = in_account(placeholders)
_COLUMNS = (placeholders.c.user_id, users.c.name, placeholders.c.source, placeholders.c.given_to)
_NAMED = placeholders.join(users, users.c.id == placeholders.c.user_id)

_ALL = Statement(
    select(*_COLUMNS).select_from(_NAMED).where(_HERE, placeholders.c.given_to.is_(None)).order_by(users.c.id)
)

_ONE = Statement(
    select(*_COLUMNS).select_from(_NAMED).where(_HERE, placeholders.c.user_id == bindparam("user_id"))
)

_LOCK = Statement(
    select(placeholders.c.user_id)
    .where(_HERE, placeholders.c.user_id == bindparam("user_id"))
    .with_for_update()
)

_FROM = Statement(
    select(placeholders.c.user_id, placeholders.c.given_to).where(
        _HERE, placeholders.c.source == bindparam("source")
    )
)

_GIVE = Statement(
    update(placeholders)
    .where(_HERE, placeholders.c.user_id == bindparam("of_user"))
    .values(given_to=bindparam("to_user"), given_at=bindparam("now"))
)

_MEMBERS = Statement(
    select(placeholder_members.c.id.label("membership"), *SHAPE.columns)
    .select_from(placeholder_members.join(users, users.c.id == placeholder_members.c.user_id))
    .where(in_account(placeholder_members), placeholder_members.c.project_id == bindparam("project_id"))
    .order_by(placeholder_members.c.id)
)


def list_all(transaction: Transaction) -> list[Placeholder]:
    """Return the placeholders that were not given to anybody yet, by id."""
    return [Placeholder(*row) for row in transaction.all(_ALL)]


def one(transaction: Transaction, user_id: int) -> Placeholder | None:
    """Return a placeholder, whether or not it was given to somebody."""
    row = transaction.one(_ONE, user_id=user_id)
    return Placeholder(*row) if row else None


def waits(transaction: Transaction, user_id: int) -> bool:
    """Return whether somebody is a placeholder that was not given to anybody yet."""
    found = one(transaction, user_id)
    return found is not None and found.user_id is None


def lock(transaction: Transaction, user_id: int) -> None:
    """Lock a placeholder until the transaction ends."""
    transaction.one(_LOCK, user_id=user_id)


def person_from(transaction: Transaction, source: str) -> tuple[int, bool] | None:
    """Return the id of the person from a source, and whether they are still a placeholder."""
    row = transaction.one(_FROM, source=source)
    return None if row is None else (row[1] or row[0], row[1] is None)


def note_given(transaction: Transaction, user_id: int, to_user: int) -> None:
    """Record to whom a placeholder was given."""
    transaction.run(_GIVE, of_user=user_id, to_user=to_user, now=transaction.now)


def members(transaction: Transaction, project_id: int) -> list[Membership]:
    """Return the imported memberships of placeholders in a project, the oldest first."""
    project = f"{transaction.base}/projects/{project_id}"
    users_of = [
        (row[0], SHAPE.record(row[1:], transaction))
        for row in transaction.all(_MEMBERS, project_id=project_id)
    ]
    return [Membership(id=each, user_id=user.id, project=project, user=user) for each, user in users_of]
