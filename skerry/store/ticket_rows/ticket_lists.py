"""Lists of tickets: their keys are always queried; unchanged tickets come from the cache."""

from collections.abc import Hashable, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import select

from skerry.resources.tickets import Ticket
from skerry.store import tickets
from skerry.store.engine.statements import OneOf, Row, Statement
from skerry.store.engine.tables import tickets as table
from skerry.store.engine.transactions import Transaction
from skerry.store.ticket_rows import ticket_names, ticket_pages
from skerry.store.ticket_rows.long_texts import LongTexts
from skerry.store.ticket_rows.ticket_names import Names, in_row
from skerry.store.ticket_rows.ticket_pages import Key
from skerry.wire import budget

Look = tuple[int, int, tuple[str | int | None, ...]]
"""The cache key of a ticket: a revision, its time, and the names shown with it."""

MAX_LENGTH = 20_000
"""The maximum length of the texts of a cached ticket, with tags and watchers."""

MIN_LENGTH = 1_000
"""How many characters a ticket counts for in addition to its texts."""

# How many characters each watcher counts for.
_WATCHER = 12

_UNKNOWN: tuple[Look | None, Any] = (None, None)

_TEXTS = LongTexts(Ticket, table, "number")

_READ = Statement(
    select(*_TEXTS.in_place_of(tickets.SHAPE.columns[: tickets.NAMES_BEGIN]), table.c.revision).where(
        tickets.IN_PROJECT, OneOf(table.c.number, "numbers")
    )
)
_NAMED = itemgetter(*tickets.SHAPE.places("user_id", "creator_id", "assigned_user_id", "milestone_id"))
_NUMBER, _CHANGED = tickets.SHAPE.places("number", "updated_at")


def of_project(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Ticket]:
    """Return a page of a project's tickets, the last changed first."""
    found = transaction.all(ticket_pages.OF_PROJECT, project_id=project_id, limit=limit, offset=offset)
    return marked(transaction, found)


def of_projects(transaction: Transaction, project_ids: list[int], *, limit: int, offset: int) -> list[Ticket]:
    """Return a page of the tickets of some projects, the last changed first."""
    if len(project_ids) == 1:
        return of_project(transaction, project_ids[0], limit=limit, offset=offset)
    found = transaction.all(ticket_pages.OF_PROJECTS, project_ids=project_ids, limit=limit, offset=offset)
    return marked(transaction, found)


def with_keys(transaction: Transaction, keys: Sequence[Key]) -> list[Ticket]:
    """Return the tickets with the given keys, in the same order.

    Missing tickets are left out.
    """
    return marked(transaction, ticket_pages.markers_of(transaction, keys))


def marked(transaction: Transaction, marks: Sequence[Row]) -> list[Ticket]:
    """Return the tickets with these markers, in the same order."""
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
    looks: dict[Key, Look] = {}
    for project_id, numbers in unread.items():
        found.update(_read(transaction, project_id, numbers, names, looks))
    shown = [found[key] for mark in marks if (key := mark[:2]) in found]
    # Cached tickets are so short that a page of them fits.
    if looks or len(shown) > budget.PAGE:
        shown = _TEXTS.fitted(transaction, shown)
        _keep(transaction, shown, looks)
    return shown


def _read(
    transaction: Transaction, project_id: int, numbers: list[int], names: Names, looks: dict[Key, Look]
) -> dict[Key, Ticket]:
    """Read tickets with the beginnings of their texts, and note their cache keys."""
    found: dict[Key, Ticket] = {}
    for row in transaction.all(_READ, project_id=project_id, numbers=numbers):
        named, number = _NAMED(row), row[_NUMBER]
        try:
            called = in_row(names, named)
        except KeyError:
            # In a write transaction, a row may have changed since its marker was read.
            called = in_row(ticket_names.of_all(transaction, [named]), named)
        found[project_id, number] = tickets.SHAPE.record(row[:-1] + called, transaction)
        looks[project_id, number] = row[-1], row[_CHANGED], called
    return found


def with_openings(transaction: Transaction, found: list[Ticket]) -> list[Ticket]:
    """Return tickets of a list with their original opening texts, as far as these fit into a response."""
    shown = [tickets.with_opening(transaction, ticket, budget.SMALL) for ticket in found]
    fitted = budget.fitted(shown) if budget.at_most(shown) > budget.MAX else shown
    if any(map(budget.is_cut, fitted)):
        transaction.note_shortened(budget.longest(fitted))
    return fitted


def _keep(transaction: Transaction, shown: list[Ticket], looks: dict[Key, Look]) -> None:
    """Cache the short tickets with complete texts."""
    here, weight = (transaction.account_id, transaction.base), 0
    keeping: dict[Hashable, tuple[Look, Ticket]] = {}
    for ticket in shown:
        key = ticket.project_id or 0, ticket.number or 0
        length = len(ticket.body) + len(ticket.body_html)
        length += len(ticket.tag or "") + _WATCHER * len(ticket.watchers_ids)
        if key in looks and length <= MAX_LENGTH and _is_small(ticket):
            weight += MIN_LENGTH + length
            keeping[here, *key] = looks[key], ticket
    transaction.known_tickets.keep(keeping, weight)


def _is_small(ticket: Ticket) -> bool:
    """Return whether a ticket has complete texts, and a full page of such tickets fits a response."""
    if len(ticket.body) + len(ticket.body_html) <= budget.SHORT:
        return bool(ticket.body_html or not ticket.body)
    return not budget.is_cut(ticket) and budget.weight(ticket) <= budget.SMALL
