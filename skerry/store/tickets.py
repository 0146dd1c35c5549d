"""Rows of tickets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, and_, bindparam, delete, func, select, update

from skerry.database import rows
from skerry.database.rows import Shape
from skerry.database.statements import Statement, in_project, insert_into
from skerry.database.transactions import Transaction
from skerry.resources.tickets import VALUES, Ticket
from skerry.store import associations, ticket_names
from skerry.store.tables import tickets
from skerry.wire import budget
from skerry.wire.record import UNSET, changed, fields_of

_STORED = {
    field.name: tickets.c[field.name]
    for field in fields_of(Ticket)
    if field.name in tickets.c and field.default is not UNSET
}


@dataclass(frozen=True)
class LockedTicket:
    """A locked ticket without names, its last version number, and its row as stored."""

    ticket: Ticket
    last_version: int
    stored: Mapping[str, Any]


SHAPE = Shape(
    Ticket,
    {
        **_STORED,
        "body_edited_by_name": ticket_names.name_in(tickets.c.body_edited_by),
        "priority": tickets.c.importance,
        **ticket_names.COLUMNS,
        **ticket_names.DUE_ON,
        **ticket_names.levels_in(tickets),
    },
    finish=ticket_names.finish,
)
NAMES_BEGIN = SHAPE.place["user_name"]

IN_PROJECT = in_project(tickets)
BY_KEY = and_(IN_PROJECT, tickets.c.number == bindparam("number"))
WITH_NAMES = ticket_names.joined(tickets, tickets)


_ONE = Statement(select(*SHAPE.columns).select_from(WITH_NAMES).where(BY_KEY))

_ORIGINAL_BODY = Statement(select(tickets.c.original_body).where(BY_KEY))

_OPENING = Statement(
    select(func.substr(tickets.c.original_body, 1, bindparam("most", type_=Integer))).where(BY_KEY)
)

# The names are read after the row is locked, so that only the ticket's own row is locked.
_LOCK = Statement(select(tickets.c.number).where(BY_KEY).with_for_update())

_LOCKED = ("last_version", *_STORED)

_LOCK_WHOLE = Statement(select(*(tickets.c[name] for name in _LOCKED)).where(BY_KEY).with_for_update())

# Empty in new tickets.
_EDITED = ("original_body", "body_edited_at", "body_edited_by", "revision")

_INSERT = Statement(insert_into(tickets, without=_EDITED))

_CHANGEABLE = (
    *VALUES,
    "attachments_count",
    "user_id",
    "version",
    "last_version",
    "updated_at",
    "watchers_ids",
)


def _updating(names: Iterable[str]) -> Statement:
    return Statement(update(tickets).where(BY_KEY).values({name: bindparam(f"new_{name}") for name in names}))


_UPDATE = _updating(_CHANGEABLE)

# SQLite rewrites an index if one of its columns is set, even to the same value.
_UPDATE_IN_MILESTONE = _updating(name for name in _CHANGEABLE if name != "milestone_id")

_EDIT = Statement(
    update(tickets)
    .where(BY_KEY)
    .values(
        body=bindparam("new_body"),
        body_html=bindparam("new_body_html"),
        original_body=bindparam("new_original_body"),
        body_edited_at=bindparam("now"),
        body_edited_by=bindparam("editor_id"),
    )
)

# NULL stands for a text that was never edited.
_FORGET_ORIGINAL = Statement(update(tickets).where(BY_KEY).values(original_body=""))

_WATCH = Statement(update(tickets).where(BY_KEY).values(watchers_ids=bindparam("new_watchers_ids")))

_DISCOUNT = Statement(
    update(tickets).where(BY_KEY).values(attachments_count=tickets.c.attachments_count - bindparam("files"))
)

_DELETE = Statement(delete(tickets).where(BY_KEY))


def one(transaction: Transaction, project_id: int, number: int) -> Ticket | None:
    """Return a ticket of a project without its versions."""
    return SHAPE.one(transaction, _ONE, project_id=project_id, number=number)


def original_body(transaction: Transaction, ticket: Ticket) -> str:
    """Return the opening text as first written."""
    kept = transaction.value(_ORIGINAL_BODY, project_id=ticket.project_id, number=ticket.number)
    return ticket.body if kept is None else str(kept)


def with_opening(transaction: Transaction, ticket: Ticket, most: int) -> Ticket:
    """Return a ticket with its original opening text, cut to the given number of characters."""
    row = transaction.one(_OPENING, project_id=ticket.project_id, number=ticket.number, most=most + 1)
    opening = ticket.body if row is None or row[0] is None else str(row[0])
    if len(opening) > most:
        opening = budget.shortened(opening, most)
    return changed(ticket, original_body=opening, latest_body=opening)


def lock(transaction: Transaction, project_id: int, number: int) -> None:
    """Lock a ticket until the transaction ends."""
    transaction.one(_LOCK, project_id=project_id, number=number)


def locked(transaction: Transaction, project_id: int, number: int) -> LockedTicket | None:
    """Lock a ticket until the end of the transaction and return it."""
    row = transaction.one(_LOCK_WHOLE, project_id=project_id, number=number)
    if row is None:
        return None
    stored = dict(zip(_LOCKED, row, strict=True))
    return LockedTicket(SHAPE.of(stored, transaction), stored["last_version"], stored)


def add(transaction: Transaction, *, watchers_ids: list[int], **values: Any) -> Ticket:
    """Add a ticket with its watchers, and return it."""
    values["watchers_ids"] = rows.written(watchers_ids)
    transaction.run(_INSERT, **values)
    associations.add_watchers(transaction, values["project_id"], {values["number"]: watchers_ids})
    return _made(transaction, values)


def change(
    transaction: Transaction, locked: LockedTicket, *, watchers_ids: list[int], **values: Any
) -> Ticket:
    """Set a ticket's values and watchers, and return the changed ticket."""
    ticket = locked.ticket
    values["watchers_ids"] = rows.written(watchers_ids)
    new = {f"new_{name}": value for name, value in values.items()}
    stays = values["milestone_id"] == locked.stored["milestone_id"]
    statement = _UPDATE_IN_MILESTONE if stays else _UPDATE
    transaction.run(statement, project_id=ticket.project_id, number=ticket.number, **new)
    associations.change_watchers(transaction, ticket, watchers_ids)
    return _made(transaction, {**locked.stored, **values})


