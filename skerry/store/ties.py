"""What makes tickets findable beside their own rows: their tags and who watches them."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import and_, bindparam, delete, insert, update

from skerry.store import rows
from skerry.store.database import Transaction
from skerry.store.statements import Statement
from skerry.store.tables import taggings, tickets, watchers


def _of_this(table: Any) -> Any:
    return and_(
        table.c.account_id == bindparam("account_id"),
        table.c.project_id == bindparam("project_id"),
        table.c.number == bindparam("number"),
    )


_UNTAG = Statement(delete(taggings).where(_of_this(taggings)))
_UNWATCH = Statement(delete(watchers).where(_of_this(watchers)))

_TAG = Statement(
    insert(taggings).values({name: bindparam(name) for name in ("account_id", "project_id", "tag", "number")})
)
_WATCH = Statement(
    insert(watchers).values(
        {name: bindparam(name) for name in ("account_id", "project_id", "number", "user_id")}
    )
)

_SET_WATCHERS = Statement(
    update(tickets).where(_of_this(tickets)).values(watchers_ids=bindparam("new_watchers_ids"))
)


def add_tags(transaction: Transaction, project_id: int, number: int, tags: Iterable[str]) -> None:
    """Make a ticket findable by more tags."""
    transaction.run_many(_TAG, [{"project_id": project_id, "number": number, "tag": tag} for tag in tags])


def set_tags(transaction: Transaction, project_id: int, number: int, tags: Iterable[str]) -> None:
    """Make a ticket findable by these tags and no others."""
    transaction.run(_UNTAG, project_id=project_id, number=number)
    add_tags(transaction, project_id, number, tags)


def add_watchers(transaction: Transaction, project_id: int, number: int, user_ids: Iterable[int]) -> None:
    """Make a ticket findable by more watchers; its own list is the caller's to keep."""
    transaction.run_many(
        _WATCH, [{"project_id": project_id, "number": number, "user_id": user_id} for user_id in user_ids]
    )


def set_watchers(transaction: Transaction, project_id: int, number: int, user_ids: Iterable[int]) -> None:
    """Make these people, and no others, watch a ticket."""
    ordered = sorted(set(user_ids))
    transaction.run(_UNWATCH, project_id=project_id, number=number)
    add_watchers(transaction, project_id, number, ordered)
    transaction.run(
        _SET_WATCHERS, project_id=project_id, number=number, new_watchers_ids=rows.written(ordered)
    )
