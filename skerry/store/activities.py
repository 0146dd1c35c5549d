"""Recent activity, read from the versions of tickets, messages and changesets."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import ColumnElement, Subquery, Table, and_, bindparam, exists, func, or_, select, tuple_

from skerry.database.rows import Shape
from skerry.database.statements import Row, Statement, in_account, inline_literal, matching
from skerry.database.transactions import Transaction
from skerry.resources.activities import Activity
from skerry.store.projects import SeenIds
from skerry.store.tables import (
    attachments,
    changesets,
    messages,
    projects,
    ticket_links,
    tickets,
    users,
    versions,
)
from skerry.text.actions import is_bare_command
from skerry.text.rendered_html import excerpt

MAX_EXCERPT_LENGTH = 200
"""The maximum length of an excerpt."""

# A limit on rendered text, which may have more markup than words.
_READ = 2000

KINDS = ("ticket", "message", "changeset")
"""The kinds of activities."""

Pair = tuple[Shape[Activity], Row]

Finish = Callable[[list[Any], Mapping[str, int]], str]


def _shape(table: Table, kind: str, finish: Finish, *columns: str, **renamed: str) -> Shape[Activity]:
    """Return the columns of one kind of activity; most have the names of its fields.

    ``finish`` returns the action and the end of the path.
    """

    def complete(values: list[Any], place: Mapping[str, int], transaction: Transaction) -> None:
        path = finish(values, place)
        values[place["kind"]] = kind
        values[place["url"]] = f"{transaction.base}/projects/{values[place['project_id']]}/{path}"
        said = excerpt(values[place["excerpt"]], MAX_EXCERPT_LENGTH)
        values[place["excerpt"]] = "" if is_bare_command(said) else said

    return Shape(
        Activity,
        {
            "excerpt": func.substr(table.c.body_html, 1, _READ),
            "project_id": table.c.project_id,
            "project_name": projects.c.name,
            "user_id": table.c.user_id,
            "user_name": users.c.name,
            **{name: table.c[name] for name in ("title", *columns)},
            **{name: table.c[column] for name, column in renamed.items()},
        },
        complete,
    )


def _of_ticket(values: list[Any], place: Mapping[str, int]) -> str:
    changes = json.loads(values[place["action"]])
    if values[place["version"]] == 1:
        action = "opened"
    elif "state" in changes and values[place["closed"]]:
        action = "closed"
    else:
        # A version may have only files, which is no comment.
        action = "commented" if values[place["excerpt"]] and not changes else "changed"
    values[place["action"]] = action
    return f"tickets/{values[place['number']]}"


def _of_message(values: list[Any], place: Mapping[str, int]) -> str:
    parent = values[place["action"]]
    values[place["action"]] = "commented" if parent else "posted"
    return f"messages/{parent or values[place['message_id']]}"


def _of_changeset(values: list[Any], place: Mapping[str, int]) -> str:
    values[place["action"]] = "committed"
    return f"changesets/{quote(values[place['revision']], safe='')}"


def _with_names(source: Any, table: Table) -> Any:
    at_home = matching(projects, table, id="project_id")
    return source.join(users, users.c.id == table.c.user_id).join(projects, at_home)


def in_projects(table: Table) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that rows belong to the account and to some of its projects."""
    wanted = table.c.project_id.in_(bindparam("project_ids", expanding=True))
    return in_account(table), wanted


def _last_first(*columns: Any) -> list[Any]:
    return [column.desc() for column in columns]


def _with_texts(shape: Shape[Activity], table: Table, keys: Subquery, timestamp: str) -> Statement:
    """Select the rows with the given keys, the last first.

    Texts are read only after the keys are known: sorting thousands of texts is slow.
    """
    same = [table.c[column.name] == column for column in keys.c]
    return Statement(
        select(*shape.columns)
        .select_from(_with_names(keys.join(table, and_(in_account(table), *same)), table))
        .order_by(*_last_first(table.c[timestamp], *(table.c[column.name] for column in keys.c)))
    )


TICKETS = _shape(
    versions,
    "ticket",
    _of_ticket,
    *("closed", "number", "state", "version"),
    action="diffable_attributes",
    happened_at="created_at",
)
_MESSAGES = _shape(
    messages, "message", _of_message, action="parent_id", happened_at="created_at", message_id="id"
)
_CHANGESETS = _shape(changesets, "changeset", _of_changeset, "revision", happened_at="changed_at")

_PLACE = (tickets.c.updated_at, tickets.c.project_id, tickets.c.number)
_by_change = select(*_PLACE).where(*in_projects(tickets)).order_by(*_last_first(*_PLACE))
_newest = _by_change.limit(inline_literal("reach")).subquery("newest")

_OLDEST_REACHED = Statement(_by_change.limit(1).offset(inline_literal("before")))

# The latest activity belongs to the tickets changed last, so no index by time is needed here. Activities of
# the same time, as in a bulk edit, are in the order of the tickets.
_WRITTEN = (versions.c.created_at, versions.c.project_id, versions.c.number)


