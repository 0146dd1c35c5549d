"""Lists of tickets: which they are is always asked; what is as it was when it was read is not read again."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import select

from skerry.resources.tickets import Ticket
from skerry.store import ticket_names, ticket_pages, tickets
from skerry.store.statements import OneOf, Row, Statement
from skerry.store.tables import tickets as table
from skerry.store.transactions import Transaction

Key = tuple[int, int]
"""A project and a number."""

Look = tuple[int, int, tuple[str | None, ...]]
"""A revision, the moment when it was made, and the names that are shown with it."""

LONGEST = 10_000
"""Characters up to which a text is kept, so that all that is kept has some megabytes."""

_UNKNOWN: tuple[Look | None, Any] = (None, None)

_READ = Statement(
    select(*tickets.SHAPE.columns, table.c.revision, table.c.updated_at.label("changed_at"))
    .select_from(tickets.WITH_NAMES)
    .where(tickets.IN_PROJECT, OneOf(table.c.number, "numbers"))
)


def of_project(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Ticket]:
    """Give a page of a project's tickets, the last changed first."""
    found = transaction.all(ticket_pages.OF_PROJECT, project_id=project_id, limit=limit, offset=offset)
    return list(_shown(transaction, found).values())


def of_projects(transaction: Transaction, project_ids: list[int], *, limit: int, offset: int) -> list[Ticket]:
    """Give a page of the tickets of some projects, the last changed first."""
    found = transaction.all(ticket_pages.OF_PROJECTS, project_ids=project_ids, limit=limit, offset=offset)
    return list(_shown(transaction, found).values())


def those(transaction: Transaction, keys: Sequence[Key]) -> list[Ticket]:
    """Give the tickets of some projects and numbers, in the same order; those that are gone are left out."""
    wanted: dict[int, list[int]] = {}
    for project_id, number in keys:
        wanted.setdefault(project_id, []).append(number)
    marks = [
        row[:-1]
        for project_id, numbers in wanted.items()
        for row in transaction.all(ticket_pages.THOSE, project_id=project_id, numbers=numbers)
    ]
    found = _shown(transaction, marks)
    return [found[key] for key in keys if key in found]


def _shown(transaction: Transaction, marks: Sequence[Row]) -> dict[Key, Ticket]:
    """Give the tickets that have these marks, by their keys, in the same order."""
    people, titles = ticket_names.of_all(transaction, marks)
    known, here = transaction.known_tickets, (transaction.account_id, transaction.base)
    found: dict[Key, Ticket] = {}
    unread: dict[int, list[int]] = {}
    for project_id, number, revision, changed_at, author, creator, assignee, milestone in marks:
        names = people.get(author), people.get(creator), people.get(assignee), titles.get(milestone)
        look, ticket = known.get((here, project_id, number), _UNKNOWN)
        if look == (revision, changed_at, names):
            found[project_id, number] = ticket
        else:
            unread.setdefault(project_id, []).append(number)
    if not unread:
        return found
    for project_id, numbers in unread.items():
        found.update(_read(transaction, project_id, numbers))
    return {key: found[key] for mark in marks if (key := mark[:2]) in found}


def _read(transaction: Transaction, project_id: int, numbers: list[int]) -> Iterator[tuple[Key, Ticket]]:
    known, here = transaction.known_tickets, (transaction.account_id, transaction.base)
    for *row, revision, changed_at in transaction.all(_READ, project_id=project_id, numbers=numbers):
        ticket = tickets.SHAPE.record(row, transaction)
        key = project_id, ticket.number or 0
        if len(ticket.body) <= LONGEST and len(ticket.body_html) <= LONGEST:
            names = ticket.user_name, ticket.creator_name, ticket.assigned_user_name, ticket.milestone_title
            known[here, *key] = (revision, changed_at, names), ticket
        yield key, ticket
