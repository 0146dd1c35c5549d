"""Whole tickets with versions and files."""

from collections.abc import Iterator

from sqlalchemy import select

from skerry.database.statements import OneOf, Statement, beginning
from skerry.database.transactions import Transaction
from skerry.resources.tickets import Ticket, Version
from skerry.store import attachments, tickets, versions
from skerry.store.long_texts import LongTexts
from skerry.store.tables import tickets as table
from skerry.wire import budget
from skerry.wire.record import changed
from skerry.wire.values import MAX_INTEGER

OWN = budget.MAX * 5 // 8
"""The part of a response reserved for the texts of a ticket, before its versions."""

_TEXTS = LongTexts(Ticket, table, "number")

_READ = Statement(
    select(
        *_TEXTS.in_place_of(tickets.SHAPE.columns),
        beginning(table.c.original_body, budget.SHORT + 1).label("original_body"),
    )
    .select_from(tickets.WITH_NAMES)
    .where(tickets.BY_KEY)
)
_SEVERAL = Statement(
    select(*tickets.SHAPE.columns, table.c.original_body)
    .select_from(tickets.WITH_NAMES)
    .where(tickets.IN_PROJECT, OneOf(table.c.number, "numbers"))
    .order_by(table.c.number)
)


def one(transaction: Transaction, project_id: int, number: int, up_to: int = MAX_INTEGER) -> Ticket | None:
    """Return a ticket of a project with its versions, oldest first, and its files.

    A large ticket has only the newest versions that fit into a response, or the newest up to a given one.
    """
    # The ticket and its last version must be consistent.
    with transaction.snapshot():
        row = transaction.one(_READ, project_id=project_id, number=number)
        if row is None:
            return None
        *values, original = row
        ticket = tickets.SHAPE.record(values, transaction)
        files = attachments.of_ticket(transaction, project_id, number) if ticket.attachments_count else []
        ticket, room = _with_opening(transaction, ticket, original)
        room -= sum(map(budget.overhead, files))
        history = versions.newest(transaction, project_id, number, room, up_to)
    return changed(ticket, versions=history, attachments=files)


def _with_opening(transaction: Transaction, ticket: Ticket, original: str | None) -> tuple[Ticket, int]:
    """Return a ticket with its texts and the original opening text, and the remaining room."""
    if not _TEXTS.is_long(ticket) and len(original or "") <= budget.SHORT:
        return _opened(ticket, original), budget.MAX - 2 * budget.SMALL
    ticket = _TEXTS.read(transaction, [ticket])[0]
    if original is not None:
        original = tickets.original_body(transaction, ticket)
    ticket = _opened(ticket, original)
    own = budget.weight(ticket) + budget.overhead(ticket)
    if own > OWN:
        transaction.note_shortened(budget.longest([ticket]))
        ticket, own = budget.fitted([ticket], OWN)[0], OWN
    return ticket, budget.MAX - own


def several(transaction: Transaction, project_id: int, numbers: list[int]) -> Iterator[Ticket]:
    """Return some tickets of a project as ``one`` does, by number."""
    histories: dict[int | None, list[Version]] = {}
    for version in versions.of_several(transaction, project_id, numbers):
        histories.setdefault(version.number, []).append(version)
    files = attachments.of_several(transaction, project_id, numbers)
    for *values, original in transaction.all(_SEVERAL, project_id=project_id, numbers=numbers):
        ticket = tickets.SHAPE.record(values, transaction)
        attached = files.get(ticket.number or 0, [])
        history = histories.get(ticket.number, [])
        yield changed(_opened(ticket, original), versions=history, attachments=attached)


def _opened(ticket: Ticket, original: str | None) -> Ticket:
    opening = ticket.body if original is None else original
    return changed(ticket, original_body=opening, latest_body=opening)
