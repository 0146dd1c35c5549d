"""The rows of what a spammer wrote: found, taken out as they are, and put back."""

from typing import Any

from sqlalchemy import Table, and_, bindparam, delete, exists, or_, select, update

from skerry.database.statements import Statement, in_account, in_project, in_ticket, inline_literal
from skerry.database.transactions import Transaction
from skerry.store.spam import spam_titles
from skerry.store.spam.spam import Rows, insertion
from skerry.store.tables import (
    attachments,
    backlinks,
    held_texts,
    message_texts,
    messages,
    moved_tickets,
    mutes,
    taggings,
    ticket_links,
    tickets,
    version_texts,
    versions,
    watchers,
)

_others = versions.alias("others")
_by_others = exists().where(
    in_account(_others),
    _others.c.project_id == tickets.c.project_id,
    _others.c.number == tickets.c.number,
    _others.c.user_id != bindparam("of_user"),
)
_TICKETS = Statement(
    select(tickets.c.project_id, tickets.c.number)
    .where(in_account(tickets), tickets.c.creator_id == bindparam("of_user"), ~_by_others)
    .order_by(tickets.c.project_id, tickets.c.number)
    .limit(inline_literal("some")),
    across_projects="administration",
)
_with_files = exists().where(
    in_account(attachments),
    *(attachments.c[name] == versions.c[name] for name in ("project_id", "number", "version")),
)
_is_titled = and_(versions.c.version == 1, versions.c.title != bindparam("no_title"))
_TEXTS = Statement(
    select(versions.c.project_id, versions.c.number, versions.c.version)
    .where(
        in_account(versions),
        versions.c.user_id == bindparam("of_user"),
        or_(versions.c.body != "", _with_files, _is_titled),
    )
    .order_by(versions.c.project_id, versions.c.number, versions.c.version)
    .limit(inline_literal("some")),
    across_projects="administration",
)
_COMMENTS = Statement(
    select(messages.c.project_id, messages.c.id)
    .where(
        in_account(messages), messages.c.user_id == bindparam("of_user"), messages.c.parent_id.is_not(None)
    )
    .order_by(messages.c.project_id, messages.c.id)
    .limit(inline_literal("some")),
    across_projects="administration",
)
_HELD = Statement(
    select(held_texts)
    .where(in_account(held_texts), held_texts.c.user_id == bindparam("of_user"))
    .limit(inline_literal("some")),
    across_projects="administration",
)
_REMOVE_HELD = Statement(
    delete(held_texts).where(in_account(held_texts), held_texts.c.id == bindparam("held")),
    across_projects="administration",
)


_OF_TICKET = (tickets, versions, version_texts, watchers, taggings, mutes, backlinks, attachments)
"""The tables of a ticket, each after those that it refers to; notifications of it do not come back."""

_LINKS = Statement(
    select(ticket_links).where(
        in_account(ticket_links),
        or_(
            and_(
                ticket_links.c.project_id == bindparam("project_id"),
                ticket_links.c.number == bindparam("number"),
            ),
            and_(
                ticket_links.c.other_project_id == bindparam("project_id"),
                ticket_links.c.other_number == bindparam("number"),
            ),
        ),
    )
)
_FORMER = Statement(
    select(moved_tickets).where(
        in_account(moved_tickets),
        moved_tickets.c.new_project_id == bindparam("project_id"),
        moved_tickets.c.new_number == bindparam("number"),
    )
)
_READ = {table.name: Statement(select(table).where(in_ticket(table))) for table in _OF_TICKET}
_TABLES = {
    table.name: table
    for table in (*_OF_TICKET, ticket_links, moved_tickets, messages, message_texts, held_texts)
}
_REMOVE_FILES = Statement(delete(attachments).where(in_ticket(attachments)))

_OF_VERSION = {
    table.name: and_(in_ticket(table), table.c.version == bindparam("version"))
    for table in (versions, version_texts, attachments)
}
_READ_VERSION = {name: Statement(select(_TABLES[name]).where(where)) for name, where in _OF_VERSION.items()}
_REMOVE_FILES_OF_VERSION = Statement(delete(attachments).where(_OF_VERSION["attachments"]))
_TEXT = (
    *(
        "body",
        "body_html",
        "body_deleted_by",
        "body_edited_at",
        "body_edited_by",
        "body_edits",
        "quoted_body",
    ),
    "updated_at",
)
_RESTORE_TEXT = Statement(
    update(versions).where(_OF_VERSION["versions"]).values({name: bindparam(f"new_{name}") for name in _TEXT})
)
_OPENING = ("body", "body_html", "original_body", "body_edited_at", "body_edited_by")
_WITH_PERMALINK = (*_OPENING, "permalink")
_READ_OPENING = Statement(select(*(tickets.c[name] for name in _WITH_PERMALINK)).where(in_ticket(tickets)))
_SET_OPENING = Statement(
    update(tickets).where(in_ticket(tickets)).values({name: bindparam(f"new_{name}") for name in _OPENING})
)
_OF_MESSAGE = (
    Statement(select(messages).where(in_project(messages), messages.c.id == bindparam("message_id"))),
    Statement(
        select(message_texts).where(
            in_project(message_texts), message_texts.c.message_id == bindparam("message_id")
        )
    ),
)
_COUNT_COMMENT = Statement(
    update(messages)
    .where(in_project(messages), messages.c.id == bindparam("message_id"))
    .values(comments_count=messages.c.comments_count + 1)
)


