"""The profile of a spammer, and what they watch: found, emptied, and put back."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select, update

from skerry.database.statements import Statement, in_account, inline_literal
from skerry.database.transactions import Transaction
from skerry.store.tables import users, watchers

_PICTURE = ("avatar_code", "avatar_type", "avatar_size")
_NAMES = ("name", "job", "website", *_PICTURE)
_EMPTY = {"name": "Removed", "job": "", "website": "", **dict.fromkeys(_PICTURE)}
"""What stays of a profile: a name that says why there is none."""

_READ = Statement(
    select(*(users.c[name] for name in _NAMES)).where(users.c.id == bindparam("of_user")),
    across_accounts=True,
)
_SET = Statement(
    update(users)
    .where(users.c.id == bindparam("of_user"))
    .values({name: bindparam(f"new_{name}") for name in _NAMES}),
    across_accounts=True,
)
_WATCHED = Statement(
    select(watchers.c.project_id, watchers.c.number)
    .where(in_account(watchers), watchers.c.user_id == bindparam("of_user"))
    .order_by(watchers.c.project_id, watchers.c.number)
    .limit(inline_literal("some")),
    across_projects="administration",
)


def take(transaction: Transaction, user_id: int) -> dict[str, Any] | None:
    """Empty a profile and return what it was, or None if it is empty; no file is removed."""
    row = transaction.one(_READ, of_user=user_id)
    before = dict(zip(_NAMES, row, strict=True)) if row else _EMPTY
    if before == _EMPTY:
        return None
    put_back(transaction, user_id, _EMPTY)
    return before


def put_back(transaction: Transaction, user_id: int, profile: Mapping[str, Any]) -> None:
    """Set a profile."""
    transaction.run(_SET, of_user=user_id, **{f"new_{name}": profile[name] for name in _NAMES})


def watched(transaction: Transaction, user_id: int, some: int) -> list[tuple[int, int]]:
    """Return the projects and numbers of some tickets that a user watches."""
    return [(row[0], row[1]) for row in transaction.all(_WATCHED, of_user=user_id, some=some)]
