"""Batches of tickets of one project: locked, changed and given versions together."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select, update

from skerry.chunks import chunks
from skerry.database import rows
from skerry.database.statements import OneOf, Statement, in_project
from skerry.database.transactions import Transaction
from skerry.resources.tickets import FLAGS, VALUES, Ticket
from skerry.store.tables import tickets
from skerry.store.versions import INSERT

AT_ONCE = 1000
"""How many tickets one statement names; SQLite accepts at most 32,766 values."""

_SHOWN = ("number", *VALUES, "attachments_count", "watchers_ids")

_LOCKED = (*_SHOWN, "last_version", "updated_at")

_IN_PROJECT = in_project(tickets)

_THOSE = (
    select(*(tickets.c[name] for name in _LOCKED))
    .where(_IN_PROJECT, OneOf(tickets.c.number, "numbers"))
    .order_by(tickets.c.number)
)
_LOOK, _LOCK = Statement(_THOSE), Statement(_THOSE.with_for_update())

_CHANGED = (*VALUES, "user_id", "version", "last_version", "updated_at", "watchers_ids")

_UPDATE = Statement(
    update(tickets)
    .where(_IN_PROJECT, tickets.c.number == bindparam("number_held"))
    .values({name: bindparam(name) for name in _CHANGED})
)


@dataclass(frozen=True)
class BatchedTicket:
    """A ticket that is locked until the transaction ends.

    Of the ``ticket``, only the number, the recorded fields, the count of files and the watchers are set.
    ``updated_at`` is in microseconds since 1970.
    """

    ticket: Ticket
    last_version: int
    updated_at: int

    @property
    def number(self) -> int:
        """The ticket's number."""
        return self.ticket.number or 0


def lock(transaction: Transaction, project_id: int, numbers: Iterable[int]) -> list[BatchedTicket]:
    """Lock tickets until the end of the transaction; return those that exist, by number.

    Tickets are always locked in this order, which prevents deadlocks.
    """
    return _read(transaction, _LOCK, project_id, numbers)


def look(transaction: Transaction, project_id: int, numbers: Iterable[int]) -> list[BatchedTicket]:
    """Return the tickets that exist, by number, as ``lock`` does but without locks."""
    return _read(transaction, _LOOK, project_id, numbers)


def _read(
    transaction: Transaction, statement: Statement, project_id: int, numbers: Iterable[int]
) -> list[BatchedTicket]:
    tickets_read: list[BatchedTicket] = []
    for some in chunks(sorted(set(numbers)), AT_ONCE):
        for row in transaction.all(statement, project_id=project_id, numbers=some):
            values = dict(zip(_LOCKED, row, strict=True))
            values |= {name: bool(values[name]) for name in FLAGS}
            values["watchers_ids"] = rows.numbers(values["watchers_ids"])
            ticket = Ticket(**{name: values[name] for name in _SHOWN})
            tickets_read.append(BatchedTicket(ticket, values["last_version"], values["updated_at"]))
    return tickets_read


def change(transaction: Transaction, project_id: int, changed: Iterable[Mapping[str, Any]]) -> None:
    """Set all the values of tickets that a version records, with number, watchers and time."""
    transaction.run_many(
        _UPDATE,
        [
            {
                **values,
                "project_id": project_id,
                "number_held": values["number"],
                "watchers_ids": rows.written(values["watchers_ids"]),
            }
            for values in changed
        ],
    )


def add_versions(
    transaction: Transaction,
    project_id: int,
    added: Iterable[Mapping[str, Any]],
    timestamps: Mapping[int, int],
) -> None:
    """Add versions of tickets; their times are given by ticket number."""
    transaction.run_many(
        INSERT,
        [
            {
                **values,
                "project_id": project_id,
                "diffable_attributes": json.dumps(values["diffable_attributes"], ensure_ascii=False),
                "watchers_ids": rows.written(values["watchers_ids"]),
                "created_at": timestamps[values["number"]],
                "updated_at": timestamps[values["number"]],
            }
            for values in added
        ],
    )
