"""How many tickets of a project a query means, for those who are shown it beside something else.

A count that takes long is made in full twice a minute at most. In between it follows from the tickets
that have changed, so that lists with many such counts are quick while a team writes.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from skerry.store import project_marks, search
from skerry.store.project_marks import Mark
from skerry.store.search import Scope
from skerry.store.transactions import Transaction
from skerry.text.query_tree import And, Comparison, Query, Term

MOST = 10_000
"""Up to how many tickets are counted; beyond, it is only known that there are as many."""

SPARE = 1_000
"""So many more are looked for: as long as fewer have changed since, there are still ``MOST``."""

HIGHEST = 2_000_000
"""The highest number of a ticket for which a bit is kept, which are 250 kB."""


@dataclass(frozen=True)
class Found:
    """Which tickets were found, a bit for each number; None if there are more than enough.

    ``changes`` says how many tickets have changed since it was seen that there are.
    """

    bits: int | None
    changes: int = 0

    @property
    def size(self) -> int:
        """Give how many they are."""
        return MOST if self.bits is None else min(self.bits.bit_count(), MOST)


def count(transaction: Transaction, query: Query, scope: Scope, asked: Hashable) -> int | None:
    """Count the tickets of one project that a query means, up to ``MOST``; None if that takes long.

    ``asked`` is equal for all queries and readers that find the same.
    """
    (project_id,) = scope.project_ids

    def find() -> int | None:
        mark = project_marks.mark(transaction, project_id)
        found = transaction.counted(
            (project_id, asked),
            mark,
            lambda: transaction.tried((project_id, asked), lambda: _all(transaction, query, scope, mark)),
            lambda before, known: _followed(transaction, query, scope, before, mark, known),
        )
        return found.size if isinstance(found, Found) else found

    return transaction.recall(("counted", project_id, asked), find)


def _all(transaction: Transaction, query: Query, scope: Scope, mark: Mark) -> Found | int:
    if mark.last_number > HIGHEST:
        return search.count(transaction, query, scope, at_most=MOST)
    numbers = search.numbers(transaction, query, scope, fewer_than=MOST + SPARE)
    return Found(None if numbers is None else _bits(numbers))


def _followed(
    transaction: Transaction, query: Query, scope: Scope, before: Mark, now: Mark, known: Found | int | None
) -> Found | None:
    """Give what is found now, from what was found before; None if it is to be found anew."""
    # Of those that are gone it is not known which they were, nor what a change of the project itself means.
    if not isinstance(known, Found) or (now.gone, now.settled) != (before.gone, before.settled):
        return None
    # What is older than the oldest has changed, too, unless that was there before.
    if now.oldest is not None and now.oldest not in before.newest:
        return None
    changed = [number for number, *_ in now.newest - before.newest]
    if max(changed, default=0) > HIGHEST:
        return None
    if known.bits is None:
        changes = known.changes + len(changed)
        return Found(None, changes) if changes <= SPARE else None
    among = Term("number", tuple(Comparison("=", number) for number in changed))
    these = Query(And((query.condition, among)))
    found = search.numbers(transaction, these, scope, fewer_than=project_marks.NEWEST) if changed else []
    # A sample may take them for more than they are.
    return None if found is None else Found(known.bits & ~_bits(changed) | _bits(found))


def _bits(numbers: Iterable[int]) -> int:
    some = list(numbers)
    room = bytearray(max(some, default=0) // 8 + 1)
    for number in some:
        room[number // 8] |= 1 << number % 8
    return int.from_bytes(room, "little")
