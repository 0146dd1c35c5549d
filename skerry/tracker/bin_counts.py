"""The numbers of tickets in bins.

Each is counted once for each change of the project, or of the account for a bin over all projects, by each
worker that is asked for it. A number that is not known in time is the last one that was.
"""

from collections.abc import Sequence
from typing import NamedTuple

from skerry.database.rows import timestamp_or_none
from skerry.resources.bins import TicketBin
from skerry.store import projects, search, states
from skerry.store.events import events
from skerry.store.events.event_reading import event_range
from skerry.store.projects import SeenIds
from skerry.text.queries.query_tree import (
    Everything,
    Query,
    Term,
    Text,
    Value,
    depends_on_reader,
    depends_on_time,
)
from skerry.text.words import folded
from skerry.tracker.context import Context
from skerry.tracker.search import parse_query, scope_of
from skerry.wire.record import changed

EVERY = 1 << 62
"""A limit that no count reaches."""

MAX_AGE = 60_000_000
"""How long a number is used that depends on the time or takes too long to count, in microseconds."""

_OVERHEAD, _PROJECT = 100, 16
"""How large a count is in memory, and how much more for each project, in bytes."""


class _Count(NamedTuple):
    """A number and when it was correct, None for a lower bound; ``failed_at`` is when counting timed out."""

    number: int
    revision: tuple[int | None, ...]
    counted_at: int | None
    failed_at: int = 0

    def shown_in(self, ticket_bin: TicketBin) -> TicketBin:
        return changed(ticket_bin, tickets_count=self.number, counted_at=timestamp_or_none(self.counted_at))


def counted(
    context: Context, ticket_bin: TicketBin, project_ids: SeenIds, at_most: int, *, exact: bool
) -> TicketBin:
    """Return a bin with its number of tickets in some projects, from the stored counts if possible.

    One that need not be exact is counted again after ``MAX_AGE``. Searches count up to a limit. One member's
    bin must not slow down the lists of others: if counting takes long, the number is the last one known, and
    ``counted_at`` says when it was right. If there is none, ``counted_at`` is None, and only the tickets
    changed last are counted, if there is time for that.
    """
    query = parse_query(ticket_bin.query)
    transaction, key = context.transaction, _key(context, query, project_ids, at_most)
    known: _Count | None = transaction.known_counts.get(key)
    is_complete = known is not None and known.counted_at is not None
    if known and is_complete and not exact and not _is_late(context, known):
        return changed(ticket_bin, tickets_count=known.number)
    number = _stored(context, query, project_ids)
    if number is None:
        revision = _revision(context)
        if known and is_complete and known.revision == revision and not _is_old(context, query, known):
            return changed(ticket_bin, tickets_count=known.number)
        if known and transaction.now - known.failed_at < MAX_AGE:
            return known.shown_in(ticket_bin)
        known, is_counted = _recounted(context, query, project_ids, at_most, known, revision)
    else:
        known, is_counted = _Count(number, (), transaction.now), True
    size = _OVERHEAD + len(ticket_bin.query) + _PROJECT * len(project_ids)
    transaction.known_counts.keep(key, known, size)
    return changed(ticket_bin, tickets_count=known.number) if is_counted else known.shown_in(ticket_bin)


def _recounted(
    context: Context,
    query: Query,
    project_ids: SeenIds,
    at_most: int,
    known: _Count | None,
    revision: tuple[int | None, ...],
) -> tuple[_Count, bool]:
    """Return the number of tickets that a search finds, or else what is known; and whether it was counted."""
    transaction, scope, tried = context.transaction, scope_of(context, project_ids, shared=True), []

    def count() -> int:
        tried.append(query)
        return search.count(transaction, query, scope, at_most=at_most)

    number = transaction.attempt(count)
    if number is not None:
        return _Count(number, revision, transaction.now), True
    if not known:
        some = transaction.attempt(lambda: search.count_newest(transaction, query, scope))
        known = _Count(some or 0, revision, None)
    # Others are counted the next time.
    return known._replace(failed_at=transaction.now if tried else 0), False


def _key(context: Context, query: Query, project_ids: SeenIds, at_most: int) -> tuple[object, ...]:
    """Return what a count depends on: readers who see the same projects and tickets share it."""
    reader = context.reader_id if depends_on_reader(query.condition) else None
    transaction = context.transaction
    sight = transaction.sight.key if transaction.sight else None
    return transaction.account_id, project_ids, query.condition, reader, sight, at_most


def _revision(context: Context) -> tuple[int | None, ...]:
    if context.entered:
        return events.revision(context.transaction, context.project_id)
    return (event_range(context.transaction).last,)


def _is_old(context: Context, query: Query, known: _Count) -> bool:
    return _is_late(context, known) and depends_on_time(query.condition)


def _is_late(context: Context, known: _Count) -> bool:
    return abs(context.transaction.now - (known.counted_at or 0)) > MAX_AGE


def _stored(context: Context, query: Query, project_ids: SeenIds) -> int | None:
    """Return the number of tickets if it is among the stored counts."""
    if isinstance(query.condition, Everything):
        return projects.tickets_count(context.transaction, project_ids)
    if isinstance(query.condition, Term) and query.condition.key == "state":
        return _in_states(context, query.condition.values, project_ids)
    return None


def _in_states(context: Context, values: Sequence[Value], project_ids: SeenIds) -> int:
    asked = {folded(value.text) for value in values if isinstance(value, Text)}
    return sum(
        count
        for name, closed, count in states.counts(context.transaction, project_ids)
        if ("closed" if closed else "open") in asked or folded(name) in asked - {"open", "closed"}
    )