def _made(transaction: Transaction, stored: Mapping[str, Any]) -> Ticket:
    """Return a ticket whose row is known."""
    shown = {**stored, "priority": stored["importance"], **ticket_names.of(transaction, stored)}
    if stored.get("body_edited_by"):
        shown["body_edited_by_name"] = ticket_names.name_of(transaction, stored["body_edited_by"])
    return SHAPE.of(shown, transaction)


def edit(transaction: Transaction, ticket: Ticket, body: str, body_html: str, *, editor_id: int) -> None:
    """Replace a ticket's opening text; the original text is kept."""
    transaction.run(
        _EDIT,
        project_id=ticket.project_id,
        number=ticket.number,
        new_body=body,
        new_body_html=body_html,
        new_original_body=original_body(transaction, ticket),
        editor_id=editor_id,
        now=transaction.now,
    )


def forget_original(transaction: Transaction, project_id: int, number: int) -> None:
    """Empty the original opening text of a ticket."""
    transaction.run(_FORGET_ORIGINAL, project_id=project_id, number=number)


def watch(transaction: Transaction, ticket: Ticket, user_ids: Iterable[int]) -> None:
    """Add watchers to a locked ticket."""
    project_id, number = ticket.project_id or 0, ticket.number or 0
    watching = rows.written(sorted({*ticket.watchers_ids, *user_ids}))
    transaction.run(_WATCH, project_id=project_id, number=number, new_watchers_ids=watching)
    associations.add_watchers(transaction, project_id, {number: user_ids})


def unwatch(transaction: Transaction, ticket: Ticket, user_id: int) -> None:
    """Remove a watcher from a locked ticket."""
    left = [each for each in ticket.watchers_ids if each != user_id]
    key = {"project_id": ticket.project_id, "number": ticket.number}
    transaction.run(_WATCH, **key, new_watchers_ids=rows.written(left))
    associations.change_watchers(transaction, ticket, left)


def discount(transaction: Transaction, project_id: int, number: int, files: int) -> None:
    """Reduce a ticket's count of files."""
    transaction.run(_DISCOUNT, project_id=project_id, number=number, files=files)


def remove(transaction: Transaction, project_id: int, number: int) -> None:
    """Remove a ticket with everything that belongs to it."""
    transaction.run(_DELETE, project_id=project_id, number=number)
