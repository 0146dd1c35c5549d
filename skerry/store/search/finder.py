"""How one query is answered.

What is quick depends on how many tickets each part of a query is true of, which neither database
guesses well. So it is found out here: a page is first looked for among the tickets changed last;
then a part that is true of few tickets, if there is one, lists them; and only what is left over
goes through all tickets in the order of the list.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import TypeVar

from skerry.store import ticket_pages
from skerry.store.search import sampling
from skerry.store.search.lists import size
from skerry.store.search.names import Names, Scope
from skerry.store.search.orders import NEWEST, in_titles, telling
from skerry.store.search.sql import Sql, filled
from skerry.store.search.tree import grouped, negated, simple, wanted_runs
from skerry.store.search.ways import Ways
from skerry.store.statements import Row
from skerry.store.ticket_pages import Mark
from skerry.store.transactions import Transaction
from skerry.text.query_tree import Query

NEAR = 500
"""Tickets changed last among which a page is looked for first."""

NEAR_WORDS = 200
"""The same, if words are looked for, which takes longer for each."""

FAR = 20_000
"""The same, if no part of the query is true of few tickets."""

FEW = 2_000
"""Tickets that are rather listed and sorted than looked for far and wide."""

LATE = 2_000
"""A page that so many tickets hold together with those before it is a late one."""

CUT = "LIMIT ? OFFSET ?"
"""What makes a page of a list."""

_MARKED = f"""SELECT {", ".join(f"m.{name}" for name in Mark._fields)}
    FROM ({{}}) AS page CROSS JOIN tickets m
    WHERE m.account_id = {{}} AND m.project_id = page.project_id AND m.number = page.number"""  # noqa: S608 - our own words

_PLACE = itemgetter(*map(Mark._fields.index, ("updated_at", "project_id", "number")))

T = TypeVar("T")

Keys = list[tuple[int, int]]


def finder(transaction: Transaction, query: Query, scope: Scope, counting: int = 0) -> "Finder":
    """Give what answers a query in at least one project; ``counting`` says how far it will have to count."""
    sorts = telling(query.sorts)
    return Finder(transaction, simple(query.condition), sorts, Names(transaction, scope), counting)


class Finder(Ways):
    """Answers one query, each time by the way that is likely the quickest."""

    def page(self, limit: int, offset: int) -> Keys:
        """Give a page of tickets as project and number."""
        if self._sorts and self._sorts[0].key == "relevance" and wanted_runs(self._node):
            return self._most_relevant(limit, offset)
        if self._order is NEWEST:
            return self._newest(limit, offset, self._keys)
        return self._keys(self._sorted(self._lists.fitting(), Sql(CUT, (limit, offset))))

    def marks(self, limit: int, offset: int) -> list[Row]:
        """Give the marks of a page of tickets; in the order of the list they are asked for with it."""
        if self._order is NEWEST:
            return self._newest(limit, offset, self._marks)
        return ticket_pages.marks_of(self._transaction, self.page(limit, offset))

    def _newest(self, limit: int, offset: int, ask: Callable[[Sql], list[T]]) -> list[T]:
        """Look near first, unless the page is a late one; so many tickets likely hold it."""
        cut, needed = Sql(CUT, (limit, offset)), 4 * (limit + offset)
        if self._words and self._hits and len(self._parts) == 1:
            return ask(self._hits.page(self._words, cut))
        if needed < LATE and not self._is_far(needed, limit):
            found = ask(self._near((NEAR_WORDS if self._words else NEAR) + needed, cut))
            if len(found) == limit:
                return found
            if self._words and self._texts.rare:
                self._transaction.adjust(self._texts.rare)
        listed = self._lists.shortest(FEW)
        # Sorting a list that has the page many times over takes longer than looking for the page in order.
        is_long = listed is None or self._lists.length(listed, 2 * needed) == 2 * needed
        if is_long and self._in_order:
            return ask(filled("{} ORDER BY {} {}", self._in_order, NEWEST, cut))
        if listed is None:
            found = ask(self._near(FAR + needed, cut))
            if len(found) == limit:
                return found
        return ask(self._sorted(listed or self._lists.fitting(), cut))

    def _is_far(self, needed: int, limit: int) -> bool:
        """Say whether the total, where it is a list's length, shows a quicker way than to look near."""
        if self._lists.whole is None or self._lists.whole.is_text or not self._counting:
            return False
        total = self._lists.length(self._lists.whole, self._counting)
        if total < 2 * needed or self._in_order is None:
            return total < 2 * needed
        tickets = sampling.given(self._transaction, self._names.scope.project_ids).total
        return total < self._counting and total * (NEAR + needed) < limit * tickets

    def _most_relevant(self, limit: int, offset: int) -> Keys:
        """Put two lists together: the tickets that have the words in their titles, and the rest."""
        titles = in_titles(self._node)
        both = [
            Finder(self._transaction, grouped([self._node, part], every=True), self._sorts[1:], self._names)
            for part in (titles, negated(titles))
        ]
        first, second = reversed(both) if self._sorts[0].reverse else both
        found = first.page(limit, offset)
        if len(found) == limit:
            return found
        before = offset + len(found) if found or not offset else first.count(offset)
        return found + second.page(limit - len(found), max(0, offset - before))

    def count(self, at_most: int) -> int:
        """Give how many tickets there are, or ``at_most`` if they are as many or more."""
        # To count many hits of words takes long: a few tickets show that there are more than enough.
        if self._words and self._are_many(at_most):
            return at_most
        if self._lists.whole is not None:
            return self._lists.length(self._lists.whole, at_most)
        listed = self._lists.shortest(FEW)
        if listed is None and self._in_order:
            return size(self._transaction, self._in_order, at_most)
        return size(self._transaction, self._unordered(listed or self._lists.fitting()), at_most)

    def all(self, fewer_than: int) -> Keys | None:
        """Give all tickets in any order, or None if they are so many or more."""
        if self._words and self._are_many(fewer_than):
            return None
        listed = self._lists.shortest(FEW)
        in_order = self._in_order if listed is None else None
        rows = in_order or self._unordered(listed or self._lists.fitting())
        found = self._keys(filled("{} {}", rows, Sql("LIMIT ?", (fewer_than,))))
        return found if len(found) < fewer_than else None

    def _are_many(self, enough: int) -> bool:
        # Hits that come in order, and are the answer, are counted as fast as hundreds of tickets are drawn.
        most = sampling.STEPS[1] if self._hits and self._lists.whole is not None else sampling.STEPS[-1]
        ids = self._names.scope.project_ids
        return sampling.show(self._transaction, ids, self._where(), enough, most=most)

    def _keys(self, sql: Sql) -> Keys:
        return [(row[0], row[1]) for row in self._transaction.sql(sql.text, sql.values)]

    def _marks(self, sql: Sql) -> list[Row]:
        asked = filled(_MARKED, sql, Sql("?", (self._transaction.account_id,)))
        # What the page is joined with may put it in another order.
        return sorted(self._transaction.sql(asked.text, asked.values), key=_PLACE, reverse=True)
