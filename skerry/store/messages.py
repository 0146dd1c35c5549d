"""Messages and their comments as rows of one table."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, delete, func, insert, select, update

from skerry.resources.messages import Message
from skerry.store import counters
from skerry.store.rows import Shape, moment
from skerry.store.statements import OneOf, Statement, in_project, spelt, unseen
from skerry.store.tables import messages, users
from skerry.store.transactions import Transaction
from skerry.wire.record import changed


class LastComment(NamedTuple):
    """Who commented last on a message, and when."""

    id: int
    user_name: str
    created_at: datetime


_STORED = {column.name: column for column in messages.c if column.name != "account_id"}


def _address(values: list[Any], transaction: Transaction) -> None:
    """A comment is shown on its parent's page."""
    place = _SHAPE.place
    page = values[place["parent_id"]] or values[place["id"]]
    values[place["url"]] = f"{transaction.base}/projects/{values[place['project_id']]}/messages/{page}"


_SHAPE = Shape(Message, {**_STORED, "user_name": users.c.name}, finish=_address)

_HERE = messages.c.account_id == bindparam("account_id")
_IN_PROJECT = in_project(messages)
_THIS = and_(_IN_PROJECT, messages.c.id == bindparam("message_id"))
_ITS_COMMENTS = and_(_IN_PROJECT, messages.c.parent_id == bindparam("message_id"))
_PARENTS = and_(_IN_PROJECT, messages.c.parent_id.is_(None))

# The parent is NULL in all of these rows; named here, it lets both databases read the index backwards.
_NEWEST_FIRST = (messages.c.parent_id.desc(), messages.c.updated_at.desc(), messages.c.id.desc())

# Names are looked up live: a renamed person is renamed everywhere.
_WITH_NAMES = select(*_SHAPE.columns).select_from(messages.join(users, users.c.id == messages.c.user_id))

_ONE = Statement(_WITH_NAMES.where(_THIS))

# The message itself, or what a comment is on.
_parent = select(messages.c.parent_id).where(_THIS).scalar_subquery()
_HOLD = Statement(
    select(messages.c.id)
    .where(_IN_PROJECT, messages.c.id == func.coalesce(_parent, bindparam("message_id")))
    .with_for_update()
)

_keys = (
    select(messages.c.id)
    .where(_PARENTS)
    .order_by(*_NEWEST_FIRST)
    .limit(spelt("limit"))
    .offset(unseen("offset"))
    .subquery("page")
)

# The keys come off the index alone, then only these rows are read.
_PAGE = Statement(
    select(*_SHAPE.columns)
    .select_from(
        _keys.join(messages, messages.c.id == _keys.c.id).join(users, users.c.id == messages.c.user_id)
    )
    .where(_HERE)
    .order_by(*_NEWEST_FIRST)
)

_COUNT = Statement(select(func.count()).select_from(messages).where(_PARENTS))

_COMMENTS = Statement(
    _WITH_NAMES.where(
        _IN_PROJECT, messages.c.parent_id.in_(bindparam("message_ids", expanding=True))
    ).order_by(messages.c.parent_id, messages.c.id)
)

_COMMENTS_PAGE = Statement(
    _WITH_NAMES.where(_ITS_COMMENTS)
    .order_by(messages.c.parent_id, messages.c.id)
    .limit(spelt("limit"))
    .offset(unseen("offset"))
)

_EARLIER = Statement(
    select(func.count()).select_from(messages).where(_ITS_COMMENTS, messages.c.id < bindparam("comment_id"))
)

# Asked for each message, it is one step at the end of what the index has of it, however much was said.
_comments = messages.alias("comments")
_last_id = (
    select(_comments.c.id)
    .where(_comments.c.account_id == bindparam("account_id"), _comments.c.parent_id == messages.c.id)
    .order_by(_comments.c.parent_id.desc(), _comments.c.id.desc())
    .limit(1)
    .scalar_subquery()
)

_LAST_IDS = Statement(select(_last_id).where(_HERE, OneOf(messages.c.id, "message_ids")))

# In one statement with the ids, PostgreSQL would read all messages to join them.
_LAST_COMMENTS = Statement(
    select(messages.c.parent_id, messages.c.id, users.c.name, messages.c.created_at)
    .select_from(messages.join(users, users.c.id == messages.c.user_id))
    .where(_HERE, OneOf(messages.c.id, "message_ids"))
)

_INSERT = Statement(insert(messages))

_UPDATE = Statement(
    update(messages)
    .where(_THIS)
    .values(
        title=bindparam("new_title"),
        body=bindparam("new_body"),
        body_html=bindparam("new_body_html"),
        updated_at=bindparam("now"),
    )
)

_RETITLE_COMMENTS = Statement(update(messages).where(_ITS_COMMENTS).values(title=bindparam("new_title")))

