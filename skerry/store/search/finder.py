"""Execution of a query.

Two strategies, the same on both databases:

- *Walk*: read tickets from an index in the order of the list, and keep those that match, until a page is
full.
- *Gather*: take all tickets that one part of the query lists, keep those that match the others too, and sort.

The rule: a page near the beginning is first looked for among the tickets changed last. If these do not fill
it, a part that lists fewer than ``FEW`` tickets is gathered; without one, the walk continues to the end, or,
where the rows of other tables must be read for each ticket, through the ``LOOKED_AT`` tickets changed last. A
part that lists fewer than ``HANDFUL`` is gathered at once. A query of words alone is read in order from the
full-text index if that is in the order of the list. Totals are counted up to a limit over the same rows.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from operator import itemgetter
from typing import TypeVar

from skerry.database.statements import Row
from skerry.database.transactions import Transaction
from skerry.store.search.index import InOrder, full_text
from skerry.store.search.keys import CONDITIONS, Search, is_in_index
from skerry.store.search.listings import BESIDE_TAGS, KEYS, LISTINGS, one_responsible, tagged_beside
from skerry.store.search.names import Names
from skerry.store.search.orders import DATED, NEWEST, RANKED_ORDERS, UNINDEXED_ORDERS, halves, order_of
from skerry.store.search.sql import ANYTHING, Sql, every, filled, together
from skerry.store.search.tree import (
    Group,
    Node,
    conjuncts,
    is_about,
    leaves,
    lists_exactly,
    term_of,
    wanted_term,
)
from skerry.store.ticket_rows import ticket_pages
from skerry.store.ticket_rows.ticket_pages import TicketMarker
from skerry.text.queries.query_tree import Sort

REACH, REACH_WORDS = 1_000, 300
"""How many of the tickets changed last are searched for a page; fewer with words, which are slower."""

NEAR = 500
"""Pages up to this position are near the beginning."""

HANDFUL, FEW = 300, 10_000
"""Lists of fewer tickets are gathered: at once, or if the page is not near."""

LOOKED_AT, LOOKED_AT_WORDS = 12_000, 5_000
"""How many of the tickets changed last are compared where that is slow; fewer with words."""

LOOKED_AT_RANKED = 100_000
"""The same for orders that must be worked out for each ticket from what the index of the list holds."""

COUNTED = 1_000
"""Tickets are counted up to this number; beyond it, it is only known that there are more."""

MAX_LISTS = 20
"""The maximum number of alternatives that are listed together."""

JOINED = 5
"""How many conditions PostgreSQL may turn into joins: planning a hundred of them takes seconds."""

FENCE = " LIMIT 1 OFFSET 0"
"""Keeps PostgreSQL from turning a condition into a join; it has no other effect."""

_MARKED = f"""SELECT {", ".join(f"m.{name}" for name in TicketMarker._fields)}
    FROM ({{}}) AS page CROSS JOIN tickets m
    WHERE m.account_id = {{}} AND m.project_id = page.project_id AND m.number = page.number"""  # noqa: S608 - our own words

_TICKETS = "SELECT t.project_id, t.number FROM tickets t WHERE {}"

_PLACE = itemgetter(*map(TicketMarker._fields.index, ("updated_at", "project_id", "number")))

_LONG_AGO = str(-(2**63))

T = TypeVar("T")

Keys = list[tuple[int, int]]


class Finder:
    """Executes one query with the strategies that the module describes."""

    def __init__(
        self, transaction: Transaction, node: Node, sorts: tuple[Sort, ...], names: Names, *, hurried: bool
    ) -> None:
        """Create a finder of tickets in at least one project.

        If it is ``hurried``, a slow search only covers the tickets changed last, which the transaction notes.
        """
        self._transaction, self._hurried = transaction, hurried
        self._node, self._sorts, self._names = node, sorts, names
        self._search = Search(transaction, names, FENCE if leaves(node) > JOINED else "")
        self._texts = full_text(transaction, names.scope.project_ids)
        # Words are the slowest to check in a ticket, so they come last.
        self._parts = sorted(conjuncts(node), key=lambda part: part.is_text)
        self._has_words = any(part.is_text for part in self._parts)
        self._order, self._halves = order_of(sorts, node, self._texts, names), halves(sorts, node)
        self._total: int | None = None

    def page(self, limit: int, offset: int) -> Keys:
        """Return a page of tickets as project and number."""
        return self._joined(limit, offset) if self._halves else self._page(limit, offset, self._keys)

    def marks(self, limit: int, offset: int) -> list[Row]:
        """Return the markers of a page of tickets, in the order of the list with the same query."""
        if self._order is NEWEST:
            return self._page(limit, offset, self._marks)
        return ticket_pages.markers_of(self._transaction, self.page(limit, offset))

    def count(self, at_most: int) -> int:
        """Return how many tickets match, at most ``at_most``."""
        if self._total is not None:
            return min(self._total, at_most)
        if self._whole:
            return self._length(self._whole, at_most)
        part = self._shortest or (self._listed_words if at_most > FEW else None)
        return self._size(self._gathered(part) if part else self._searched, at_most)

    @property
    def _listed_words(self) -> Node | None:
        """Return the part about words, if its tickets can be listed: quicker than reading all texts."""
        return next((part for part in self._lists if part.is_text), None)

    def _page(self, limit: int, offset: int, fetch: Callable[[Sql], list[T]]) -> list[T]:
        cut, needed = Sql("LIMIT ? OFFSET ?", (limit, offset)), limit + offset
        if self._order is NEWEST:
            texts, is_alone = self._texts, self._has_words and len(self._parts) == 1
            if isinstance(texts, InOrder) and is_alone and not texts.sees_less:
                return fetch(texts.page(self._node, cut))
            if needed <= NEAR and not self._small_list:
                page = fetch(self._near((REACH_WORDS if self._has_words else REACH) + 4 * needed, cut))
                if len(page) == limit:
                    return page
        if self._shortest in (None, self._whole):
            rows = self._gathered(self._shortest) if self._shortest else self._ordered
            return fetch(filled("{} ORDER BY {} {}", rows, self._order, cut))
        # Checking all listed tickets is slow, so it is not repeated for the total.
        enough = Sql("LIMIT ?", (max(needed, COUNTED + 1),))
        all_of_it = fetch(filled("{} ORDER BY {} {}", self._gathered(self._shortest), self._order, enough))
        self._total = len(all_of_it)
        return all_of_it[offset:needed]

    def _joined(self, limit: int, offset: int) -> Keys:
        """Return a page of two searches, whose results follow each other."""
        first, second = (
            Finder(self._transaction, node, sorts, self._names, hurried=self._hurried)
            for node, sorts in self._halves
        )
        page = first.page(limit, offset)
        if len(page) == limit:
            return page
        before = offset + len(page) if page or not offset else first.count(offset)
        return page + second.page(limit - len(page), max(0, offset - before))

    def _near(self, reach: int, cut: Sql) -> Sql:
        """Return a walk over the newest ``reach`` tickets."""
        newest = filled("SELECT t.updated_at FROM tickets t WHERE {} ORDER BY {}", self._source, NEWEST)
        since = filled("coalesce(({} {}), {})", newest, Sql("LIMIT 1 OFFSET ?", (reach,)), Sql(_LONG_AGO))
        return filled("{} AND t.updated_at >= {} ORDER BY {} {}", self._walked, since, NEWEST, cut)

    @cached_property
    def _walked(self) -> Sql:
        """Return all tickets that match, as an index has them in the order of the list."""
        return filled(_TICKETS, every([self._source, *self._others(self._person)]))

    @cached_property
    def _searched(self) -> Sql:
        """Return the same, but only from the tickets changed last if it would be slow to examine all."""
        return filled("{} AND {}", self._walked, *self._bound) if self._bound else self._walked

    @cached_property
    def _bound(self) -> list[Sql]:
        if not self._hurried or self._looked_at is None:
            return []
        spans = (sql for part, sql in self._conditions.items() if is_about(part, "updated"))
        some = Sql("LIMIT 1 OFFSET ?", (self._looked_at,))
        where = every([self._source, *spans])
        first = filled("SELECT t.updated_at FROM tickets t WHERE {} ORDER BY {} {}", where, NEWEST, some)
        since_rows = self._transaction.sql(*first)
        for (since,) in since_rows:
            self._transaction.note_searched(since)
        return [Sql("t.updated_at >= ?", tuple(row)) for row in since_rows]

    @cached_property
    def _looked_at(self) -> int | None:
        """Return how many tickets are examined; few if other rows than the index of the list must be read."""
        order = self._sorts[0].key if self._sorts else ""
        parts = [part for part in self._parts if part is not self._dated]
        if order in UNINDEXED_ORDERS or not all(map(is_in_index, parts)):
            return LOOKED_AT_WORDS if self._has_words else LOOKED_AT
        return LOOKED_AT_RANKED if order in RANKED_ORDERS else None

    @cached_property
    def _dated(self) -> Node | None:
        """Return the part that asks for a due date, if the tickets are ordered by that."""
        is_due = bool(self._sorts) and self._sorts[0].key == "due" and not self._halves
        return next((part for part in self._parts if is_about(part, "due")), None) if is_due else None

    @cached_property
    def _ordered(self) -> Sql:
        """Return the matching tickets in the order of another index than the list's, if that is quicker."""
        if self._looked_at:
            return self._searched
        if self._dated:
            return filled(_TICKETS, every([self._here(indexed=False), DATED, *self._others(None)]))
        is_created = bool(self._sorts) and self._sorts[0].key == "created"
        if not is_created or self._size(self._walked, FEW) < FEW:
            return self._searched
        return filled(_TICKETS, every([self._here(indexed=False), *self._others(None)]))

    @cached_property
    def _person(self) -> Node | None:
        """Return the part that asks for one person's tickets, which have an index in this order."""
        return next((part for part in self._parts if self._responsible(part)), None)

    def _responsible(self, part: Node) -> Sql | None:
        term = wanted_term(part)
        return one_responsible(self._search, term.values) if term and term.key == "responsible" else None

    @cached_property
    def _source(self) -> Sql:
        """Return the condition that selects the index to walk."""
        person = self._responsible(self._person) if self._person else None
        return every([self._here(indexed=False), person]) if person else self._here()

    def _gathered(self, part: Node) -> Sql:
        """Return the tickets that a part lists and that match the others too."""
        exact = lists_exactly(part)
        others = [] if part is self._whole else self._others(part if exact else None)
        return filled(
            f"""WITH listed AS MATERIALIZED (SELECT {"" if exact else "DISTINCT "}* FROM ({{}}) AS lists)
            SELECT t.project_id, t.number FROM listed CROSS JOIN tickets t
            WHERE t.project_id = listed.project_id AND t.number = listed.number AND ({{}})""",  # noqa: S608 - our own words
            self._lists[part],
            every([self._here(), *others]),
        )

    def _here(self, *, indexed: bool = True) -> Sql:
        return self._search.in_scope("t.", indexed=indexed)

    def _others(self, without: Node | None) -> Iterable[Sql]:
        """Yield the conditions on a ticket, except that of a part that is ensured otherwise."""
        return (sql for part, sql in self._conditions.items() if part is not without)

    @cached_property
    def _conditions(self) -> dict[Node, Sql]:
        return {part: self._condition(part) for part in self._parts}

    def _condition(self, node: Node) -> Sql:
        if node.is_text:
            return self._texts.row(node)
        if isinstance(node, Group):
            return together(node, self._condition)
        term = term_of(node)
        sql = CONDITIONS[term.key](self._search, term.values) if term else ANYTHING
        return sql if node.wanted else sql.negated

    @cached_property
    def _shortest(self) -> Node | None:
        """Return the part with the shortest list, if it is short enough to be gathered."""
        return self._small_list or self._shorter(self._lists, FEW)

    @cached_property
    def _small_list(self) -> Node | None:
        """Return that part, if its list is so short that it is gathered before any walk."""
        # PostgreSQL collects all hits of a word before it counts the first.
        quick = (part for part in self._lists if isinstance(self._texts, InOrder) or not part.is_text)
        return self._shorter(quick, HANDFUL)

    def _shorter(self, parts: Iterable[Node], bound: int) -> Node | None:
        # No list is shorter than one that is the complete result.
        sizes = {part: self._length(part, bound) for part in parts if self._whole in (None, part)}
        shortest = min(sizes, key=sizes.__getitem__, default=None)
        return shortest if shortest and sizes[shortest] < bound else None

    @cached_property
    def _whole(self) -> Node | None:
        """Return the part whose list is the result: the only one, or a tag whose rows have the rest."""
        for part in self._lists:
            others = {*self._parts} - {part}
            term = wanted_term(part)
            known = self._beside_tags if term and term.key == "tagged" else ()
            if lists_exactly(part) and others.issubset(known):
                return part
        return None

    @cached_property
    def _lists(self) -> dict[Node, Sql]:
        """Return the list of each part: the matching tickets; for a group also others, and some twice."""
        return {part: sql for part in self._parts if (sql := self._list(part)) is not None}

    def _list(self, part: Node) -> Sql | None:
        if part.is_text:
            return self._texts.hits(part) if self._texts.can_list(part) else None
        if isinstance(part, Group):
            if len(part.parts) > MAX_LISTS:
                return None
            lists = [sql for each in part.parts if (sql := self._list(each)) is not None]
            if part.every:
                return lists[0] if lists else None
            is_whole = len(lists) == len(part.parts)
            return filled(" UNION ALL ".join(["{}"] * len(lists)), *lists) if is_whole else None
        term = wanted_term(part)
        if term and term.key == "tagged":
            return tagged_beside(self._search, term.values, self._beside_tags.values())
        listing = LISTINGS.get(term.key) if term else None
        return listing(self._search, term.values) if listing and term else None

    @cached_property
    def _beside_tags(self) -> dict[Node, Sql]:
        """Return the parts that can be checked in the rows of tags alone."""
        terms = ((part, wanted_term(part)) for part in self._parts)
        known = {part: term for part, term in terms if term and term.key in BESIDE_TAGS}
        pieces = {part: BESIDE_TAGS[term.key](self._search, term.values) for part, term in known.items()}
        return {part: each for part, each in pieces.items() if each is not None}

    def _length(self, part: Node, at_most: int) -> int:
        """Return how many tickets a part lists; SQLite counts rows without columns faster by a third."""
        listed = self._texts.places(part) if part.is_text else self._lists[part]
        # The lists of a group are combined, and need the same columns for that.
        rows = Sql(listed.text.replace(KEYS, "SELECT 1"), listed.values) if lists_exactly(part) else listed
        return self._size(rows, at_most)

    def _size(self, rows: Sql, at_most: int) -> int:
        limited = filled("SELECT count(*) FROM ({} {}) AS found", rows, Sql("LIMIT ?", (at_most,)))
        return int(self._transaction.sql(*limited)[0][0])

    def _keys(self, sql: Sql) -> Keys:
        return [(row[0], row[1]) for row in self._transaction.sql(*sql)]

    def _marks(self, sql: Sql) -> list[Row]:
        asked = filled(_MARKED, sql, Sql("?", (self._transaction.account_id,)))
        # The join may change the order of the page.
        return sorted(self._transaction.sql(*asked), key=_PLACE, reverse=True)
