"""What the parts of a query list, and how long these lists are."""

from collections.abc import Sequence
from functools import cached_property

from skerry.store.search.keys import BESIDE_TAGS, KEYS, LISTINGS, Search, tagged_beside
from skerry.store.search.sql import Sql, filled
from skerry.store.search.texts import OrderedTexts, Texts
from skerry.store.search.tree import Group, Leaf, Node, needs_a_word
from skerry.store.transactions import Transaction
from skerry.text.query_tree import Comparison, Number, Term

MANY = 100_000
"""Tickets that are rather listed and sorted than looked for among all, where nothing else is left."""

MOST_LISTS = 20
"""Alternatives that are listed together."""


class Lists:
    """The lists of a query's parts, all of which must hold; each is counted as seldom as may be."""

    def __init__(
        self, transaction: Transaction, search: Search, texts: Texts, parts: Sequence[Node], counting: int
    ) -> None:
        """Ask for nothing yet; a list that is the answer itself is counted as far as ``counting`` at once."""
        self._transaction, self._search, self._texts = transaction, search, texts
        self._parts, self._counting = parts, counting
        self._lengths: dict[Node, tuple[int, int]] = {}

    def fitting(self) -> Node | None:
        """Give the part whose list is to be gone through: a short one, or else that of the words."""
        return self.shortest(MANY) or next((part for part in self.of if part.is_text), None)

    def shortest(self, fewer_than: int) -> Node | None:
        """Give the part with the shortest list, None if all of them are too long."""
        # No list is shorter than one that is the answer itself, and its length is the total.
        best = self.whole or self._numbered
        asked = [best] if best else self.of
        sizes = {part: self.length(part, fewer_than) for part in asked}
        shortest = min(sizes, key=sizes.__getitem__, default=None)
        return shortest if shortest and sizes[shortest] < fewer_than else None

    def length(self, part: Node, at_most: int) -> int:
        """Give how many tickets a part lists, or ``at_most`` if they are as many or more."""
        found, bound = self._lengths.get(part, (0, 0))
        if found == bound < at_most:
            bound = max(at_most, self._counting if part == self.whole else 0)
            found = size(self._transaction, self._rows(part), bound)
            self._lengths[part] = found, bound
        return min(found, at_most)

    def _rows(self, part: Node) -> Sql:
        """Give a row for each ticket of a list; SQLite counts rows without columns a third quicker."""
        if part.is_text:
            return self._texts.places(part)
        listed = self.of[part]
        # The lists of a group are put together, and must have the same columns for that.
        return Sql(listed.text.replace(KEYS, "SELECT 1"), listed.values) if listed_exactly(part) else listed

    @cached_property
    def whole(self) -> Node | None:
        """Give the part whose list is the answer: it stands alone, or is a tag and its rows say the rest."""
        for part in self._parts:
            others = {*self._parts} - {part}
            term = term_of(part) if isinstance(part, Leaf) else None
            known = self._beside_tags if term and term.key == "tagged" else ()
            if part in self.of and listed_exactly(part) and others.issubset(known):
                return part
        return None

    @cached_property
    def _numbered(self) -> Node | None:
        """Give the part that names tickets by their numbers, so few that no other list need be counted."""
        terms = ((part, term_of(part)) for part in self.of if isinstance(part, Leaf))
        return next((part for part, term in terms if term and term.key == "number"), None)

    @cached_property
    def of(self) -> dict[Node, Sql]:
        """What each part lists: the tickets it is true of; for a group also others, and some twice."""
        return {part: sql for part in self._parts if (sql := self._list(part)) is not None}

    def _list(self, part: Node) -> Sql | None:
        if part.is_text:
            listable = isinstance(self._texts, OrderedTexts) or needs_a_word(part)
            return self._texts.hits(part) if listable else None
        if isinstance(part, Group):
            if len(part.parts) > MOST_LISTS:
                return None
            lists = [sql for each in part.parts if (sql := self._list(each)) is not None]
            if part.every:
                return lists[0] if lists else None
            whole = len(lists) == len(part.parts)
            return filled(" UNION ALL ".join(["{}"] * len(lists)), *lists) if whole else None
        term = term_of(part) if part.wanted else None
        if term and term.key == "tagged":
            return tagged_beside(self._search, term.values, self._beside_tags.values())
        listing = LISTINGS.get(term.key) if term else None
        return listing(self._search, term.values) if listing and term else None

    @cached_property
    def _beside_tags(self) -> dict[Node, Sql]:
        """What the rows of tags say themselves, of the parts that must all hold."""
        found = ((part, term_of(part)) for part in self._parts if isinstance(part, Leaf) and part.wanted)
        known = {
            part: (BESIDE_TAGS[term.key], term) for part, term in found if term and term.key in BESIDE_TAGS
        }
        pieces = {part: beside(self._search, term.values) for part, (beside, term) in known.items()}
        return {part: each for part, each in pieces.items() if each is not None}


def size(transaction: Transaction, sql: Sql, at_most: int) -> int:
    """Give how many rows there are, or ``at_most`` if they are as many or more.

    Every page of a search needs the same count; as long as nothing changes it is remembered.
    """
    limited = filled("SELECT count(*) FROM ({} {}) AS found", sql, Sql("LIMIT ?", (at_most,)))
    return transaction.recall(
        ("size", limited.digest), lambda: int(transaction.sql(limited.text, limited.values)[0][0])
    )


def listed_exactly(part: Node) -> bool:
    """Say whether the list of a part has each ticket once that it is true of, and no other."""
    return part.is_text or isinstance(part, Leaf)


def term_of(leaf: Leaf) -> Term | None:
    """Give what a leaf asks for as a keyword with its values, None if that is everything."""
    part = leaf.part
    if isinstance(part, Number):
        return Term("number", (Comparison("=", part.number),))
    return part if isinstance(part, Term) else None
