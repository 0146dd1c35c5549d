"""Rows of people, as others see them."""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Select, Table, bindparam, or_, select, update

from skerry.database.rows import Shape
from skerry.database.statements import Row, Statement, in_account
from skerry.database.transactions import Transaction
from skerry.resources.people import User
from skerry.store.tables import (
    account_members,
    changesets,
    messages,
    placeholders,
    project_members,
    users,
    versions,
    watchers,
)
from skerry.wire.record import changed

SHAPE = Shape(User, {name: users.c[name] for name in ("id", "job", "name", "website")})

_COLUMNS = (*SHAPE.columns, users.c.service)

_BY_KEY = users.c.id == bindparam("user_id")

_ONE = Statement(select(*_COLUMNS).where(_BY_KEY), across_accounts=True)


def _within(table: Table) -> Select[tuple[int]]:
    return select(table.c.user_id).where(in_account(table), table.c.user_id == users.c.id)


def _first_of(table: Table) -> ColumnElement[bool]:
    """Return a condition: whether a very large table references a user.

    If most users occur often, PostgreSQL would scan the whole table for one who does not. Asked for the first
    row in index order, it uses the index.
    """
    first = _within(table).order_by(table.c.project_id, table.c.number).limit(1)
    return first.scalar_subquery().is_not(None)


_belongs = [_within(table).exists() for table in (account_members, project_members)]
_takes_part = [_first_of(table) for table in (versions, watchers)]
# These smaller tables are scanned only for people who were not found elsewhere.
_writes = [
    *(_within(table).exists() for table in (messages, changesets)),
    _within(placeholders).where(placeholders.c.given_to.is_(None)).exists(),
]

_OF_ACCOUNT = Statement(select(*_COLUMNS).where(_BY_KEY, or_(*_belongs)), across_projects="person")
_MET = Statement(
    select(*_COLUMNS).where(_BY_KEY, or_(*_belongs, *_takes_part, *_writes)), across_projects="person"
)

_PROGRAMS = Statement(
    select(users.c.id).where(users.c.id.in_(bindparam("user_ids", expanding=True)), users.c.service == 1),
    across_accounts=True,
)

_LOCK = Statement(select(users.c.id).where(_BY_KEY).with_for_update(key_share=True), across_accounts=True)

_CHANGE = Statement(
    update(users)
    .where(_BY_KEY)
    .values(name=bindparam("new_name"), job=bindparam("new_job"), website=bindparam("new_website")),
    across_accounts=True,
)


def _record(row: Row, transaction: Transaction) -> User:
    return marked(SHAPE.record(row[:-1], transaction), service=row[-1])


def marked(user: User, *, service: int) -> User:
    """Return a user with the mark of service users, if it is one."""
    return changed(user, service=True) if service else user


def one(transaction: Transaction, user_id: int) -> User | None:
    """Return a person of any account."""
    row = transaction.one(_ONE, user_id=user_id)
    return _record(row, transaction) if row else None


def of_account(transaction: Transaction, user_id: int) -> User | None:
    """Return a person who belongs to the account or to one of its projects."""
    row = transaction.one(_OF_ACCOUNT, user_id=user_id)
    return _record(row, transaction) if row else None


def met(transaction: Transaction, user_id: int) -> User | None:
    """Return a person who belongs or is named in the account or in one of its projects.

    Named are people who wrote or watch a ticket, or wrote a message, a comment on one or a commit, and
    placeholders.
    """
    row = transaction.one(_MET, user_id=user_id)
    return _record(row, transaction) if row else None


def programs(transaction: Transaction, user_ids: Iterable[int]) -> set[int]:
    """Return those of some people who are service users."""
    return {row[0] for row in transaction.all(_PROGRAMS, user_ids=list(user_ids))}


def lock(transaction: Transaction, user_id: int) -> None:
    """Lock a person until the transaction ends."""
    transaction.one(_LOCK, user_id=user_id)


def change(transaction: Transaction, user_id: int, *, name: str, job: str, website: str) -> None:
    """Set the values of a person, in every account."""
    transaction.run(_CHANGE, user_id=user_id, new_name=name, new_job=job, new_website=website)
