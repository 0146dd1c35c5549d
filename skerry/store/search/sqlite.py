"""Full text on SQLite: an FTS5 table whose rows stand in the order of the ticket list.

``search_words`` has one row for each ticket, with its words as ``text/words.py`` gives them, blanks
between them, and ``_`` where a text ends. Its column ``place`` has a word for every ticket, one for
the account and one for the project, all with an underscore, which no word of a text has. A rowid
is greater than those of all tickets of the account that come later in the list; so a page is read
off the index without sorting. ``search_places`` says which ticket is at which rowid. Rowids are
small: before 3.42, an index with two that are 2^56 or more apart loses rows when it is read downwards.
"""

from collections.abc import Sequence

from skerry.store.engine.transactions import Transaction
from skerry.store.search.sql import NOTHING, Sql, either, filled, together
from skerry.store.search.tree import Group, Leaf, Node, Run

_ALL = '"_"'
_NEVER = '"__"'

# FTS5 keeps what it was given in this table, by rowid.
_OF_TICKET = """FROM search_places p CROSS JOIN search_words_content c
    WHERE p.account_id = t.account_id AND p.project_id = t.project_id AND p.number = t.number
        AND c.id = p.place"""
_COLUMNS = {"title": "c.c0", "body": "c.c1", "comments": "c.c2"}


class Texts:
    """How the words of tickets are searched for in some projects of one account."""

    in_order = True

    def __init__(self, transaction: Transaction, project_ids: Sequence[int]) -> None:
        """Keep what every search is narrowed to."""
        self.account_id = account_id = transaction.account_id
        named = " OR ".join(f'"_{account_id}_{project_id}"' for project_id in project_ids)
        self._scope = f"({named})" if len(project_ids) > 1 else named

    def row(self, node: Node) -> Sql:
        """Return the condition on one ticket.

        The index is not asked: for one row it would still gather all that begin with a prefix.
        """
        return filled(f"EXISTS (SELECT 1 {_OF_TICKET} AND ({{}}))", _in_texts(node))

    @staticmethod
    def can_list(_node: Node) -> bool:
        """Return whether the index can list the tickets that this is true of."""
        return True

    def hits(self, node: Node) -> Sql:
        """Return the tickets that it is true of."""
        return filled(
            """SELECT p.project_id, p.number FROM search_words w CROSS JOIN search_places p
            WHERE w.search_words MATCH {} AND p.place = w.rowid""",
            self.match(node),
        )

    def places(self, node: Node) -> Sql:
        """Return a row for each ticket that it is true of, good for nothing but counting."""
        return filled("SELECT 1 FROM search_words w WHERE w.search_words MATCH {}", self.match(node))

    def page(self, node: Node, cut: Sql) -> Sql:
        """Return a page of the tickets that it is true of, in the order of the list."""
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
        """Return a column that is ordered by its characters' numbers."""
        return column

    def match(self, node: Node) -> Sql:
        """Return what FTS5 is asked for."""
        return Sql("?", (f"{_bracketed(node)} AND {self._scope}",))


def expression(node: Node) -> str:
    """Write what FTS5 understands; its NOT stands between two parts only."""
    if isinstance(node, Leaf):
        return _leaf(node.run) if node.wanted else f"{_ALL} NOT {_leaf(node.run)}"
    if not node.every:
        first, *others = node.parts
        # As in SQL: what AND joins stands first without brackets.
        is_joined = isinstance(first, Group) and first.every
        begin = expression(first) if is_joined else _bracketed(first)
        return " OR ".join([begin, *map(_bracketed, others)])
    unwanted = [part for part in node.parts if isinstance(part, Leaf) and not part.wanted]
    wanted = [_bracketed(part) for part in node.parts if part not in unwanted]
    both = " AND ".join(wanted or [_ALL])
    without = " OR ".join(_leaf(part.run) for part in unwanted)
    # It binds closer than AND: without the last of them is all of them without.
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
    found = _in_text(node.run)
    return found if node.wanted else found.negated


def _in_text(run: Run) -> Sql:
    if not run.words:
        return NOTHING
    spaced = f" {' '.join(run.words)}{'' if run.prefix else ' '}"
    columns = [_COLUMNS[run.text]] if run.text else _COLUMNS.values()
    return either(Sql(f"instr(' ' || {column} || ' ', ?) > 0", (spaced,)) for column in columns)
