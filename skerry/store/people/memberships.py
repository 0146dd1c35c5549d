"""Rows of memberships."""

from sqlalchemy import bindparam, select

from skerry.database.statements import Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.resources.people import Membership
from skerry.store.people import avatars
from skerry.store.people.users import SHAPE, marked
from skerry.store.tables import account_members, project_members, users
from skerry.wire.record import changed

_IN_ACCOUNT = Statement(
    select(account_members.c.id).where(
        in_account(account_members), account_members.c.user_id == bindparam("user_id")
    )
)

_IN_PROJECTS = Statement(
    select(project_members.c.id, project_members.c.project_id)
    .where(in_account(project_members), project_members.c.user_id == bindparam("user_id"))
    .order_by(project_members.c.project_id),
    across_projects="person",
)

_OF_PROJECT = Statement(
    select(project_members.c.id.label("membership"), users.c.avatar_code, users.c.service, *SHAPE.columns)
    .select_from(project_members.join(users, users.c.id == project_members.c.user_id))
    .where(in_project(project_members))
    .order_by(project_members.c.id)
)

_FIRST_TWO = Statement(select(project_members.c.id).where(in_project(project_members)).limit(2))


def of_account(transaction: Transaction, user_id: int) -> list[Membership]:
    """Return a person's membership in the account, if any."""
    rows = transaction.all(_IN_ACCOUNT, user_id=user_id)
    return [Membership(id=row[0], user_id=user_id, account=transaction.base) for row in rows]


def in_projects(transaction: Transaction, user_id: int, *, only: int) -> list[Membership]:
    """Return a person's memberships in projects; ``only`` limits them to one project, 0 means all."""
    return [
        Membership(id=membership_id, user_id=user_id, project=_address(transaction, project_id))
        for membership_id, project_id in transaction.all(_IN_PROJECTS, user_id=user_id)
        if only in (0, project_id)
    ]


def joined_ids(transaction: Transaction, user_id: int) -> set[int]:
    """Return the ids of a person's projects."""
    return {row[1] for row in transaction.all(_IN_PROJECTS, user_id=user_id)}


def of_project(transaction: Transaction, project_id: int) -> list[Membership]:
    """Return the memberships of a project with their people, the oldest first."""
    address = _address(transaction, project_id)
    memberships = []
    for membership_id, code, service, *row in transaction.all(_OF_PROJECT, project_id=project_id):
        user = marked(SHAPE.record(tuple(row), transaction), service=service)
        picture = f"{transaction.base}{avatars.path(user.id or 0, code)}" if code else ""
        user = changed(user, avatar_url=picture)
        memberships.append(Membership(id=membership_id, user_id=user.id, project=address, user=user))
    return memberships


def is_shared(transaction: Transaction, project_id: int) -> bool:
    """Return whether a project has more than one member."""
    return len(transaction.all(_FIRST_TWO, project_id=project_id)) > 1


def _address(transaction: Transaction, project_id: int) -> str:
    return f"{transaction.base}/projects/{project_id}"