def _linked(own: str, other: str) -> ColumnElement[bool]:
    """Return the condition that a version changed links to tickets of the same projects."""
    version = or_(
        *(ticket_links.c[f"{own}{name}"] == versions.c.version for name in ("added_in", "removed_in"))
    )
    return exists().where(
        in_account(ticket_links),
        ticket_links.c[f"{own}project_id"] == versions.c.project_id,
        ticket_links.c[f"{own}number"] == versions.c.number,
        version,
        ticket_links.c[f"{other}project_id"].in_(bindparam("project_ids", expanding=True)),
    )


# A version that changes nothing, or nothing that the reader sees, is no activity.
_says = or_(
    versions.c.version == 1,
    versions.c.diffable_attributes != "{}",
    versions.c.body != "",
    versions.c.body_deleted_by.is_not(None),
    exists().where(
        in_account(attachments),
        attachments.c.project_id == versions.c.project_id,
        attachments.c.number == versions.c.number,
        attachments.c.version == versions.c.version,
    ),
    _linked("", "other_"),
    _linked("other_", ""),
)
_written = (
    select(versions.c.project_id, versions.c.number, versions.c.version)
    .select_from(
        _newest.join(
            versions,
            in_account(versions)
            & (versions.c.project_id == _newest.c.project_id)
            & (versions.c.number == _newest.c.number),
        )
    )
    .where(tuple_(*_WRITTEN) >= tuple_(*(bindparam(f"since_{column.name}") for column in _PLACE)), _says)
    .order_by(*_last_first(*_WRITTEN, versions.c.version))
    .limit(inline_literal("wanted"))
    .subquery("written")
)

_VERSIONS = _with_texts(TICKETS, versions, _written, "created_at")

_posted = (
    select(messages.c.id)
    .where(*in_projects(messages))
    .order_by(*_last_first(messages.c.created_at, messages.c.id))
    .limit(inline_literal("wanted"))
    .subquery("posted")
)

_POSTS = _with_texts(_MESSAGES, messages, _posted, "created_at")

# A commit dated in the future, by a wrong clock, is not shown yet.
_committed = (
    select(changesets.c.project_id, changesets.c.revision)
    .where(*in_projects(changesets), changesets.c.changed_at <= bindparam("now"))
    .order_by(*_last_first(changesets.c.changed_at, changesets.c.project_id, changesets.c.revision))
    .limit(inline_literal("wanted"))
    .subquery("committed")
)

_COMMITS = _with_texts(_CHANGESETS, changesets, _committed, "changed_at")


@dataclass(frozen=True)
class Filter:
    """Which activities are wanted: in which projects, and if set, of which kind and by whom.

    Those of a person are found among the ``among`` latest ones, so that no search reads everything.
    """

    project_ids: SeenIds
    kind: str = ""
    user_id: int | None = None
    among: int = 0


def latest(transaction: Transaction, wanted: Filter, most: int) -> list[Activity]:
    """Return the latest activities, newest first, at most as many."""
    return [shape.record(row, transaction) for shape, row in latest_rows(transaction, wanted, most)]


def latest_rows(transaction: Transaction, wanted: Filter, most: int) -> list[Pair]:
    """Return the rows of the latest activities, each with its shape."""
    reach = max(most, wanted.among) if wanted.user_id else most
    common = {"project_ids": wanted.project_ids, "wanted": reach}
    reading: Mapping[Shape[Activity], Callable[[], list[Row]]] = {
        TICKETS: lambda: _changes(transaction, wanted.project_ids, reach),
        _MESSAGES: lambda: transaction.all(_POSTS, **common),
        _CHANGESETS: lambda: transaction.all(_COMMITS, now=transaction.now, **common),
    }
    read = {
        shape: rows()
        for (shape, rows), kind in zip(reading.items(), KINDS, strict=True)
        if wanted.kind in ("", kind)
    }
    # Sorted before timestamps are rounded to seconds.
    when, who = TICKETS.place["happened_at"], TICKETS.place["user_id"]
    pairs = [(shape, row) for shape, rows in read.items() for row in rows]
    pairs.sort(key=lambda pair: pair[1][when], reverse=True)
    return [pair for pair in pairs[:reach] if wanted.user_id in (None, pair[1][who])][:most]


def _changes(transaction: Transaction, project_ids: SeenIds, wanted: int) -> list[Row]:
    """Read more and more tickets, until none of the others can have newer activities."""
    reach = wanted
    while True:
        oldest = transaction.one(_OLDEST_REACHED, project_ids=project_ids, before=reach - 1)
        since = {
            f"since_{column.name}": value for column, value in zip(_PLACE, oldest or (0, 0, 0), strict=True)
        }
        rows = transaction.all(_VERSIONS, project_ids=project_ids, reach=reach, wanted=wanted, **since)
        if len(rows) == wanted or not oldest:
            return rows
        reach *= 4
