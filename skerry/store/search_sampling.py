"""Tickets drawn at random, to see that a query is true of very many without counting them."""

import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt

from sqlalchemy import bindparam, select

from skerry.store.database import Transaction
from skerry.store.search_sql import Said, filled
from skerry.store.statements import Statement
from skerry.store.tables import project_counters

DRAWN = 400
"""Tickets that are drawn."""

TRIED = 40
"""Tickets that are drawn first; where none of them is a hit, there are too few to see."""

WORTH_WHILE = 5
"""How many tickets there must be for each that is asked for, so that drawing is worth while."""

STEADY = 10_000
"""After so many new tickets others are drawn."""

CHANCE = 7
"""So many standard deviations may a sample be off: once in a million million times it is more."""

_NUMBERS = Statement(
    select(project_counters.c.project_id, project_counters.c.last_number).where(
        project_counters.c.account_id == bindparam("account_id"),
        project_counters.c.project_id.in_(bindparam("project_ids", expanding=True)),
        project_counters.c.last_number > 0,
    )
)


@dataclass(frozen=True)
class Numbers:
    """The numbers that some projects have given: project by project, up to the last one of each."""

    project_ids: Sequence[int]
    ends: Sequence[int]

    @property
    def total(self) -> int:
        """Give how many numbers were given, also those of tickets that are gone."""
        return self.ends[-1] if self.ends else 0

    def drawn(self, many: int) -> list[tuple[int, int]]:
        """Draw so many different numbers, each with its project.

        They are the same for a while, so that the database has their pages at hand.
        """
        known = self.total - self.total % STEADY or self.total
        places = random.Random(known).sample(range(known), min(many, known))  # noqa: S311 - no secret
        return [self._at(place) for place in places]

    def _at(self, place: int) -> tuple[int, int]:
        project = bisect_right(self.ends, place)
        return self.project_ids[project], place - (self.ends[project - 1] if project else 0) + 1


def show(transaction: Transaction, project_ids: Sequence[int], where: Said, many: int) -> bool:
    """Say whether a sample shows, beyond what chance can do, that a condition holds for so many tickets.

    ``where`` speaks of tickets as ``t``. Where it says no, there may be as many all the same.
    """
    rows = transaction.all(_NUMBERS, project_ids=list(project_ids))
    numbers = Numbers([row[0] for row in rows], list(accumulate(row[1] for row in rows)))
    if numbers.total < many * WORTH_WHILE:
        return False
    drawn = numbers.drawn(DRAWN)
    first = _hits(transaction, drawn[:TRIED], where)
    if not first:
        return False
    hits = first + _hits(transaction, drawn[TRIED:], where)
    return at_least(hits, len(drawn), numbers.total - STEADY) >= many


def _hits(transaction: Transaction, drawn: Sequence[tuple[int, int]], where: Said) -> int:
    if not drawn:
        return 0
    said = filled(
        """SELECT count(*) FROM (VALUES {}) AS drawn CROSS JOIN tickets t
        WHERE t.project_id = drawn.column1 AND t.number = drawn.column2 AND ({})""",
        Said(", ".join(["(?, ?)"] * len(drawn)), tuple(each for pair in drawn for each in pair)),
        where,
    )
    return int(transaction.said(said.text, said.values)[0][0])


def at_least(hits: int, drawn: int, total: int) -> int:
    """Give how many of all there are at least, when so many of those drawn were hits."""
    return int((hits - CHANCE * sqrt(hits)) * total / drawn) if drawn else 0
