"""Whole tickets with versions and files, cached while they are unchanged."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import bindparam, literal_column, null, select, union_all

from skerry.resources.tickets import Ticket, Version
from skerry.store import attachments, tickets, versions
from skerry.store.engine.statements import OneOf, Row, Statement, beginning
from skerry.store.engine.tables import projects
from skerry.store.engine.tables import tickets as table
from skerry.store.engine.transactions import Transaction
from skerry.store.ticket_rows import ticket_names
from skerry.store.ticket_rows.long_texts import LongTexts
from skerry.store.ticket_rows.ticket_names import Shown
from skerry.wire import budget
from skerry.wire.record import changed
from skerry.wire.values import MAX_SIZE

MAX_LENGTH = 100_000
"""The maximum length of the texts of a cached ticket with its versions."""

MIN_LENGTH = 1_000
"""The number of characters that a ticket, a version or a file counts for in addition to its texts."""

# The number of characters that each watcher counts for.
_WATCHER = 12

# Every change of a ticket, a version or a file increments the ticket's revision; new states of the project do
# not, and change many versions at once. The time of the ticket's last change distinguishes a revision from
# one with the same number that was lost in a crash.
_MARKED = (
    table.c.revision,
    table.c.updated_at,
    select(projects.c.updated_at)
    .where(projects.c.account_id == bindparam("account_id"), projects.c.id == table.c.project_id)
    .scalar_subquery(),
)
_TICKET, _PROJECT = 2, 3
_MARK_AND_NAMES = Statement(
    union_all(
        *ticket_names.NAMED,
        select(literal_column(str(_TICKET)), table.c.revision, null(), table.c.updated_at).where(
            tickets.BY_KEY
        ),
        select(literal_column(str(_PROJECT)), null(), null(), projects.c.updated_at).where(
            projects.c.account_id == bindparam("account_id"), projects.c.id == bindparam("project_id")
        ),
    )
)

OWN = budget.MAX * 5 // 8
"""The part of a response reserved for the texts of a ticket, before its versions."""

_TEXTS = LongTexts(Ticket, table, "number")

_READ = Statement(
    select(
        *_TEXTS.in_place_of(tickets.SHAPE.columns),
        beginning(table.c.original_body, budget.SHORT + 1).label("original_body"),
        *(column.label(None) for column in _MARKED),
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
_MARK_BEGINS = len(tickets.SHAPE.columns) + 1
(_DUE_ON,) = tickets.SHAPE.places("milestone_due_on")


class Known(NamedTuple):
    """A cached ticket, and its cache key, which includes all names in it."""

    mark: Row
    people: frozenset[int | None]
    milestones: frozenset[int | None]
    names: Shown
    ticket: Ticket


def one(transaction: Transaction, project_id: int, number: int, up_to: int = MAX_SIZE) -> Ticket | None:
    """Return a ticket of a project with its versions, oldest first, and its files.

    A large ticket has only the newest versions that fit into a response, or the newest up to a given one.
    """
    known: Known | None = transaction.known_tickets.get(_key(transaction, project_id, number))
    if known and up_to == MAX_SIZE and _is_as_it_was(transaction, project_id, number, known):
        return known.ticket
    # The ticket and its last version must be consistent.
    with transaction.snapshot():
        return _read(transaction, project_id, number, up_to)


def _read(transaction: Transaction, project_id: int, number: int, up_to: int) -> Ticket | None:
    row = transaction.one(_READ, project_id=project_id, number=number)
    if row is None:
        return None
    *values, original = row[:_MARK_BEGINS]
    ticket = tickets.SHAPE.record(values, transaction)
    files = attachments.of_ticket(transaction, project_id, number) if ticket.attachments_count else []
    ticket, room = _with_opening(transaction, ticket, original)
    history = versions.newest(transaction, project_id, number, room - sum(map(budget.overhead, files)), up_to)
    whole = changed(ticket, versions=history, attachments=files)
    # The original text is kept when it is replaced, and may be longer.
    weight = _weight(ticket) + sum(map(_weight, history))
    weight += 0 if original is None else len(ticket.original_body or "")
    weight += MIN_LENGTH * len(files)
    if weight <= MAX_LENGTH and up_to == MAX_SIZE and transaction.shortened is None:
        people, titles, _ = names = ticket_names.shown_in([ticket, *history], row[_DUE_ON])
        known = Known(row[_MARK_BEGINS:], frozenset(people), frozenset(titles), names, whole)
        transaction.known_tickets.keep({_key(transaction, project_id, number): known}, weight)
    return whole


def _key(transaction: Transaction, project_id: int, number: int) -> tuple[int, str, int, int]:
    return transaction.account_id, transaction.base, project_id, number


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
    """Return some tickets of a project as ``one`` does, by number, without the cache."""
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


def _is_as_it_was(transaction: Transaction, project_id: int, number: int, known: Known) -> bool:
    wanted = known.people, known.milestones
    sought = {**ticket_names.values(*wanted), "project_id": project_id, "number": number}
    rows = transaction.all(_MARK_AND_NAMES, **sought)
    revision, changed_at, project_changed_at = known.mark
    if not {(_TICKET, revision, None, changed_at), (_PROJECT, None, None, project_changed_at)}.issubset(rows):
        return False
    names = ticket_names.called(wanted, rows)
    return ticket_names.shown_of(names, known.ticket.milestone_id) == known.names


def _weight(shown: Ticket | Version) -> int:
    # The recorded changes of a version are texts of the previous version.
    texts = len(shown.body) + len(shown.body_html) + 2 * len(shown.tag or "")
    return MIN_LENGTH + texts + _WATCHER * len(shown.watchers_ids)
