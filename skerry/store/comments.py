"""The comments on messages, in the same table."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam, func, select

from skerry.database.rows import timestamp
from skerry.database.statements import (
    OneOf,
    Statement,
    in_account,
    inline_literal,
    not_by_index,
    unplanned_literal,
)
from skerry.database.transactions import Transaction
from skerry.resources.messages import Message
from skerry.store import messages as store
from skerry.store.long_texts import BLOCK
from skerry.store.messages import (
    IN_ACCOUNT,
    IN_PROJECT,
    ITS_COMMENTS,
    SHAPE,
    TEXTS,
    WITH_BEGINNINGS,
    WITH_NAMES,
)
from skerry.store.tables import messages, users
from skerry.wire import budget
from skerry.wire.record import changed


class LastComment(NamedTuple):
    """The author and the time of the last comment on a message."""

    id: int
    user_name: str
    created_at: datetime


OWN = budget.MAX * 3 // 4
"""The part of a response reserved for the texts of messages, before their comments."""


_OF_SEVERAL = and_(IN_PROJECT, messages.c.parent_id.in_(bindparam("message_ids", expanding=True)))

_COMMENTS = Statement(WITH_NAMES.where(_OF_SEVERAL).order_by(messages.c.parent_id, messages.c.id))

_FEW_COMMENTS = Statement(
    WITH_BEGINNINGS.where(_OF_SEVERAL)
    .order_by(messages.c.parent_id, messages.c.id)
    .limit(inline_literal("block"))
)

_NEWEST_COMMENTS = Statement(
    WITH_BEGINNINGS.where(_OF_SEVERAL, messages.c.id <= bindparam("up_to"))
    .order_by(messages.c.id.desc())
    .limit(inline_literal("block"))
)

_COMMENTS_PAGE = Statement(
    WITH_BEGINNINGS.where(ITS_COMMENTS)
    .order_by(messages.c.parent_id, messages.c.id)
    .limit(inline_literal("limit"))
    .offset(unplanned_literal("offset"))
)

_EARLIER = Statement(
    select(func.count()).select_from(messages).where(ITS_COMMENTS, messages.c.id < bindparam("comment_id"))
)

# A single index lookup for each message, regardless of the number of its comments.
_comments = messages.alias("comments")
_last_id = (
    select(_comments.c.id)
    .where(
        in_account(_comments),
        not_by_index(_comments.c.project_id) == bindparam("project_id"),
        _comments.c.parent_id == messages.c.id,
    )
    .order_by(_comments.c.parent_id.desc(), _comments.c.id.desc())
    .limit(1)
    .scalar_subquery()
)

_LAST_IDS = Statement(select(_last_id).where(IN_ACCOUNT, OneOf(messages.c.id, "message_ids")))

# In one statement with the ids, PostgreSQL would read all messages to join them.
_LAST_COMMENTS = Statement(
    select(messages.c.parent_id, messages.c.id, users.c.name, messages.c.created_at)
    .select_from(messages.join(users, users.c.id == messages.c.user_id))
    .where(
        IN_ACCOUNT,
        not_by_index(messages.c.project_id) == bindparam("project_id"),
        OneOf(messages.c.id, "message_ids"),
    )
)


def with_messages(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Message]:
    """Return a page of a project's messages with the newest comments on them, the last changed first.

    Long texts and comments are limited to the size of a response.
    """
    messages = store.page(transaction, project_id, limit=limit, offset=offset, room=OWN)
    return on(transaction, project_id, messages)


def of_whole_page(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Message]:
    """Return a page of a project's messages with all comments and complete texts."""
    messages = store.whole_page(transaction, project_id, limit=limit, offset=offset)
    comments = transaction.all(_COMMENTS, project_id=project_id, message_ids=[each.id for each in messages])
    return _joined(messages, SHAPE.records(comments, transaction))


def last(transaction: Transaction, project_id: int, message_ids: list[int]) -> dict[int, LastComment]:
    """Return the last comment on each of some messages that have one."""
    last_ids = transaction.all(_LAST_IDS, project_id=project_id, message_ids=message_ids)
    ids = [row[0] for row in last_ids if row[0] is not None]
    rows = transaction.all(_LAST_COMMENTS, project_id=project_id, message_ids=ids)
    return {parent: LastComment(last, name, timestamp(made)) for parent, last, name, made in rows}


def on(transaction: Transaction, project_id: int, parents: list[Message]) -> list[Message]:
    """Return messages with as many of their newest comments as fit, oldest first."""
    shown, room = leaving_room(parents)
    if shown is not parents:
        transaction.note_shortened(budget.longest(parents))
    ids = [parent.id for parent in parents if parent.comments_count]
    return _joined(shown, _newest_comments(transaction, project_id, ids, room) if ids else [])


def leaving_room(parents: list[Message]) -> tuple[list[Message], int]:
    """Return messages, shortened where needed, and the room left for comments."""
    own = budget.size_of(parents)
    if own <= OWN:
        return parents, budget.MAX - own
    return budget.fitted(parents, OWN), budget.MAX - OWN


def _newest_comments(
    transaction: Transaction, project_id: int, message_ids: list[int | None], room: int
) -> list[Message]:
    def block(up_to: int) -> list[Message]:
        return SHAPE.all(transaction, _NEWEST_COMMENTS, up_to=up_to, **values)

    values = {"project_id": project_id, "message_ids": message_ids, "block": BLOCK}
    # A small number is read in index order.
    newest = SHAPE.all(transaction, _FEW_COMMENTS, **values)
    if len(newest) < BLOCK and TEXTS.are_whole(newest, room):
        return newest
    return TEXTS.newest(transaction, block, room)


def _joined(parents: list[Message], comments: list[Message]) -> list[Message]:
    by_parent: dict[int | None, list[Message]] = {parent.id: [] for parent in parents}
    for comment in comments:
        by_parent[comment.parent_id].append(comment)
    return [changed(parent, comments=by_parent[parent.id]) for parent in parents]


def page(
    transaction: Transaction, project_id: int, message_id: int, *, limit: int, offset: int, room: int
) -> list[Message]:
    """Return some of the comments on a message, oldest first, with long texts cut to the budget."""
    rows = transaction.all(
        _COMMENTS_PAGE, project_id=project_id, message_id=message_id, limit=limit, offset=offset
    )
    return TEXTS.fitted(transaction, SHAPE.records(rows, transaction), room)


def before(transaction: Transaction, comment: Message) -> int:
    """Return how many comments precede one on its message."""
    return int(
        transaction.value(
            _EARLIER, project_id=comment.project_id, message_id=comment.parent_id, comment_id=comment.id
        )
    )
