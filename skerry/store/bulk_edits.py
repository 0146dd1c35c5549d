"""Rows of bulk edits."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, insert, select

from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.tickets import VALUES, Ticket
from skerry.store.counts import counters
from skerry.store.engine.chunks import chunks
from skerry.store.engine.rows import Shape
from skerry.store.engine.statements import OneOf, Statement, in_project
from skerry.store.engine.tables import bulk_edit_tickets, bulk_edits, tickets, users, versions
from skerry.store.engine.transactions import Transaction
from skerry.store.ticket_rows.batches import AT_ONCE
from skerry.wire.record import changed


@dataclass(frozen=True)
class Touched:
    """A ticket that a bulk edit changed: the new version, and the new number if it was moved."""

    number: int
    version: int
    new_number: int | None = None


@dataclass(frozen=True)
class Undoable:
    """The changes of a bulk edit to a ticket that still has the version: the old values by name.

    ``left`` are the values after the edit, ``changed_since`` the names of values that later versions changed
    again.
    """

    number: int
    old: dict[str, Any]
    left: Ticket
    changed_since: set[str]


_later = bulk_edits.alias("later")

_SHAPE = Shape(
    BulkEdit,
    {
        **{column.name: column for column in bulk_edits.c if column.name != "account_id"},
        "undone_by": _later.c.id,
        "user_name": users.c.name,
    },
)

_ONE = Statement(
    select(*_SHAPE.columns)
    .select_from(
        bulk_edits.join(users, users.c.id == bulk_edits.c.user_id).outerjoin(
            _later, (_later.c.account_id == bulk_edits.c.account_id) & (_later.c.undoes == bulk_edits.c.id)
        )
    )
    .where(in_project(bulk_edits), bulk_edits.c.id == bindparam("bulk_edit_id"))
)

# A concurrent undo of the same edit waits for this lock, and then finds the edit undone.
_LOCK = Statement(
    select(bulk_edits.c.id)
    .where(in_project(bulk_edits), bulk_edits.c.id == bindparam("bulk_edit_id"))
    .with_for_update()
)

_OF_EDIT = and_(
    bulk_edit_tickets.c.account_id == bindparam("account_id"),
    bulk_edit_tickets.c.bulk_edit_id == bindparam("bulk_edit_id"),
)

_TOUCHED = Statement(
    select(bulk_edit_tickets.c.number, bulk_edit_tickets.c.version, bulk_edit_tickets.c.new_number)
    .where(_OF_EDIT)
    .order_by(bulk_edit_tickets.c.number)
)


_CHANGES = Statement(
    select(
        versions.c.number,
        versions.c.version,
        versions.c.diffable_attributes,
        *(versions.c[name] for name in VALUES),
    )
    .where(
        in_project(versions),
        OneOf(versions.c.number, "numbers"),
        versions.c.diffable_attributes != "{}",
    )
    .order_by(versions.c.number, versions.c.version)
)

_OPEN_TICKETS = Statement(
    select(tickets.c.number)
    .where(in_project(tickets), tickets.c.closed == 0, tickets.c.assigned_user_id == bindparam("of_user"))
    .order_by(tickets.c.number)
)

_INSERT = Statement(insert(bulk_edits))

_TOUCH = Statement(insert(bulk_edit_tickets))


def one(transaction: Transaction, project_id: int, bulk_edit_id: int) -> BulkEdit | None:
    """Return a bulk edit of a project with the numbers of its tickets."""
    row = transaction.one(_ONE, project_id=project_id, bulk_edit_id=bulk_edit_id)
    if row is None:
        return None
    touched = transaction.all(_TOUCHED, bulk_edit_id=bulk_edit_id)
    return changed(
        _SHAPE.record(row, transaction),
        count=len(touched),
        # Dry runs are not stored.
        dry_run=False,
        numbers=[number for number, _, _ in touched],
        new_numbers=[new for _, _, new in touched if new is not None],
    )


def lock(transaction: Transaction, project_id: int, bulk_edit_id: int) -> None:
    """Lock a bulk edit against a concurrent undo until the end."""
    transaction.one(_LOCK, project_id=project_id, bulk_edit_id=bulk_edit_id)


def open_tickets_of(transaction: Transaction, project_id: int, user_id: int) -> list[int]:
    """Return the numbers of the open tickets of a project assigned to a person."""
    return [row[0] for row in transaction.all(_OPEN_TICKETS, project_id=project_id, of_user=user_id)]


def next_id(transaction: Transaction) -> int:
    """Return the id of the next bulk edit."""
    return counters.next_id(transaction, "bulk_edits")


def add(transaction: Transaction, bulk_edit_id: int, touched: Iterable[Touched], **values: Any) -> None:
    """Add a bulk edit under its id, with its tickets."""
    transaction.run(_INSERT, id=bulk_edit_id, created_at=transaction.now, **values)
    transaction.run_many(_TOUCH, [{"bulk_edit_id": bulk_edit_id, **each.__dict__} for each in touched])


def undoable(transaction: Transaction, edit: BulkEdit) -> list[Undoable]:
    """Return the changes of a bulk edit to the tickets that are still in its project, by number."""
    made = {number: version for number, version, _ in transaction.all(_TOUCHED, bulk_edit_id=edit.id)}
    old: dict[int, tuple[dict[str, Any], Ticket]] = {}
    since: dict[int, set[str]] = {}
    for numbers in chunks(made, AT_ONCE):
        found = transaction.all(_CHANGES, project_id=edit.project_id, numbers=numbers)
        for number, version, difference, *values in found:
            if version == made[number]:
                left = dict(zip(VALUES, values, strict=True))
                ticket = Ticket(**{**left, "closed": bool(left["closed"])})
                old[number] = json.loads(difference), ticket
            elif version > made[number]:
                since.setdefault(number, set()).update(json.loads(difference))
    return [Undoable(number, *found, since.get(number, set())) for number, found in old.items()]
