"""Full text on SQLite: an FTS5 table whose rows are in the order of the ticket list.

``search_words`` has one row for each ticket, with its words from ``text/words.py``, separated by blanks, and
``_`` at the end of each text. Its column ``place`` has a word for every ticket, one for the account and one
for the project, all with an underscore, which no word of a text has. A rowid is greater than those of all
tickets of the account that come later in the list; so a page is read from the index without sorting.
``search_places`` maps tickets to rowids. Rowids are small: before 3.42, an index with two that are 2^56 or
more apart loses rows when it is read downwards.
"""

from collections.abc import Sequence
from typing import Any

from skerry.database.transactions import Transaction
from skerry.store.search.sql import NOTHING, Sql, either, filled, together
from skerry.store.search.sqlite_index import Index
from skerry.store.search.tree import Group, Leaf, Node, Run

_ALL = '"_"'
_NEVER = '"__"'

# FTS5 keeps the original content in this table, by rowid.
_OF_TICKET = """FROM search_places p CROSS JOIN search_words_content c
    WHERE p.account_id = t.account_id AND p.project_id = t.project_id AND p.number = t.number
        AND c.id = p.place"""
_COLUMNS = {"title": "c.c0", "body": "c.c1", "comments": "c.c2"}


class FullText(Index):
    """Full-text search in some projects of one account."""

    def __init__(self, transaction: Transaction, project_ids: Sequence[int]) -> None:
        super().__init__(transaction)
        account_id = transaction.account_id
        named = " OR ".join(f'"_{account_id}_{project_id}"' for project_id in project_ids)
        self._scope = f"({named})" if len(project_ids) > 1 else named

    @property
    def sees_less(self) -> bool:
        """Return whether tickets are hidden, which the words themselves do not say."""
        return self._transaction.sight is not None and self._transaction.sight.key is not None

    def row(self, node: Node) -> Sql:
        """Return the condition on one ticket.

        It does not use the index, which would collect all words with a prefix even for one row.
        """
        return filled(f"EXISTS (SELECT 1 {_OF_TICKET} AND ({{}}))", _in_texts(node))

    @staticmethod
    def can_list(_node: Node) -> bool:
        """Return whether the index can list the tickets that match."""
        return True

    def hits(self, node: Node) -> Sql:
        """Return the tickets that match."""
        return filled(
            """SELECT p.project_id, p.number FROM search_words w CROSS JOIN search_places p
            WHERE w.search_words MATCH {} AND p.place = w.rowid""",
            self.match(node),
        )

    def places(self, node: Node) -> Sql:
        """Return a row for each ticket that matches, for counting only."""
        if self.sees_less:
            return self.hits(node)
        return filled("SELECT 1 FROM search_words w WHERE w.search_words MATCH {}", self.match(node))

    def page(self, node: Node, cut: Sql) -> Sql:
        """Return a page of the tickets that match, in the order of the list."""
        return filled(
            """SELECT p.project_id, p.number FROM (
                SELECT w.rowid AS place FROM search_words w WHERE w.search_words MATCH {}
                ORDER BY w.rowid DESC {}
            ) AS hit CROSS JOIN search_places p WHERE p.place = hit.place ORDER BY hit.place DESC""",
            self.match(node),
            cut,
        )

    @staticmethod
    def title() -> Sql:
        """Return the words of a ticket's title as one text."""
        return Sql(f"(SELECT c.c0 {_OF_TICKET})")

    @staticmethod
    def exact(column: str) -> str:
        """Return a column that is ordered by code points."""
        return column

    def match(self, node: Node) -> Sql:
        """Return the argument of MATCH."""
        return Sql("?", (f"{_bracketed(node)} AND {self._scope}",))

    def readings(self, node: Node) -> dict[str, list[Any]]:
        """Return the places of the tickets that match, reading the index in both directions."""
        hits = "SELECT w.rowid FROM search_words w WHERE w.search_words MATCH {} ORDER BY w.rowid"
        upwards, downwards = (
            [row[0] for row in self._transaction.sql(*filled(f"{hits} {way}", self.match(node)))]
            for way in ("ASC", "DESC")
        )
        return {"the index upwards": upwards, "the index downwards": downwards[::-1]}


def expression(node: Node) -> str:
    """Return a node as an FTS5 expression, in which NOT is a binary operator."""
    if isinstance(node, Leaf):
        return _leaf(node.run) if node.wanted else f"{_ALL} NOT {_leaf(node.run)}"
    if not node.every:
        first, *others = node.parts
        # As in SQL, a group joined with AND needs no brackets if it comes first.
        is_joined = isinstance(first, Group) and first.every
        begin = expression(first) if is_joined else _bracketed(first)
        return " OR ".join([begin, *map(_bracketed, others)])
    unwanted = [part for part in node.parts if isinstance(part, Leaf) and not part.wanted]
    wanted = [_bracketed(part) for part in node.parts if part not in unwanted]
    both = " AND ".join(wanted or [_ALL])
    without = " OR ".join(_leaf(part.run) for part in unwanted)
    # NOT binds more tightly than AND, which makes no difference here: a AND (b NOT c) is (a AND b) NOT c.
    return f"{both} NOT ({without})" if without else both


def _bracketed(node: Node) -> str:
    if isinstance(node, Leaf) and node.wanted:
        return _leaf(node.run)
    return f"({expression(node)})"


def _leaf(run: Run) -> str:
    if not run.words:
        return _NEVER
    words = f'"{" ".join(run.words)}"{" *" * run.prefix}'
    return f"{{{run.text}}} : {words}" if run.text else words


def _in_texts(node: Node) -> Sql:
    """Return the same condition on the texts themselves."""
    if isinstance(node, Group):
        return together(node, _in_texts)
    condition = _in_text(node.run)
    return condition if node.wanted else condition.negated


def _in_text(run: Run) -> Sql:
    if not run.words:
        return NOTHING
    spaced = f" {' '.join(run.words)}{'' if run.prefix else ' '}"
    columns = [_COLUMNS[run.text]] if run.text else _COLUMNS.values()
    return either(Sql(f"instr(' ' || {column} || ' ', ?) > 0", (spaced,)) for column in columns)
