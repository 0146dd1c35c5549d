"""Texts of newcomers that wait until a member releases them, or that are shown with a mark until then."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, delete, func, literal_column, or_, select, update

from skerry.database.rows import Shape
from skerry.database.statements import (
    OneOf,
    Statement,
    in_account,
    in_project,
    in_ticket,
    inline_literal,
    insert_into,
    matching,
)
from skerry.database.transactions import DAY, Transaction
from skerry.resources.held_texts import HeldText
from skerry.resources.messages import Message
from skerry.resources.tickets import Ticket
from skerry.store.counts import counters
from skerry.store.tables import held_texts, messages, projects, tickets, users, versions

KEPT_DAYS = 30
"""How long a text waits before it is removed."""

# So that a list of a thousand fits into a response, if all of it is escaped.
_EXCERPT = 800


class WaitingTexts(NamedTuple):
    """How many texts wait in a project."""

    project_id: int
    name: str
    texts: int


class Mark(NamedTuple):
    """The mark of a text that everybody sees: a version of a ticket, or a comment on a message."""

    project_id: int
    number: int
    shown_as: int
    on_message: int


_is_shown = held_texts.c.shown_as.is_not(None)
_title = (
    select(tickets.c.title)
    .where(in_project(tickets), tickets.c.number == held_texts.c.number)
    .scalar_subquery()
)
_text = (
    select(versions.c.body)
    .where(
        in_project(versions),
        versions.c.number == held_texts.c.number,
        versions.c.version == held_texts.c.shown_as,
        versions.c.body_deleted_by.is_(None),
    )
    .scalar_subquery()
)
_comment = (
    select(messages.c.body)
    .where(in_project(messages), messages.c.id == held_texts.c.shown_as)
    .scalar_subquery()
)
# NULL once a text that was shown is gone.
_BODY = case(
    (held_texts.c.shown_as.is_(None), held_texts.c.body),
    (held_texts.c.kind == "message_comment", _comment),
    else_=_text,
)
_IS_THERE = or_(held_texts.c.shown_as.is_(None), _BODY.is_not(None))

_STORED = ("created_at", "id", "kind", "number", "private", "project_id", "tag", "user_id")
_COLUMNS = {name: held_texts.c[name] for name in _STORED} | {
    "shown": case((_is_shown, 1), else_=0),
    "title": case((and_(_is_shown, held_texts.c.kind == "ticket"), _title), else_=held_texts.c.title),
    "user_name": users.c.name,
}
_SHAPE = Shape(
    HeldText,
    {
        **_COLUMNS,
        "body": func.substr(_BODY, 1, _EXCERPT),
        "whole": case((func.length(_BODY) <= _EXCERPT, 1), else_=0),
    },
)
_WHOLE = Shape(HeldText, {**_COLUMNS, "body": _BODY, "whole": literal_column("1")})
_SOURCE = held_texts.join(users, users.c.id == held_texts.c.user_id)

# 0 stands for everybody.
_LISTED = (
    in_project(held_texts),
    or_(bindparam("of_user") == 0, held_texts.c.user_id == bindparam("of_user")),
    _IS_THERE,
)
_LIST = Statement(
    select(*_SHAPE.columns)
    .select_from(_SOURCE)
    .where(*_LISTED)
    .order_by(held_texts.c.id)
    .limit(inline_literal("some"))
    .offset(bindparam("offset"))
)
_COUNT = Statement(select(func.count()).select_from(held_texts).where(*_LISTED))
_SOME = Statement(
    select(*_WHOLE.columns, held_texts.c.via, held_texts.c.shown_as)
    .select_from(_SOURCE)
    .where(*_LISTED, OneOf(held_texts.c.id, "ids"))
    .order_by(held_texts.c.id)
    .with_for_update(of=held_texts)
)
_ONE = Statement(
    select(*_WHOLE.columns).select_from(_SOURCE).where(*_LISTED, held_texts.c.id == bindparam("held"))
)
_OF_USER = Statement(
    select(func.count())
    .select_from(held_texts)
    .where(in_account(held_texts), held_texts.c.user_id == bindparam("of_user"), ~_is_shown),
    across_projects="person",
)
_WAITING = Statement(
    select(projects.c.id, projects.c.name, func.count())
    .select_from(held_texts.join(projects, matching(projects, held_texts, id="project_id")))
    .where(in_account(held_texts), in_account(projects), ~_is_shown)
    .group_by(projects.c.id, projects.c.name)
    .order_by(projects.c.name, projects.c.id),
    across_projects="upkeep",
)
_MARKS = Statement(
    select(
        held_texts.c.project_id,
        held_texts.c.number,
        held_texts.c.shown_as,
        case((held_texts.c.kind == "message_comment", 1), else_=0),
    ).where(
        in_account(held_texts),
        OneOf(held_texts.c.project_id, "project_ids"),
        OneOf(held_texts.c.number, "numbers"),
        _is_shown,
    )
)
_OTHERS = Statement(
    select(versions.c.version)
    .where(
        in_project(versions),
        versions.c.number == bindparam("number"),
        versions.c.user_id != bindparam("of_user"),
    )
    .limit(1)
)
_INSERT = Statement(insert_into(held_texts))
_REMOVE = Statement(delete(held_texts).where(in_project(held_texts), held_texts.c.id == bindparam("held")))
# Marks stay.
_REMOVE_OLD = Statement(
    delete(held_texts).where(held_texts.c.created_at <= bindparam("before"), ~_is_shown), across_accounts=True
)

_OF_TICKET = in_ticket(tickets)
_DATE_TICKET = Statement(update(tickets).where(_OF_TICKET).values(created_at=bindparam("sent_at")))
# The ticket's revision shows that a version has changed.
_TOUCH = Statement(update(tickets).where(_OF_TICKET).values(revision=tickets.c.revision + 1))
_earlier = versions.alias("earlier")
_not_before = (
    select(func.max(_earlier.c.created_at))
    .where(
        in_project(_earlier),
        _earlier.c.number == bindparam("number"),
        _earlier.c.version < bindparam("version"),
        _earlier.c.created_at > bindparam("sent_at"),
    )
    .scalar_subquery()
)
_DATE_VERSION = Statement(
    update(versions)
    .where(
        in_project(versions),
        versions.c.number == bindparam("number"),
        versions.c.version == bindparam("version"),
    )
    .values(created_at=func.coalesce(_not_before, bindparam("sent_at")))
)
_DATE_MESSAGE = Statement(
    update(messages)
    .where(in_project(messages), messages.c.id == bindparam("message_id"))
    .values(created_at=bindparam("sent_at"))
)


def add(
    transaction: Transaction, project_id: int, user_id: int, shown_as: int | None = None, **values: Any
) -> int:
    """Add a text that waits, or the mark of one that is shown, and return its id."""
    held_id = counters.next_id(transaction, "held_texts")
    key = {"id": held_id, "project_id": project_id, "user_id": user_id}
    transaction.run(_INSERT, **key, created_at=transaction.now, shown_as=shown_as, **values)
    return held_id


def page(
    transaction: Transaction, project_id: int, user_id: int, *, limit: int, offset: int
) -> list[HeldText]:
    """Return a page of the texts that wait in a project, of one user or of all (0), the first ones first."""
    return _SHAPE.all(transaction, _LIST, project_id=project_id, of_user=user_id, some=limit, offset=offset)


def count(transaction: Transaction, project_id: int, user_id: int) -> int:
    """Return how many texts wait in a project, of one user or of all (0)."""
    return int(transaction.value(_COUNT, project_id=project_id, of_user=user_id))


def one(transaction: Transaction, project_id: int, user_id: int, held_id: int) -> HeldText | None:
    """Return a text that waits in a project, of one user or of anybody (0)."""
    return _WHOLE.one(transaction, _ONE, project_id=project_id, of_user=user_id, held=held_id)


def some(transaction: Transaction, project_id: int, ids: list[int]) -> list[tuple[HeldText, str, int]]:
    """Return and lock texts that wait in a project, each with how it came, and what it is shown as, or 0."""
    rows = transaction.all(_SOME, project_id=project_id, of_user=0, ids=ids)
    return [(_WHOLE.record(row[:-2], transaction), row[-2], row[-1] or 0) for row in rows]


def waiting(transaction: Transaction) -> list[WaitingTexts]:
    """Return the projects in which texts wait, by name."""
    return [WaitingTexts(*row) for row in transaction.all(_WAITING)]


def marks(transaction: Transaction, places: Iterable[tuple[int, int]]) -> set[Mark]:
    """Return the marks of texts in tickets and on messages with the given projects and numbers.

    Those with the number of one and the project of another are returned as well.
    """
    wanted = [*places]
    if not wanted:
        return set()
    project_ids, numbers = (sorted({*ids}) for ids in zip(*wanted, strict=True))
    return {Mark(*row) for row in transaction.all(_MARKS, project_ids=project_ids, numbers=numbers)}


def count_of(transaction: Transaction, user_id: int) -> int:
    """Return how many texts of a user wait in the account."""
    return int(transaction.value(_OF_USER, of_user=user_id))


def others_wrote(transaction: Transaction, project_id: int, number: int, user_id: int) -> bool:
    """Return whether a ticket has versions of others than a user."""
    return transaction.value(_OTHERS, project_id=project_id, number=number, of_user=user_id) is not None


def date(transaction: Transaction, made: Ticket | Message, sent_at: int) -> None:
    """Store that a ticket, its last comment or a comment on a message was made when it was sent.

    A comment is not dated before what precedes it.
    """
    key = {"project_id": made.project_id, "sent_at": sent_at}
    if isinstance(made, Message):
        transaction.run(_DATE_MESSAGE, message_id=made.id, **key)
        return
    if made.version == 1:
        transaction.run(_DATE_TICKET, number=made.number, **key)
    transaction.run(_DATE_VERSION, number=made.number, version=made.version, **key)
    transaction.run(_TOUCH, number=made.number, project_id=made.project_id)


def remove(transaction: Transaction, project_id: int, held_id: int) -> None:
    """Remove a text that waits."""
    transaction.run(_REMOVE, project_id=project_id, held=held_id)


def remove_old(transaction: Transaction) -> int:
    """Remove the texts of every account that waited for too long; return their number."""
    return transaction.changed(_REMOVE_OLD, before=transaction.now - KEPT_DAYS * DAY)
