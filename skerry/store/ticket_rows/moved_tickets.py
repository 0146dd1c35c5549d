"""Former addresses of moved tickets, each with the present one."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import and_, bindparam, insert, select, update

from skerry.chunks import chunks
from skerry.database.statements import OneOf, Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.store import projects as project_store
from skerry.store.projects import Visibility
from skerry.store.tables import moved_tickets, project_counters, tickets


class Place(NamedTuple):
    """The address of a ticket."""

    project_id: int
    number: int


_PRESENT = (moved_tickets.c.new_project_id, moved_tickets.c.new_number)
_AT = and_(in_account(moved_tickets), moved_tickets.c.new_project_id == bindparam("project_id"))

_MOVED = Statement(
    select(moved_tickets.c.number, *_PRESENT).where(
        in_project(moved_tickets), OneOf(moved_tickets.c.number, "numbers")
    )
)
# Checked in the same statement, so that a hidden ticket takes as long as one that never existed.
_VISIBLE = Statement(
    select(*_PRESENT).where(
        in_project(moved_tickets),
        moved_tickets.c.number == bindparam("number"),
        moved_tickets.c.new_project_id.in_(project_store.VISIBLE_IDS),
    )
)
_FORMER = Statement(
    select(moved_tickets.c.new_number, moved_tickets.c.project_id, moved_tickets.c.number)
    .where(_AT, OneOf(moved_tickets.c.new_number, "numbers"))
    .order_by(moved_tickets.c.new_number, moved_tickets.c.step)
)
_FOLLOW = Statement(
    update(moved_tickets)
    .where(_AT, moved_tickets.c.new_number == bindparam("old_number"))
    .values(new_project_id=bindparam("into_project_id"), new_number=bindparam("into_number"))
)
_INSERT = Statement(insert(moved_tickets))
_TICKETS = Statement(select(tickets.c.number).where(in_project(tickets), OneOf(tickets.c.number, "numbers")))
_RAISE = Statement(
    update(project_counters)
    .where(in_project(project_counters), project_counters.c.last_number < bindparam("least"))
    .values(last_number=bindparam("least"))
)

_AT_ONCE = 1000


def visible(transaction: Transaction, project_id: int, number: int, visibility: Visibility) -> Place | None:
    """Return where a ticket was moved to, if it was moved and a user can see the project."""
    row = transaction.one(_VISIBLE, project_id=project_id, number=number, **visibility._asdict())
    return Place(*row) if row else None


def moved(transaction: Transaction, project_id: int, numbers: Iterable[int]) -> dict[int, Place]:
    """Return the present places of those tickets that were moved out of a project, by their old numbers."""
    rows = transaction.all(_MOVED, project_id=project_id, numbers=sorted(numbers))
    return {number: Place(*place) for number, *place in rows}


def present(transaction: Transaction, project_id: int, number: int) -> Place:
    """Return the present place of a ticket, given any address that it ever had."""
    return moved(transaction, project_id, [number]).get(number, Place(project_id, number))


def former(transaction: Transaction, project_id: int, numbers: Iterable[int]) -> dict[int, list[Place]]:
    """Return the former places of those tickets that were moved into a project, the first one first."""
    places: dict[int, list[Place]] = {}
    for number, *place in transaction.all(_FORMER, project_id=project_id, numbers=sorted(numbers)):
        places.setdefault(number, []).append(Place(*place))
    return places


def origin(transaction: Transaction, project_id: int, number: int) -> Place:
    """Return the first place of a ticket, by which mail identifies it."""
    return former(transaction, project_id, [number]).get(number, [Place(project_id, number)])[0]


def add(transaction: Transaction, project_id: int, into: int, numbers: Mapping[int, int]) -> None:
    """Record that tickets were moved from one project ``into`` another; all former places lead there."""
    before = former(transaction, project_id, numbers)
    followed = [
        {"project_id": project_id, "old_number": old, "into_project_id": into, "into_number": numbers[old]}
        for old in before
    ]
    transaction.run_many(_FOLLOW, followed)
    left = ((Place(project_id, old), Place(into, new)) for old, new in numbers.items())
    insert_all(transaction, ((old, new, len(before.get(old.number, ())) + 1) for old, new in left))


def restore(transaction: Transaction, project_id: int, rows: Iterable[tuple[int, Place, int]]) -> None:
    """Add former places in a project, by number, unless the number was given to another ticket meanwhile.

    The numbers are not given again.
    """
    former = {number: (place, step) for number, place, step in rows}
    transaction.run(_RAISE, project_id=project_id, least=max(former))
    for numbers in chunks(sorted(former), _AT_ONCE):
        taken = {row[0] for row in transaction.all(_TICKETS, project_id=project_id, numbers=numbers)}
        taken |= moved(transaction, project_id, numbers).keys()
        free = [number for number in numbers if number not in taken]
        insert_all(transaction, ((Place(project_id, number), *former[number]) for number in free))


def insert_all(transaction: Transaction, rows: Iterable[tuple[Place, Place, int]]) -> None:
    """Add former places, each with the present one and its step."""
    transaction.run_many(
        _INSERT,
        [
            {**old._asdict(), "new_project_id": new.project_id, "new_number": new.number, "step": step}
            for old, new, step in rows
        ],
    )
