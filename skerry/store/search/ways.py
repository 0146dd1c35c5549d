"""The ways to the tickets of a query, in SQL.

They are looked for among the tickets changed last, where an index has those of one part in the order of the
list, among those that a part lists, or among all. Which way is quick, ``finder`` finds out.
"""

from functools import cached_property

from skerry.store.search.keys import BY_INDEX, CONDITIONS, IN_ORDER, Search
from skerry.store.search.lists import Lists, listed_exactly, term_of
from skerry.store.search.names import Names
from skerry.store.search.orders import NEWEST, order_of
from skerry.store.search.sql import ANYTHING, Sql, every, filled, together, within
from skerry.store.search.texts import OrderedTexts, texts_of
from skerry.store.search.tree import Group, Leaf, Node, conjuncts, leaves
from skerry.store.transactions import Transaction
from skerry.text.query_tree import Sort, Term

JOINED = 5
"""Conditions that PostgreSQL may make joins of: it plans these together, a hundred of them for seconds."""

FENCE = " LIMIT 1 OFFSET 0"
"""What keeps PostgreSQL from making a join of a condition; it changes nothing else."""

_NO_LATER = """t.updated_at <= (SELECT max(last.updated_at) FROM tickets last
    WHERE last.account_id = ? AND last.project_id = ?)"""

_INDEXED = """SELECT t.project_id, t.number FROM tickets t
    INDEXED BY ix_tickets_account_id_updated_at_project_id_number WHERE {}"""

_LONG_AGO = str(-(2**63))


class Ways:
    """A query with all that is known of it, and the ways to its tickets."""

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
        if listed is None and self._is_by_update:
            # By itself it takes another index, and sorts all instead of the few that it needs.
            rows = filled(_INDEXED, self._where())
        else:
            rows = self._unordered(listed)
        return filled("{} ORDER BY {} {}", rows, self._order, cut)

    @property
    def _is_by_update(self) -> bool:
        """Say whether SQLite has an index in the order of several projects, as far as last update goes."""
        if self._order is NEWEST or self._ordered is None:
            return False
        return self._sorts[0].key == "updated" and len(self._names.scope.project_ids) > 1

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
