"""Rows of bulk edits."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, exists, insert, or_, select, update

from skerry.chunks import chunks
from skerry.database.statements import OneOf, Statement, in_account, in_project, matching, not_by_index
from skerry.database.transactions import Transaction
from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.tickets import FLAGS, VALUES, Ticket
from skerry.store.counts import counters
from skerry.store.projects import VISIBLE_IDS, Visibility
from skerry.store.table_rows import Rows
from skerry.store.tables import bulk_edit_tickets, bulk_edits, tickets, users, versions
from skerry.store.ticket_rows.batches import AT_ONCE
from skerry.wire.record import changed

NO_VERSION = 0
"""The version number stored for a ticket that an undo could not change."""


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

ROWS = Rows(
    BulkEdit,
    bulk_edits,
    columns={"undone_by": _later.c.id, "user_name": users.c.name},
    hidden=("private",),
    source=bulk_edits.join(users, users.c.id == bulk_edits.c.user_id).outerjoin(
        _later, matching(_later, bulk_edits, undoes="id")
    ),
)

_OF_EDIT = and_(in_account(bulk_edit_tickets), bulk_edit_tickets.c.bulk_edit_id == bindparam("bulk_edit_id"))

_PARTS = Statement(
    select(*ROWS.shape.columns)
    .select_from(ROWS.source)
    .where(
        in_account(bulk_edits),
        bulk_edits.c.part_of == bindparam("part_of"),
        not_by_index(bulk_edits.c.project_id).in_(VISIBLE_IDS),
        or_(bulk_edits.c.moved_to.is_(None), bulk_edits.c.moved_to.in_(VISIBLE_IDS)),
    )
    .order_by(not_by_index(bulk_edits.c.project_id))
)

_TOUCHED_BY_PARTS = Statement(
    select(
        bulk_edit_tickets.c.bulk_edit_id,
        bulk_edit_tickets.c.number,
        bulk_edit_tickets.c.version,
        bulk_edit_tickets.c.new_number,
    )
    .where(in_account(bulk_edit_tickets), OneOf(bulk_edit_tickets.c.bulk_edit_id, "bulk_edit_ids"))
    .order_by(bulk_edit_tickets.c.bulk_edit_id, bulk_edit_tickets.c.number)
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
    .where(in_project(versions), OneOf(versions.c.number, "numbers"), versions.c.diffable_attributes != "{}")
    .order_by(versions.c.number, versions.c.version)
)

_OPEN_TICKETS = Statement(
    select(tickets.c.number)
    .where(in_project(tickets), tickets.c.closed == 0, tickets.c.assigned_user_id == bindparam("of_user"))
    .order_by(tickets.c.number)
)

_INSERT = Statement(insert(bulk_edits))

_its_tickets = and_(in_account(bulk_edit_tickets), bulk_edit_tickets.c.bulk_edit_id == bulk_edits.c.id)
_HIDE = (
    Statement(
        update(bulk_edits)
        .where(
            in_project(bulk_edits), exists().where(_its_tickets, OneOf(bulk_edit_tickets.c.number, "numbers"))
        )
        .values(private=1)
    ),
    Statement(
        update(bulk_edits)
        .where(
            in_account(bulk_edits),
            bulk_edits.c.moved_to == bindparam("project_id"),
            exists().where(_its_tickets, OneOf(bulk_edit_tickets.c.new_number, "numbers")),
        )
        .values(private=1)
    ),
)

_TOUCH = Statement(insert(bulk_edit_tickets))


def one(transaction: Transaction, project_id: int, bulk_edit_id: int) -> BulkEdit | None:
    """Return a bulk edit of a project with the numbers of its tickets."""
    edit = ROWS.one(transaction, project_id, bulk_edit_id)
    if edit is None:
        return None
    return _with_numbers(edit, transaction.all(_TOUCHED, bulk_edit_id=bulk_edit_id))


def parts(transaction: Transaction, visibility: Visibility, part_of: int) -> list[BulkEdit]:
    """Return the visible parts of a bulk edit over several projects, with the numbers of their tickets."""
    parts = ROWS.shape.all(transaction, _PARTS, part_of=part_of, **visibility._asdict())
    rows: dict[int, list[Sequence[Any]]] = {edit.id or 0: [] for edit in parts}
    for ids in chunks(rows, AT_ONCE):
        for bulk_edit_id, *row in transaction.all(_TOUCHED_BY_PARTS, bulk_edit_ids=ids):
            rows[bulk_edit_id].append(row)
    return [_with_numbers(edit, rows[edit.id or 0]) for edit in parts]


def _with_numbers(edit: BulkEdit, rows: Iterable[Sequence[Any]]) -> BulkEdit:
    rows = list(rows)
    touched = [row for row in rows if row[1] != NO_VERSION]
    return changed(
        edit,
        count=len(touched),
        # Dry runs are not stored.
        dry_run=False,
        left_numbers=[number for number, version, _ in rows if version == NO_VERSION],
        numbers=[number for number, _, _ in touched],
        new_numbers=[new for _, _, new in touched if new is not None],
    )


def open_tickets_of(transaction: Transaction, project_id: int, user_id: int) -> list[int]:
    """Return the numbers of the open tickets of a project assigned to a person."""
    return [row[0] for row in transaction.all(_OPEN_TICKETS, project_id=project_id, of_user=user_id)]


def next_id(transaction: Transaction) -> int:
    """Return the id of the next bulk edit."""
    return counters.next_id(transaction, "bulk_edits")


def add(transaction: Transaction, bulk_edit_id: int, touched: Iterable[Touched], **values: Any) -> None:
    """Add a bulk edit under its id, with its tickets."""
    transaction.run(_INSERT, id=bulk_edit_id, created_at=transaction.now, private=0, **values)
    transaction.run_many(_TOUCH, [{"bulk_edit_id": bulk_edit_id, **each.__dict__} for each in touched])


def hide(transaction: Transaction, project_id: int, numbers: Collection[int]) -> None:
    """Hide the bulk edits that changed some private tickets from guests, before the tickets go elsewhere."""
    for some in chunks(numbers, AT_ONCE):
        for statement in _HIDE:
            transaction.run(statement, project_id=project_id, numbers=some)


def versions_made(transaction: Transaction, edit: BulkEdit) -> dict[int, int]:
    """Return the versions that a bulk edit added, by the numbers that the tickets had."""
    return {number: version for number, version, _ in transaction.all(_TOUCHED, bulk_edit_id=edit.id)}


def undoable(transaction: Transaction, edit: BulkEdit) -> list[Undoable]:
    """Return the changes of a bulk edit to the tickets that are still in the project where it left them."""
    touched = transaction.all(_TOUCHED, bulk_edit_id=edit.id)
    made = {new or number: version for number, version, new in touched}
    project_id = edit.moved_to or edit.project_id
    old: dict[int, tuple[dict[str, Any], Ticket]] = {}
    since: dict[int, set[str]] = {}
    for numbers in chunks(made, AT_ONCE):
        rows = transaction.all(_CHANGES, project_id=project_id, numbers=numbers)
        for number, version, difference, *values in rows:
            if version == made[number]:
                left = dict(zip(VALUES, values, strict=True))
                ticket = Ticket(**{**left, **{name: bool(left[name]) for name in FLAGS}})
                old[number] = json.loads(difference), ticket
            elif version > made[number]:
                since.setdefault(number, set()).update(json.loads(difference))
    return [Undoable(number, *rows, since.get(number, set())) for number, rows in old.items()]
