"""Lists of tickets: their keys are always queried; unchanged tickets come from the cache.

Only those on the first pages enter it, so that a client that reads all pages does not displace them.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import select

from skerry.database.statements import OneOf, Row, Statement
from skerry.database.transactions import Transaction
from skerry.resources.tickets import Ticket
from skerry.store import ticket_names, tickets
from skerry.store.long_texts import LongTexts
from skerry.store.projects import SeenIds
from skerry.store.tables import tickets as table
from skerry.store.ticket_names import Names, in_row
from skerry.store.ticket_rows import ticket_pages
from skerry.store.ticket_rows.ticket_pages import Key
from skerry.wire import budget

Look = tuple[int, int, tuple[str | int | None, ...]]
"""The cache key of a ticket: a revision, its time, and the names shown with it."""

MAX_LENGTH = 20_000
"""The maximum length of the texts of a cached ticket, with tags and watchers."""

MAX_OFFSET = 300
"""Pages that begin beyond this offset do not enter the cache."""

MIN_LENGTH = 1_000
"""The number of characters that each ticket counts for in addition to its texts."""

# How many characters each watcher counts for.
_WATCHER = 12

_UNKNOWN: tuple[Look | None, Any] = (None, None)

_TEXTS = LongTexts(Ticket, table, "number")

_READ = Statement(
    select(*_TEXTS.in_place_of(tickets.SHAPE.columns[: tickets.NAMES_BEGIN]), table.c.revision).where(
        tickets.IN_PROJECT, OneOf(table.c.number, "numbers")
    )
)
_NAMED = itemgetter(
    *tickets.SHAPE.places("user_id", "creator_id", "assigned_user_id", "milestone_id", "project_id")
)
_NUMBER, _CHANGED = tickets.SHAPE.places("number", "updated_at")


def of_project(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Ticket]:
    """Return a page of a project's tickets, the last changed first."""
    marks = transaction.all(ticket_pages.OF_PROJECT, project_id=project_id, limit=limit, offset=offset)
    return marked(transaction, marks, offset)


def of_projects(transaction: Transaction, project_ids: SeenIds, *, limit: int, offset: int) -> list[Ticket]:
    """Return a page of the tickets of some projects, the last changed first."""
    if len(project_ids) == 1:
        return of_project(transaction, project_ids[0], limit=limit, offset=offset)
    marks = transaction.all(ticket_pages.OF_PROJECTS, project_ids=project_ids, limit=limit, offset=offset)
    return marked(transaction, marks, offset)


def with_keys(transaction: Transaction, keys: Sequence[Key]) -> list[Ticket]:
    """Return the tickets with the given keys, in the same order.

    Missing tickets are left out.
    """
    return marked(transaction, ticket_pages.markers_of(transaction, keys))


def marked(transaction: Transaction, marks: Sequence[Row], offset: int = 0) -> list[Ticket]:
    """Return the tickets with these markers, in the same order, as a page that begins at an offset."""
    if not marks:
        return []
    names = ticket_names.of_all(transaction, [(*mark[4:], mark[0]) for mark in marks])
    known, here = transaction.known_tickets, (transaction.account_id, transaction.base)
    by_key: dict[Key, Ticket] = {}
    unread: dict[int, list[int]] = {}
    for project_id, number, revision, changed_at, *named in marks:
        look, ticket = known.get((here, project_id, number), _UNKNOWN)
        if look == (revision, changed_at, in_row(names, (*named, project_id))):
            by_key[project_id, number] = ticket
        else:
            unread.setdefault(project_id, []).append(number)
    looks: dict[Key, Look] = {}
    for project_id, numbers in unread.items():
        by_key.update(_read(transaction, project_id, numbers, names, looks))
    shown = [by_key[key] for mark in marks if (key := mark[:2]) in by_key]
    # Cached tickets are so short that a page of them fits.
    if looks or len(shown) > budget.PAGE:
        shown = _TEXTS.fitted(transaction, shown)
        if offset <= MAX_OFFSET:
            _keep(transaction, shown, looks)
    return shown


def _read(
    transaction: Transaction, project_id: int, numbers: list[int], names: Names, looks: dict[Key, Look]
) -> dict[Key, Ticket]:
    """Read tickets with the beginnings of their texts, and note their cache keys."""
    by_key: dict[Key, Ticket] = {}
    for row in transaction.all(_READ, project_id=project_id, numbers=numbers):
        named, number = _NAMED(row), row[_NUMBER]
        try:
            called = in_row(names, named)
        except KeyError:
            # In a write transaction, a row may have changed since its marker was read.
            called = in_row(ticket_names.of_all(transaction, [named]), named)
        by_key[project_id, number] = tickets.SHAPE.record(row[:-1] + called, transaction)
        looks[project_id, number] = row[-1], row[_CHANGED], called
    return by_key


def with_openings(transaction: Transaction, page: list[Ticket]) -> list[Ticket]:
    """Return tickets of a list with their original opening texts, as far as these fit into a response."""
    shown = [tickets.with_opening(transaction, ticket, budget.SMALL) for ticket in page]
    fitted = budget.fitted(shown) if budget.at_most(shown) > budget.MAX else shown
    if any(map(budget.is_cut, fitted)):
        transaction.note_shortened(budget.longest(fitted))
    return fitted


def _keep(transaction: Transaction, shown: list[Ticket], looks: dict[Key, Look]) -> None:
    """Cache the short tickets with complete texts."""
    here = transaction.account_id, transaction.base
    for ticket in shown:
        key = ticket.project_id or 0, ticket.number or 0
        length = len(ticket.body) + len(ticket.body_html)
        length += len(ticket.tag or "") + _WATCHER * len(ticket.watchers_ids)
        # The name of an editor is not part of the cache key.
        unedited = ticket.body_edited_by is None
        if key in looks and length <= MAX_LENGTH and unedited and _is_small(ticket):
            transaction.known_tickets.keep((here, *key), (looks[key], ticket), MIN_LENGTH + length)


def _is_small(ticket: Ticket) -> bool:
    """Return whether a ticket has complete texts, and a full page of such tickets fits a response."""
    if len(ticket.body) + len(ticket.body_html) <= budget.SHORT:
        return bool(ticket.body_html or not ticket.body)
    return not budget.is_cut(ticket) and budget.weight(ticket) <= budget.SMALL