def tickets_of(transaction: Transaction, user_id: int, some: int) -> list[tuple[int, int]]:
    """Return the projects and numbers of some tickets of a user in which nobody else wrote."""
    return [(row[0], row[1]) for row in transaction.all(_TICKETS, of_user=user_id, some=some)]


def texts_of(transaction: Transaction, user_id: int, some: int) -> list[tuple[int, int, int]]:
    """Return some versions of a user that have a text or files."""
    rows = transaction.all(_TEXTS, of_user=user_id, some=some, no_title=spam_titles.NO_TITLE)
    return [(row[0], row[1], row[2]) for row in rows]


def comments_of(transaction: Transaction, user_id: int, some: int) -> list[tuple[int, int]]:
    """Return the projects and ids of some comments of a user on messages."""
    return [(row[0], row[1]) for row in transaction.all(_COMMENTS, of_user=user_id, some=some)]


def held_of(transaction: Transaction, user_id: int, some: int) -> list[Rows]:
    """Take some texts of a user out that wait, and return their rows."""
    texts = _dicts(held_texts, transaction.all(_HELD, of_user=user_id, some=some))
    for row in texts:
        transaction.run(_REMOVE_HELD, held=row["id"])
    return [{"held_texts": [row]} for row in texts]


def _dicts(table: Table, rows: Any) -> list[dict[str, Any]]:
    names = [column.name for column in table.c]
    return [dict(zip(names, row, strict=True)) for row in rows]


def of_ticket(transaction: Transaction, project_id: int, number: int) -> Rows:
    """Return all rows of a ticket."""
    key = {"project_id": project_id, "number": number}
    rows = {table.name: _dicts(table, transaction.all(_READ[table.name], **key)) for table in _OF_TICKET}
    rows["ticket_links"] = _dicts(ticket_links, transaction.all(_LINKS, **key))
    rows["moved_tickets"] = _dicts(moved_tickets, transaction.all(_FORMER, **key))
    return rows


def let_go(transaction: Transaction, project_id: int, number: int) -> None:
    """Remove the rows of a ticket's files, without the files."""
    transaction.run(_REMOVE_FILES, project_id=project_id, number=number)


def put_back(transaction: Transaction, rows: Rows, *names: str) -> None:
    """Put rows back as they were, of some tables or of all."""
    for name in names or _TABLES:
        if some := [_without_account(row) for row in rows.get(name, ())]:
            transaction.run_many(insertion(_TABLES[name], frozenset(some[0])), some)


def _without_account(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "account_id"}


def of_text(transaction: Transaction, project_id: int, number: int, version: int) -> Rows:
    """Return the rows of a version, of its earlier texts and its files, and of the ticket's own text."""
    key = {"project_id": project_id, "number": number, "version": version}
    found = {
        name: _dicts(_TABLES[name], transaction.all(statement, **key))
        for name, statement in _READ_VERSION.items()
    }
    if version == 1:
        rows = transaction.all(_READ_OPENING, project_id=project_id, number=number)
        found["opening"] = [dict(zip(_WITH_PERMALINK, row, strict=True)) for row in rows]
    return found


def take_text(transaction: Transaction, rows: Rows, project_id: int, number: int, version: int) -> None:
    """Remove the rows of a version's files, without the files, and empty the ticket's own text and title."""
    key = {"project_id": project_id, "number": number}
    transaction.run(_REMOVE_FILES_OF_VERSION, version=version, **key)
    if version == 1:
        emptied = {"body": "", "body_html": "", "original_body": ""}
        new = {f"new_{name}": emptied.get(name) for name in _OPENING}
        transaction.run(_SET_OPENING, **key, **new)
        spam_titles.take(transaction, key, rows["versions"][0]["title"])


def restore_text(transaction: Transaction, key: dict[str, int], rows: Rows) -> None:
    """Put the text of a version back, with its earlier texts and files; ``key`` says where it is now."""
    (row,) = rows["versions"]
    transaction.run(_RESTORE_TEXT, **key, **{f"new_{name}": row[name] for name in _TEXT})
    place = {name: key[name] for name in ("project_id", "number")}
    for name in ("version_texts", "attachments"):
        put_back(transaction, {name: [{**each, **place} for each in rows[name]]}, name)
    for opening in rows.get("opening", ()):
        transaction.run(_SET_OPENING, **place, **{f"new_{name}": opening[name] for name in _OPENING})
        spam_titles.put_back(transaction, place, row["title"], opening["permalink"])


def of_comment(transaction: Transaction, project_id: int, message_id: int) -> Rows:
    """Return the rows of a comment on a message."""
    key = {"project_id": project_id, "message_id": message_id}
    tables = (messages, message_texts)
    return {
        table.name: _dicts(table, transaction.all(statement, **key))
        for table, statement in zip(tables, _OF_MESSAGE, strict=True)
    }


def count_comment(transaction: Transaction, project_id: int, message_id: int) -> None:
    """Count a comment that was put back."""
    transaction.run(_COUNT_COMMENT, project_id=project_id, message_id=message_id)
