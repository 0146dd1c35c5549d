"""The people who can be mentioned in the texts of a project."""

from sqlalchemy import and_, bindparam, exists, or_, select, union

from skerry.database.statements import Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.store.tables import account_members, project_members, projects, users, watchers

_OF_ACCOUNT = in_account(account_members)
_MEMBERS = select(project_members.c.user_id).where(in_project(project_members))

_is_public = exists().where(
    in_account(projects), projects.c.id == bindparam("project_id"), projects.c.public == 1
)

# Everybody in the account can see a public project.
_around = union(
    select(account_members.c.user_id).where(_OF_ACCOUNT, _is_public),
    select(project_members.c.user_id).where(in_account(project_members), _is_public),
)
_administrators = select(account_members.c.user_id).where(_OF_ACCOUNT, account_members.c.role != "member")

# Guests can see a public project too. Those who take part are known there; no other names are revealed.
_takes_part = and_(_is_public, exists().where(in_project(watchers), watchers.c.user_id == users.c.id))

_NAMES = select(users.c.id, users.c.name).order_by(users.c.id)
_SEEING = Statement(
    _NAMES.where(
        or_(users.c.id.in_(_MEMBERS), users.c.id.in_(_administrators), users.c.id.in_(_around), _takes_part)
    )
)
_OF_MEMBERS = Statement(_NAMES.where(users.c.id.in_(_MEMBERS)))


def names(transaction: Transaction, project_id: int, *, members: bool) -> dict[int, str]:
    """Return the names of people who can see a project and are known there, by id.

    ``members`` restricts the result to members of the project.
    """
    statement = _OF_MEMBERS if members else _SEEING
    return dict(transaction.all(statement, project_id=project_id))
