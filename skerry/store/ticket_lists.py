"""Lists of tickets: which they are is always asked; what is as it was when it was read is not read again."""

from collections.abc import Hashable, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import select

from skerry.resources.tickets import Ticket
from skerry.store import ticket_names, ticket_pages, tickets
from skerry.store.statements import OneOf, Row, Statement
from skerry.store.tables import tickets as table
from skerry.store.ticket_names import Names, in_row
from skerry.store.ticket_pages import Key
from skerry.store.transactions import Transaction

Look = tuple[int, int, tuple[str | int | None, ...]]
"""A revision, the moment when it was made, and the names that are shown with it."""

LONGEST = 20_000
"""The characters of a ticket's texts, its tags and watchers among them, with which it is still kept."""

SHORTEST = 1_000
"""For how many characters a ticket counts beside its texts."""

_UNKNOWN: tuple[Look | None, Any] = (None, None)

_READ = Statement(
    select(*tickets.SHAPE.columns[: tickets.NAMES_BEGIN], table.c.revision).where(
        tickets.IN_PROJECT, OneOf(table.c.number, "numbers")
    )
)
_NAMED = itemgetter(*tickets.SHAPE.places("user_id", "creator_id", "assigned_user_id", "milestone_id"))
_NUMBER, _CHANGED = tickets.SHAPE.places("number", "updated_at")


def of_project(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Ticket]:
    """Give a page of a project's tickets, the last changed first."""
    found = transaction.all(ticket_pages.OF_PROJECT, project_id=project_id, limit=limit, offset=offset)
    return marked(transaction, found)


def of_projects(transaction: Transaction, project_ids: list[int], *, limit: int, offset: int) -> list[Ticket]:
    """Give a page of the tickets of some projects, the last changed first."""
    if len(project_ids) == 1:
        return of_project(transaction, project_ids[0], limit=limit, offset=offset)
    found = transaction.all(ticket_pages.OF_PROJECTS, project_ids=project_ids, limit=limit, offset=offset)
    return marked(transaction, found)


def those(transaction: Transaction, keys: Sequence[Key]) -> list[Ticket]:
    """Give the tickets of some projects and numbers, in the same order; those that are gone are left out."""
    return marked(transaction, ticket_pages.marks_of(transaction, keys))


def marked(transaction: Transaction, marks: Sequence[Row]) -> list[Ticket]:
    """Give the tickets that have these marks, in the same order."""
    if not marks:
        return []
    names = ticket_names.of_all(transaction, [mark[4:] for mark in marks])
    known, here = transaction.known_tickets, (transaction.account_id, transaction.base)
    found: dict[Key, Ticket] = {}
    unread: dict[int, list[int]] = {}
    for project_id, number, revision, changed_at, *named in marks:
        look, ticket = known.get((here, project_id, number), _UNKNOWN)
        if look == (revision, changed_at, in_row(names, named)):
            found[project_id, number] = ticket
        else:
            unread.setdefault(project_id, []).append(number)
    for project_id, numbers in unread.items():
        found.update(_read(transaction, project_id, numbers, names))
    return [found[key] for mark in marks if (key := mark[:2]) in found]


def _read(transaction: Transaction, project_id: int, numbers: list[int], names: Names) -> dict[Key, Ticket]:
    here = transaction.account_id, transaction.base
    found: dict[Key, Ticket] = {}
    weight = 0
    keeping: dict[Hashable, tuple[Look, Ticket]] = {}
    for row in transaction.all(_READ, project_id=project_id, numbers=numbers):
        named, number = _NAMED(row), row[_NUMBER]
        try:
            called = in_row(names, named)
        except KeyError:
            # Whoever writes may find a row that was changed since its mark was read.
            called = in_row(ticket_names.of_all(transaction, [named]), named)
        ticket = found[project_id, number] = tickets.SHAPE.record(row[:-1] + called, transaction)
        length = sum([len(value) for value in row if isinstance(value, str)])
        if length <= LONGEST:
            weight += SHORTEST + length
            keeping[here, project_id, number] = (row[-1], row[_CHANGED], called), ticket
    transaction.known_tickets.keep(keeping, weight)
    return found
