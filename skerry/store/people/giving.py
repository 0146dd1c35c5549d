"""Reassigning a placeholder's rows to a person: each row of the account that names them."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Table,
    Text,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    select,
    union,
    update,
)

from skerry.chunks import chunks
from skerry.database import rows
from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.projects import LATER
from skerry.store.tables import (
    attachments,
    bins,
    changesets,
    default_bins,
    events,
    message_texts,
    messages,
    milestones,
    placeholder_members,
    project_members,
    projects,
    taggings,
    ticket_templates,
    tickets,
    version_texts,
    versions,
    watchers,
)

_COLUMNS: tuple[tuple[Table, tuple[str, ...]], ...] = (
    (tickets, ("creator_id", "user_id", "assigned_user_id", "body_edited_by")),
    (versions, ("user_id", "assigned_user_id", "body_edited_by", "body_deleted_by")),
    (version_texts, ("user_id",)),
    (taggings, ("assigned_user_id",)),
    (milestones, ("user_id",)),
    (bins, ("user_id",)),
    (ticket_templates, ("assigned_user_id",)),
    (messages, ("user_id", "body_edited_by")),
    (message_texts, ("user_id",)),
    (changesets, ("user_id",)),
    (attachments, ("uploader_id",)),
    (events, ("user_id",)),
)
"""The columns with the ids of people whom an archive can name, besides those of ``_MOVED``."""

_MOVED = ((placeholder_members, project_members), (default_bins, default_bins), (watchers, watchers))
"""Tables in which a person has at most one row in each place, with the tables that get these rows."""

_HTML = (
    *(table.c.body_html for table in (tickets, versions, messages, changesets)),
    milestones.c.goals_html,
    projects.c.description_html,
)

_AT_ONCE = 1000
"""How many texts one statement rewrites."""


def _is_placeholder(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return column == bindparam("of_user")


def _replace(table: Table, column: str, **more: Any) -> Statement:
    conditions = (in_account(table), _is_placeholder(table.c[column]))
    return Statement(
        update(table).where(*conditions).values({column: bindparam("to_user"), **more}),
        across_projects="administration",
    )


_REPLACE = (
    *(_replace(table, column) for table, columns in _COLUMNS for column in columns),
    _replace(projects, "default_assigned_user_id", updated_at=LATER),
)


def _add_missing(source: Table, target: Table) -> Statement:
    """Return the statement that copies the placeholder's rows where the person has none."""
    present = target.alias()
    place = {column.name for column in target.primary_key} - {"account_id", "user_id"}
    same_place = (present.c[name] == source.c[name] for name in sorted(place))
    is_there = (
        select(present.c.user_id)
        .where(in_account(present), *same_place, present.c.user_id == _person(source))
        .correlate(source)
        .exists()
    )
    names = [column.name for column in target.c]
    columns = [_person(source) if name == "user_id" else source.c[name] for name in names]
    missing = select(*columns).where(in_account(source), _is_placeholder(source.c.user_id), ~is_there)
    return Statement(insert(target).from_select(names, missing), across_projects="administration")


def _person(table: Table) -> ColumnElement[Any]:
    return bindparam("to_user", type_=table.c.user_id.type)


def _remove(table: Table) -> Statement:
    return Statement(
        delete(table).where(in_account(table), _is_placeholder(table.c.user_id)),
        across_projects="administration",
    )


_MOVE = tuple(
    statement for source, target in _MOVED for statement in (_add_missing(source, target), _remove(source))
)

_RELINK = tuple(
    Statement(
        update(column.table)
        .where(in_account(column.table), column.contains(bindparam("old_link")))
        .values({column: func.replace(column, bindparam("old_link"), bindparam("new_link"))}),
        across_projects="administration",
    )
    for column in _HTML
)


class _Text(NamedTuple):
    """Texts that contain ids: how they are found with their keys, and replaced."""

    key: list[str]
    find: Statement
    replace: Statement
    rewritten: Callable[[str, int, int], str]


