"""Rows of messages and of their comments, in one table."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, select, update

from skerry.database.rows import Shape
from skerry.database.statements import (
    Statement,
    in_account,
    in_project,
    inline_literal,
    insert_into,
    unplanned_literal,
)
from skerry.database.transactions import Transaction
from skerry.resources.messages import Message
from skerry.store import earlier_texts, ticket_names
from skerry.store.counts import counters
from skerry.store.long_texts import LongTexts
from skerry.store.tables import messages, users
from skerry.wire import budget

_STORED = {column.name: column for column in messages.c if column.name not in ("account_id", "body_edits")}


def _address(values: list[Any], place: Mapping[str, int], transaction: Transaction) -> None:
    """Set the path of a comment, which is that of its parent."""
    page = values[place["parent_id"]] or values[place["id"]]
    values[place["url"]] = f"{transaction.base}/projects/{values[place['project_id']]}/messages/{page}"


SHAPE = Shape(
    Message,
    {
        **_STORED,
        "body_edited_by_name": ticket_names.name_in(messages.c.body_edited_by),
        "user_name": users.c.name,
    },
    finish=_address,
)

IN_ACCOUNT = in_account(messages)
IN_PROJECT = in_project(messages)
_BY_KEY = and_(IN_PROJECT, messages.c.id == bindparam("message_id"))
ITS_COMMENTS = and_(IN_PROJECT, messages.c.parent_id == bindparam("message_id"))
_PARENTS = and_(IN_PROJECT, messages.c.parent_id.is_(None))

# The parent is NULL in all of these rows; including it lets both databases read the index backwards.
_NEWEST_FIRST = (messages.c.parent_id.desc(), messages.c.updated_at.desc(), messages.c.id.desc())

TEXTS = LongTexts(Message, messages, "id")

# Names are joined, so that a renamed person is renamed everywhere.
_WITH_USERS = messages.join(users, users.c.id == messages.c.user_id)
WITH_NAMES = select(*SHAPE.columns).select_from(_WITH_USERS)
WITH_BEGINNINGS = select(*TEXTS.in_place_of(SHAPE.columns)).select_from(_WITH_USERS)

_ONE = Statement(WITH_NAMES.where(_BY_KEY))

# The message itself, or the message of a comment.
_parent = select(messages.c.parent_id).where(_BY_KEY).scalar_subquery()
_LOCK = Statement(
    select(messages.c.id)
    .where(IN_PROJECT, messages.c.id == func.coalesce(_parent, bindparam("message_id")))
    .with_for_update()
)

_keys = (
    select(messages.c.id)
    .where(_PARENTS)
    .order_by(*_NEWEST_FIRST)
    .limit(inline_literal("limit"))
    .offset(unplanned_literal("offset"))
    .subquery("page")
)


def _page(columns: Sequence[ColumnElement[Any]]) -> Statement:
    """Return a statement that reads the keys from the index alone, then only these rows."""
    joined = _keys.join(messages, messages.c.id == _keys.c.id).join(users, users.c.id == messages.c.user_id)
    return Statement(select(*columns).select_from(joined).where(IN_ACCOUNT).order_by(*_NEWEST_FIRST))


_PAGE = _page(TEXTS.in_place_of(SHAPE.columns))
_WHOLE_PAGE = _page(SHAPE.columns)

_COUNT = Statement(select(func.count()).select_from(messages).where(_PARENTS))

# Empty in new messages.
_EDITED = ("body_edited_at", "body_edited_by", "body_edits")

_INSERT = Statement(insert_into(messages, without=_EDITED))

_UPDATE = Statement(
    update(messages).where(_BY_KEY).values(title=bindparam("new_title"), updated_at=bindparam("now"))
)

_EDIT = Statement(
    update(messages)
    .where(_BY_KEY)
    .values(
        body=bindparam("new_body"),
        body_html=bindparam("new_body_html"),
        body_edited_at=bindparam("now"),
        body_edited_by=bindparam("editor_id"),
        body_edits=messages.c.body_edits + 1,
    )
    .returning(messages.c.body_edits)
)

_RETITLE_COMMENTS = Statement(update(messages).where(ITS_COMMENTS).values(title=bindparam("new_title")))

_COMMENTED = Statement(
    update(messages)
    .where(_BY_KEY, messages.c.parent_id.is_(None))
    .values(comments_count=messages.c.comments_count + 1, updated_at=bindparam("now"))
    .returning(messages.c.title, messages.c.permalink)
)

_UNCOMMENTED = Statement(update(messages).where(_BY_KEY).values(comments_count=messages.c.comments_count - 1))

_DELETE_COMMENTS = Statement(delete(messages).where(ITS_COMMENTS))

_DELETE = Statement(delete(messages).where(_BY_KEY))


def page(
    transaction: Transaction, project_id: int, *, limit: int, offset: int, room: int = budget.MAX
) -> list[Message]:
    """Return a page of a project's messages without the comments on them, the last changed first.

    Long texts are shortened to the budget.
    """
    rows = transaction.all(_PAGE, project_id=project_id, limit=limit, offset=offset)
    return TEXTS.fitted(transaction, SHAPE.records(rows, transaction), room)


def whole_page(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Message]:
    """Return a page like ``page`` with complete texts."""
    return SHAPE.all(transaction, _WHOLE_PAGE, project_id=project_id, limit=limit, offset=offset)


def count(transaction: Transaction, project_id: int) -> int:
    """Return how many messages a project has, not counting comments."""
    return int(transaction.value(_COUNT, project_id=project_id))


def one(transaction: Transaction, project_id: int, message_id: int) -> Message | None:
    """Return a message or a comment of a project, without the comments on it."""
    return SHAPE.one(transaction, _ONE, project_id=project_id, message_id=message_id)


def lock(transaction: Transaction, project_id: int, message_id: int) -> None:
    """Lock a message or a comment until the transaction ends.

    For a comment its message is locked, so that two changes of a conversation cannot deadlock.
    """
    transaction.one(_LOCK, project_id=project_id, message_id=message_id)


def add(transaction: Transaction, **values: Any) -> int:
    """Add a message or comment and return its id."""
    message_id = counters.next_id(transaction, "messages")
    transaction.run(
        _INSERT,
        id=message_id,
        attachments_count=0,
        comments_count=0,
        created_at=transaction.now,
        updated_at=transaction.now,
        **values,
    )
    return message_id


def add_comment(transaction: Transaction, project_id: int, parent_id: int, **values: Any) -> int | None:
    """Add a comment on a message and return its id; None if there is no such message."""
    # The parent is locked first, so that it is neither changed nor removed meanwhile.
    parent = transaction.one(_COMMENTED, project_id=project_id, message_id=parent_id, now=transaction.now)
    if parent is None:
        return None
    title, permalink = parent
    return add(
        transaction, project_id=project_id, parent_id=parent_id, title=title, permalink=permalink, **values
    )


def edit(transaction: Transaction, message: Message, body: str, body_html: str, *, editor_id: int) -> None:
    """Replace the text of a message, and keep the present one."""
    key = {"project_id": message.project_id, "message_id": message.id}
    new = {"new_body": body, "new_body_html": body_html, "editor_id": editor_id, "now": transaction.now}
    earlier_texts.OF_MESSAGES.add(transaction, _EDIT, **key, **new)


def change(transaction: Transaction, message: Message, *, title: str) -> None:
    """Set the title and the time of a message; its comments share the title."""
    key = {"project_id": message.project_id, "message_id": message.id}
    transaction.run(_UPDATE, new_title=title, now=transaction.now, **key)
    if title != message.title:
        transaction.run(_RETITLE_COMMENTS, new_title=title, **key)


def remove(transaction: Transaction, message: Message) -> bool:
    """Remove a message with its comments, or a comment from its parent; return whether it still existed."""
    key = {"project_id": message.project_id, "message_id": message.id}
    lock(transaction, message.project_id or 0, message.id or 0)
    transaction.run(_DELETE_COMMENTS, **key)
    removed = bool(transaction.changed(_DELETE, **key))
    if removed and message.parent_id:
        transaction.run(_UNCOMMENTED, project_id=message.project_id, message_id=message.parent_id)
    return removed
