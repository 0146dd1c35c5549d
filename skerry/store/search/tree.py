"""The normalized condition of a query: negation only at the leaves, and no needless nesting."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from skerry.text.queries.query_tree import (
    And,
    Comparison,
    Condition,
    Everything,
    Not,
    Number,
    Or,
    Phrase,
    Term,
    Value,
    Word,
)
from skerry.text.words import words

_TEXTS = ("title", "body")


@dataclass(frozen=True)
class Run:
    """Consecutive words in one text, of which the last may be a prefix.

    ``text`` is ``title``, ``body``, or empty for any of a ticket's texts. A run without words matches
    nothing.
    """

    words: tuple[str, ...]
    prefix: bool
    text: str


@dataclass(frozen=True, eq=False)
class Leaf:
    """A condition that must match or, if it is not ``wanted``, must not; all leaves are distinct objects."""

    part: Term | Number | Everything | Run
    wanted: bool = True

    @property
    def is_text(self) -> bool:
        """Return whether this condition is about words of a ticket's texts."""
        return isinstance(self.part, Run)

    @property
    def run(self) -> Run:
        """Return the words; raises TypeError if it is not about words."""
        if not isinstance(self.part, Run):
            raise TypeError(f"{self.part} is not about words")
        return self.part

    @property
    def height(self) -> int:
        """Return how many places this takes on the stack of a parser."""
        return 1


@dataclass(frozen=True, eq=False)
class Group:
    """Several distinct parts, all or any of which must match, the highest first."""

    parts: tuple["Node", ...]
    every: bool
    is_text: bool = field(init=False, compare=False, default=False)
    height: int = field(init=False, compare=False, default=0)

    def __post_init__(self) -> None:
        """Put the highest part first.

        SQLite's parsers, of SQL and of full text, have a stack of 100 places: the bracket that
        begins a group takes one of them, a later one three.
        """
        parts = sorted(self.parts, key=lambda part: -part.height)
        needs = [part.height + (3 if place else 1) for place, part in enumerate(parts)]
        object.__setattr__(self, "parts", tuple(parts))
        object.__setattr__(self, "height", max(needs))
        object.__setattr__(self, "is_text", all(part.is_text for part in parts))


Node: TypeAlias = Leaf | Group


def simple(condition: Condition, *, wanted: bool = True) -> Node:
    """Return a condition with its negations moved to the leaves and its words separated."""
    if isinstance(condition, Not):
        return simple(condition.part, wanted=not wanted)
    if isinstance(condition, And | Or):
        every = isinstance(condition, And) is wanted
        return grouped((simple(part, wanted=wanted) for part in condition.parts), every=every)
    if isinstance(condition, Term) and condition.key in _TEXTS:
        runs = (Leaf(_run(value, condition.key), wanted) for value in condition.values)
        return grouped(runs, every=not wanted)
    return Leaf(_run(condition) if isinstance(condition, Word | Phrase) else condition, wanted)


def negated(node: Node) -> Node:
    """Return the negation."""
    if isinstance(node, Leaf):
        return Leaf(node.part, not node.wanted)
    return grouped(map(negated, node.parts), every=not node.every)


def grouped(parts: Iterable[Node], *, every: bool) -> Node:
    """Return joined parts: one of the same kind is flattened, and those about words become one part."""
    flat: list[Node] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Group) and part.every is every else [part])
    texts = [part for part in flat if part.is_text]
    if 1 < len(texts) < len(flat):
        flat = [Group(tuple(texts), every), *(part for part in flat if not part.is_text)]
    return flat[0] if len(flat) == 1 else Group(tuple(flat), every)


def _run(value: Value, text: str = "") -> Run:
    if not isinstance(value, Word | Phrase):
        raise TypeError(f"A text holds words, not {value}")
    return Run(tuple(words(value.text)), isinstance(value, Word) and value.prefix, text)


def conjuncts(node: Node) -> tuple[Node, ...]:
    """Return the parts that must all match; parts about words stay together."""
    if isinstance(node, Group) and node.every and not node.is_text:
        return node.parts
    return (node,)


def leaves(node: Node) -> int:
    """Return the number of leaves that are not about words."""
    if isinstance(node, Group):
        return sum(map(leaves, node.parts))
    return 0 if node.is_text else 1


def needs_a_word(node: Node) -> bool:
    """Return whether everything that matches has at least one of its words."""
    if isinstance(node, Leaf):
        return node.wanted
    return any(map(needs_a_word, node.parts)) if node.every else all(map(needs_a_word, node.parts))


def wanted_runs(node: Node) -> list[Run]:
    """Return the words anywhere in the tree that are searched for in any text."""
    if isinstance(node, Group):
        return [run for part in node.parts for run in wanted_runs(part)]
    part = node.part
    return [part] if isinstance(part, Run) and node.wanted and not part.text else []


def lists_exactly(part: Node) -> bool:
    """Return whether the list of a part has each matching ticket exactly once, and no others."""
    return part.is_text or isinstance(part, Leaf)


def term_of(leaf: Leaf) -> Term | None:
    """Return the keyword of a leaf with its values, or None if it matches everything."""
    part = leaf.part
    if isinstance(part, Number):
        return Term("number", (Comparison("=", part.number),))
    return part if isinstance(part, Term) else None


def wanted_term(part: Node) -> Term | None:
    """Return the same for a part; None also if it is a group or must not match."""
    return term_of(part) if isinstance(part, Leaf) and part.wanted else None


def is_about(part: Node, key: str) -> bool:
    """Return whether a part is one keyword, which must match."""
    term = wanted_term(part)
    return term is not None and term.key == key