def _text(
    column: Column[Any], condition: ColumnElement[bool], rewritten: Callable[[str, int, int], str]
) -> _Text:
    table = column.table
    key = [each for each in table.primary_key if each.name != "account_id"]
    found = select(column, *key).where(in_account(table), condition)
    is_row = and_(in_account(table), *(each == bindparam(f"of_{each.name}") for each in key))
    return _Text(
        [f"of_{each.name}" for each in key],
        Statement(found, across_projects="administration"),
        Statement(
            update(table).where(is_row).values({column: bindparam("new_text")}),
            across_projects="administration",
        ),
        rewritten,
    )


def _listed(text: str, user_id: int, to_user: int) -> str:
    return rows.written(sorted({to_user if each == user_id else each for each in rows.numbers(text)}))


def _difference(text: str, user_id: int, to_user: int) -> str:
    before = json.loads(text)
    if before.get("assigned_user") != user_id:
        return text
    return json.dumps({**before, "assigned_user": to_user}, ensure_ascii=False)


def _changes(text: str, user_id: int, to_user: int) -> str:
    try:
        changes = json.loads(text)
    except (ValueError, RecursionError):
        # Readers report a damaged row.
        return text
    for name in ("assigned_user_id", "default_assigned_user_id"):
        values = changes.get(name)
        if values and user_id in values:
            changes[name] = [to_user if each == user_id else each for each in values]
            text = json.dumps(changes, ensure_ascii=False)
    return text


def _lists_them(table: Table) -> ColumnElement[bool]:
    comma = literal_column("','", Text)
    return (comma + func.coalesce(table.c.watchers_ids, "") + comma).contains(bindparam("listed"))


def _names_them(column: Column[Any], key: str) -> ColumnElement[bool]:
    return and_(column.contains(key), column.contains(bindparam("digits")))


_TEXTS = (
    *(_text(table.c.watchers_ids, _lists_them(table), _listed) for table in (tickets, versions)),
    _text(
        versions.c.diffable_attributes,
        _names_them(versions.c.diffable_attributes, "assigned_user"),
        _difference,
    ),
    _text(events.c.changes, _names_them(events.c.changes, "assigned_user_id"), _changes),
)

_PLACES = Statement(
    union(
        *(
            select(table.c.project_id).where(in_account(table), _is_placeholder(table.c[column]))
            for table, columns in _COLUMNS
            for column in columns
        ),
        *(
            select(table.c.project_id).where(in_account(table), _is_placeholder(table.c.user_id))
            for table, _ in _MOVED
        ),
        select(projects.c.id).where(
            in_account(projects), _is_placeholder(projects.c.default_assigned_user_id)
        ),
    ),
    across_projects="administration",
)


def projects_of(transaction: Transaction, user_id: int) -> list[int]:
    """Return the ids of the projects that name a person in a column, in order."""
    return sorted(row[0] for row in transaction.all(_PLACES, of_user=user_id) if row[0])


def give(transaction: Transaction, user_id: int, to_user: int) -> None:
    """Replace a placeholder by a person everywhere in the account; tickets get a new revision.

    The caller holds the exclusive locks of the projects.
    """
    both = {"of_user": user_id, "to_user": to_user}
    wanted = {"listed": f",{user_id},", "digits": str(user_id)}
    for text in _TEXTS:
        changes = []
        for before, *key in transaction.all(text.find, **wanted):
            after = text.rewritten(before, user_id, to_user)
            if after != before:
                changes.append({"new_text": after, **dict(zip(text.key, key, strict=True))})
        for some in chunks(changes, _AT_ONCE):
            transaction.run_many(text.replace, some)
    links = {"old_link": f'<a href="/users/{user_id}"', "new_link": f'<a href="/users/{to_user}"'}
    for statement in _RELINK:
        transaction.run(statement, **links)
    for statement in (*_MOVE, *_REPLACE):
        transaction.run(statement, now=transaction.now, **both)