_COMMENTED = Statement(
    update(messages)
    .where(_THIS, messages.c.parent_id.is_(None))
    .values(comments_count=messages.c.comments_count + 1, updated_at=bindparam("now"))
    .returning(messages.c.title, messages.c.permalink)
)

_UNCOMMENTED = Statement(update(messages).where(_THIS).values(comments_count=messages.c.comments_count - 1))

_DELETE_COMMENTS = Statement(delete(messages).where(_ITS_COMMENTS))

_DELETE = Statement(delete(messages).where(_THIS))


def page(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Message]:
    """Give a page of a project's messages with their comments, the last changed first."""
    found = bare_page(transaction, project_id, limit=limit, offset=offset)
    return with_comments(transaction, project_id, found)


def bare_page(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Message]:
    """Give a page of a project's messages without the comments on them, the last changed first."""
    rows = transaction.all(_PAGE, project_id=project_id, limit=limit, offset=offset)
    return _SHAPE.records(rows, transaction)


def last_comments(transaction: Transaction, message_ids: list[int]) -> dict[int, LastComment]:
    """Give the last comment on each of some messages on which there is one."""
    ids = [row[0] for row in transaction.all(_LAST_IDS, message_ids=message_ids) if row[0] is not None]
    rows = transaction.all(_LAST_COMMENTS, message_ids=ids)
    return {parent: LastComment(last, name, moment(made)) for parent, last, name, made in rows}


def count(transaction: Transaction, project_id: int) -> int:
    """Give how many messages a project has, comments not counted."""
    return int(transaction.value(_COUNT, project_id=project_id))


def one(transaction: Transaction, project_id: int, message_id: int) -> Message | None:
    """Give a message or a comment of a project, without the comments on it."""
    row = transaction.one(_ONE, project_id=project_id, message_id=message_id)
    return _SHAPE.record(row, transaction) if row else None


def with_comments(transaction: Transaction, project_id: int, parents: list[Message]) -> list[Message]:
    """Give messages together with the comments on each, oldest first."""
    comments: dict[int | None, list[Message]] = {parent.id: [] for parent in parents}
    rows = transaction.all(_COMMENTS, project_id=project_id, message_ids=list(comments))
    for comment in _SHAPE.records(rows, transaction):
        comments[comment.parent_id].append(comment)
    return [changed(parent, comments=comments[parent.id]) for parent in parents]


def comments(
    transaction: Transaction, project_id: int, message_id: int, *, limit: int, offset: int
) -> list[Message]:
    """Give some of the comments on a message, oldest first."""
    rows = transaction.all(
        _COMMENTS_PAGE, project_id=project_id, message_id=message_id, limit=limit, offset=offset
    )
    return _SHAPE.records(rows, transaction)


def comments_before(transaction: Transaction, comment: Message) -> int:
    """Give how many comments stand before one on its message."""
    return int(
        transaction.value(
            _EARLIER,
            project_id=comment.project_id,
            message_id=comment.parent_id,
            comment_id=comment.id,
        )
    )


def hold(transaction: Transaction, project_id: int, message_id: int) -> None:
    """Keep others from changing a message, or a comment, until the end.

    What a comment is on is held in its place, so that two at one conversation never wait in a ring.
    """
    transaction.one(_HOLD, project_id=project_id, message_id=message_id)


def add(transaction: Transaction, **values: Any) -> int:
    """Keep a new message or comment and give its id."""
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
    """Keep a new comment on a message and give its id; None if there is no such message to comment on."""
    # The parent first: whoever changes or removes it meanwhile waits, or is waited for.
    parent = transaction.one(_COMMENTED, project_id=project_id, message_id=parent_id, now=transaction.now)
    if parent is None:
        return None
    title, permalink = parent
    return add(
        transaction, project_id=project_id, parent_id=parent_id, title=title, permalink=permalink, **values
    )


def change(transaction: Transaction, message: Message, *, title: str, body: str, body_html: str) -> None:
    """Give a message a new title and text; the title is also that of its comments."""
    key = {"project_id": message.project_id, "message_id": message.id}
    transaction.run(
        _UPDATE, new_title=title, new_body=body, new_body_html=body_html, now=transaction.now, **key
    )
    if title != message.title:
        transaction.run(_RETITLE_COMMENTS, new_title=title, **key)


def remove(transaction: Transaction, message: Message) -> bool:
    """Remove a message with its comments, or a comment from its parent; say whether it was still there."""
    key = {"project_id": message.project_id, "message_id": message.id}
    hold(transaction, message.project_id or 0, message.id or 0)
    transaction.run(_DELETE_COMMENTS, **key)
    removed = bool(transaction.changed(_DELETE, **key))
    if removed and message.parent_id:
        transaction.run(_UNCOMMENTED, project_id=message.project_id, message_id=message.parent_id)
    return removed
