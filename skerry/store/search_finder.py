"""How one query is answered.

What is quick depends on how many tickets each part of a query is true of, which neither database
guesses well. So it is found out here: a page is first looked for among the tickets changed last;
then a part that is true of few tickets, if there is one, lists them; and only what is left over
goes through all tickets in the order of the list.
"""

from collections.abc import Callable
from functools import cached_property
from operator import itemgetter
from typing import TypeVar

from skerry.store import search_sampling as sampling
from skerry.store import ticket_pages
from skerry.store.search_keys import (
    BY_INDEX,
    CONDITIONS,
    IN_ORDER,
    Search,
)
from skerry.store.search_lists import Lists, listed_exactly, size, term_of
from skerry.store.search_names import Names, Scope
from skerry.store.search_order import NEWEST, in_titles, order_of, telling
from skerry.store.search_sql import ANYTHING, Sql, every, filled, together, within
from skerry.store.search_texts import OrderedTexts, texts_of
from skerry.store.search_tree import (
    Group,
    Leaf,
    Node,
    conjuncts,
    grouped,
    leaves,
    negated,
    simple,
    wanted_runs,
)
from skerry.store.statements import Row
from skerry.store.ticket_pages import Mark
from skerry.store.transactions import Transaction
from skerry.text.query_tree import Query, Sort, Term

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

JOINED = 5
"""Conditions that PostgreSQL may make joins of: it plans these together, a hundred of them for seconds."""

CUT = "LIMIT ? OFFSET ?"
"""What makes a page of a list."""

FENCE = " LIMIT 1 OFFSET 0"
"""What keeps PostgreSQL from making a join of a condition; it changes nothing else."""

_NO_LATER = """t.updated_at <= (SELECT max(last.updated_at) FROM tickets last
    WHERE last.account_id = ? AND last.project_id = ?)"""

_LONG_AGO = str(-(2**63))

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


class Finder:
    """One query at work."""

    def __init__(
        self,
        transaction: Transaction,
        node: Node,
        sorts: tuple[Sort, ...],
        names: Names,
        counting: int = 0,
    ) -> None:
        """Ask for nothing yet."""
        self._transaction = transaction
        self._node, self._sorts, self._names = node, sorts, names
        fence = FENCE if leaves(node) > JOINED else ""
        self._search = Search(transaction, names, fence)
        self._texts = texts_of(transaction, names.scope.project_ids)
        self._parts = conjuncts(node)
        self._words = next((part for part in self._parts if part.is_text), None)
        self._ordered = self._texts if isinstance(self._texts, OrderedTexts) else None
        self._hits = self._ordered if self._words else None
        self._order = order_of(sorts, node, self._texts)
        self._counting = counting
        self._lists = Lists(transaction, self._search, self._texts, self._parts, counting)

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

    # --- Ways to the tickets -----------------------------------------------------------------------

    def _near(self, reach: int, cut: Sql) -> Sql:
        """Look among so many tickets, or so many hits of the words where those come in order."""
        if self._words and self._hits:
            return self._hits.filtered_page(self._words, self._where(self._words), reach, cut)
        newest = filled("SELECT t.updated_at FROM tickets t WHERE {} ORDER BY {}", self._in_scope, NEWEST)
        since = filled("coalesce(({} {}), {})", newest, Sql("LIMIT 1 OFFSET ?", (reach,)), Sql(_LONG_AGO))
        return filled(
            "SELECT t.project_id, t.number FROM tickets t WHERE ({}) AND t.updated_at >= {} ORDER BY {} {}",
            self._where(),
            since,
            NEWEST,
            cut,
        )

    @cached_property
    def _in_order(self) -> Sql | None:
        """Look where an index has the tickets of one part, in the order of the list."""
        found = ((part, self._indexed(part)) for part in self._parts)
        return next((self._directly(part, indexed) for part, indexed in found if indexed), None)

    def _indexed(self, part: Node) -> Sql | None:
        term = _wanted_term(part)
        index = IN_ORDER.get(term.key) if term else None
        return index(self._search, term.values) if index and term else None

    def _directly(self, part: Node, indexed: Sql) -> Sql:
        """Leave the database no other index: none serves a sum."""
        here = Sql("t.account_id = ?", (self._transaction.account_id,))
        project_ids = self._search.names.scope.project_ids
        # A person's work in another project since may be long: the project's own list tells where to begin.
        values = (self._transaction.account_id, *project_ids)
        latest = [Sql(_NO_LATER, values)] if len(project_ids) == 1 else []
        projects = within("t.project_id + 0", project_ids)
        others = [self._by_index(other) or sql for other, sql in self._conditions.items() if other != part]
        where = every([here, projects, indexed, *latest, *others])
        return filled("SELECT t.project_id, t.number FROM tickets t WHERE {}", where)

    def _by_index(self, part: Node) -> Sql | None:
        # Only SQLite's index has the tags in it; elsewhere every row would be read for them.
        if self._ordered is None:
            return None
        term = _wanted_term(part)
        return BY_INDEX[term.key](self._search, term.values) if term and term.key in BY_INDEX else None

    def _sorted(self, listed: Node | None, cut: Sql) -> Sql:
        """Look among all tickets, or among those that a part lists."""
        if listed and listed is self._lists.whole and self._order is NEWEST and self._ordered:
            return self._ordered.newest(self._lists.of[listed], cut)
        return filled("{} ORDER BY {} {}", self._unordered(listed), self._order, cut)

    def _unordered(self, listed: Node | None) -> Sql:
        if listed is None:
            return filled("SELECT t.project_id, t.number FROM tickets t WHERE {}", self._where())
        if indexed := self._indexed(listed):
            # What its index has of each ticket need not be looked up again.
            return self._directly(listed, indexed)
        exact = listed_exactly(listed)
        is_whole = listed is self._lists.whole
        return filled(
            f"""WITH listed AS MATERIALIZED (SELECT {"" if exact else "DISTINCT "}* FROM ({{}}) AS lists)
            SELECT t.project_id, t.number FROM listed CROSS JOIN tickets t
            WHERE t.project_id = listed.project_id AND t.number = listed.number AND ({{}})""",  # noqa: S608 - our own words
            self._lists.of[listed],
            self._in_scope if is_whole else self._where(listed if exact else None),
        )

    # --- Conditions --------------------------------------------------------------------------------

    @cached_property
    def _in_scope(self) -> Sql:
        project_ids = self._search.names.scope.project_ids
        here = Sql("t.account_id = ?", (self._transaction.account_id,))
        return every([here, within("t.project_id", project_ids)])

    @cached_property
    def _conditions(self) -> dict[Node, Sql]:
        return {part: self._condition(part) for part in self._parts}

    def _where(self, without: Node | None = None) -> Sql:
        """Say everything that must hold, save a part that is taken care of."""
        return every([self._in_scope, *(sql for part, sql in self._conditions.items() if part != without)])

    def _condition(self, node: Node) -> Sql:
        if node.is_text:
            return self._texts.row(node)
        if isinstance(node, Group):
            return together(node, self._condition)
        sql = self._asked(node)
        return sql if node.wanted else sql.negated

    def _asked(self, leaf: Leaf) -> Sql:
        term = term_of(leaf)
        return CONDITIONS[term.key](self._search, term.values) if term else ANYTHING


def _wanted_term(part: Node) -> Term | None:
    return term_of(part) if isinstance(part, Leaf) and part.wanted else None
