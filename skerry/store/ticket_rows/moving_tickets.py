"""Moving of tickets to another project, with everything that belongs to them."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import and_, bindparam, delete, insert, select, update

from skerry.database.statements import OneOf, Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.store.tables import (
    attachments,
    backlinks,
    claims,
    mail_changes,
    mutes,
    notifications,
    taggings,
    ticket_links,
    tickets,
    version_texts,
    versions,
    watchers,
)
from skerry.store.ticket_rows import moved_tickets

_NEW: dict[str, Any] = {"project_id": bindparam("new_project_id"), "number": bindparam("new_number")}


def _this(table: Any) -> Any:
    return and_(in_project(table), table.c.number == bindparam("old_number"))


def _copied() -> Statement:
    """Select the row of a ticket under its new key."""
    names = [column.name for column in tickets.c]
    new = {
        "project_id": bindparam("new_project_id", type_=tickets.c.project_id.type),
        "number": bindparam("new_number", type_=tickets.c.number.type),
    }
    columns = [new.get(name, tickets.c[name]) for name in names]
    return Statement(insert(tickets).from_select(names, select(*columns).where(_this(tickets))))


_COPY = _copied()

# The names of the old project's milestones must not be visible in the new one.
_MOVE_VERSIONS = Statement(update(versions).where(_this(versions)).values(**_NEW, milestone_id=None))
_CHANGED = Statement(
    select(versions.c.number, versions.c.version, versions.c.diffable_attributes).where(
        in_project(versions),
        OneOf(versions.c.number, "numbers"),
        versions.c.diffable_attributes.contains('"milestone"'),
    )
)
_FORGET_MILESTONE = Statement(
    update(versions)
    .where(_this(versions), versions.c.version == bindparam("of_version"))
    .values(diffable_attributes=bindparam("without"))
)
_MOVE = tuple(
    Statement(update(table).where(_this(table)).values(**_NEW))
    for table in (
        taggings,
        watchers,
        attachments,
        notifications,
        mutes,
        mail_changes,
        version_texts,
        ticket_links,
        backlinks,
        claims,
    )
)
# The other tickets keep their links to those that move.
_MOVE_OTHER_ENDS = Statement(
    update(ticket_links)
    .where(
        in_account(ticket_links),
        ticket_links.c.other_project_id == bindparam("project_id"),
        ticket_links.c.other_number == bindparam("old_number"),
    )
    .values(other_project_id=bindparam("new_project_id"), other_number=bindparam("new_number"))
)
_MOVE_NAMED = Statement(
    update(backlinks)
    .where(
        in_account(backlinks),
        backlinks.c.to_project_id == bindparam("project_id"),
        backlinks.c.to_number == bindparam("old_number"),
    )
    .values(to_project_id=bindparam("new_project_id"), to_number=bindparam("new_number"))
)
_REMOVE = Statement(delete(tickets).where(_this(tickets)))


def move(transaction: Transaction, project_id: int, new_project_id: int, numbers: Mapping[int, int]) -> None:
    """Move tickets to another project under new numbers.

    The new project must have counted the numbers already. Milestones are removed, also from versions.
    """
    moved = [
        {"project_id": project_id, "old_number": old, "new_project_id": new_project_id, "new_number": new}
        for old, new in numbers.items()
    ]
    transaction.run_many(_COPY, moved)
    moved_tickets.add(transaction, project_id, new_project_id, numbers)
    for statement in (_MOVE_VERSIONS, *_MOVE, _MOVE_OTHER_ENDS, _MOVE_NAMED, _REMOVE):
        transaction.run_many(statement, moved)
    _forget_milestones(transaction, new_project_id, list(numbers.values()))


def _forget_milestones(transaction: Transaction, project_id: int, numbers: list[int]) -> None:
    """Remove the ids of the old project's milestones from the changes in versions."""
    changed = []
    for number, version, text in transaction.all(_CHANGED, project_id=project_id, numbers=numbers):
        kept = {name: value for name, value in json.loads(text).items() if name != "milestone"}
        without = json.dumps(kept, ensure_ascii=False)
        changed.append(
            {"project_id": project_id, "old_number": number, "of_version": version, "without": without}
        )
    transaction.run_many(_FORGET_MILESTONE, changed)
