"""Tickets drawn at random, to see that a query is true of very many without counting them."""

import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import log

from sqlalchemy import bindparam, select

from skerry.store.search.sql import Sql, filled
from skerry.store.statements import Statement
from skerry.store.tables import project_counters
from skerry.store.transactions import Transaction

STEPS = (40, 80, 160, 400)
"""So many tickets are drawn, step by step as long as they may still show enough."""

WORTH_WHILE = 5
"""How many tickets there must be for each that is asked for, so that drawing is worth while."""

STEADY = 10_000
"""After so many new tickets others are drawn."""

SURE = 28.0
"""What a sample must show: chance alone shows so much once in e to this power, a million million times."""

HOPELESS = 3.0
"""Where all steps would show so many times too little if they went on as they began, there are no more."""

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

    @property
    def known(self) -> int:
        """Give among how many of them tickets are drawn, which stays the same for a while."""
        return self.total - self.total % STEADY or self.total

    def drawn(self, start: int, end: int) -> list[tuple[int, int]]:
        """Draw different numbers, each with its project: of a row of them those from one place to another.

        They are the same for a while, so that the database has their pages at hand.
        """
        return [self._at(place) for place in _places(self.known)[start:end]]

    def _at(self, place: int) -> tuple[int, int]:
        project = bisect_right(self.ends, place)
        return self.project_ids[project], place - (self.ends[project - 1] if project else 0) + 1


@lru_cache(maxsize=100)
def _places(known: int) -> list[int]:
    return random.Random(known).sample(range(known), min(STEPS[-1], known))  # noqa: S311 - no secret


def given(transaction: Transaction, project_ids: Sequence[int]) -> Numbers:
    """Give the numbers that some projects have given."""
    rows = transaction.all(_NUMBERS, project_ids=list(project_ids))
    return Numbers([row[0] for row in rows], list(accumulate(row[1] for row in rows)))


def show(transaction: Transaction, project_ids: Sequence[int], where: Sql, many: int, *, most: int) -> bool:
    """Say whether a sample shows, beyond what chance can do, that a condition holds for so many tickets.

    ``where`` speaks of tickets as ``t``, of which about ``most`` are drawn. Where it says no, there
    may be as many all the same.
    """
    key = ("show", tuple(project_ids), where.digest, many, most)
    return transaction.recall(key, lambda: _shown(transaction, project_ids, where, many, most))


def _shown(transaction: Transaction, project_ids: Sequence[int], where: Sql, many: int, most: int) -> bool:
    numbers = given(transaction, project_ids)
    if numbers.total < many * WORTH_WHILE:
        return False
    hits = drawn = 0
    for start, end in pairwise((0, *STEPS)):
        step = numbers.drawn(start, end)
        if not step:
            break
        hits, drawn = hits + _hits(transaction, step, where), drawn + len(step)
        shown = surety(hits, drawn, many / numbers.known)
        if shown >= SURE or drawn >= most or shown * most < SURE / HOPELESS * drawn:
            return shown >= SURE
    return False


def _hits(transaction: Transaction, drawn: Sequence[tuple[int, int]], where: Sql) -> int:
    sql = filled(
        """SELECT count(*) FROM (VALUES {}) AS drawn CROSS JOIN tickets t
        WHERE t.project_id = drawn.column1 AND t.number = drawn.column2 AND ({})""",
        Sql(", ".join(["(?, ?)"] * len(drawn)), tuple(each for pair in drawn for each in pair)),
        where,
    )
    return int(transaction.sql(sql.text, sql.values)[0][0])


def surety(hits: int, drawn: int, share: float) -> float:
    """Give how surely more than a share of all are hits: e to its negative bounds what chance can do.

    The bound is Hoeffding's, which holds for any numbers, however small.
    """
    found = hits / drawn
    if found <= share:
        return 0.0
    missed = (1 - found) * log((1 - found) / (1 - share)) if found < 1 else 0.0
    return drawn * (found * log(found / share) + missed)
