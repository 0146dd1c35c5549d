"""The syntax tree of a query, with frozen values.

Positions count characters from 1 and take no part in comparing: two queries are equal when they
mean the same, wherever their words stand.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from skerry.text.queries.dates import DateSpan


class QueryError(ValueError):
    """A query or command that cannot be understood: where (counted from 1), and a sentence."""

    def __init__(self, position: int, sentence: str) -> None:
        """Keep the position; ``str()`` gives the sentence, which names the position too."""
        self.position = position
        super().__init__(sentence)


@dataclass(frozen=True)
class Text:
    """A value that only the project can resolve: a state, a person, a milestone, a tag."""

    text: str
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Nothing:
    """The bare word ``none``: nobody, or no milestone. Between quotes it is a name like any other."""

    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Comparison:
    """A whole number and how to compare with it: ``=``, ``<``, ``<=``, ``>`` or ``>=``."""

    op: str
    number: int
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Dates:
    """A span of time, still to be resolved against a clock by ``dates.resolve``."""

    span: DateSpan
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Word:
    """One word of full text; as a prefix it stands for every word that begins so."""

    text: str
    prefix: bool = False
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Phrase:
    """Words of full text that must follow one another."""

    text: str
    position: int = field(default=0, compare=False)


Value = Text | Nothing | Comparison | Dates | Word | Phrase


@dataclass(frozen=True)
class Term:
    """One keyword, by its own name and never an alias, that has any of the values."""

    key: str
    values: tuple[Value, ...]
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Number:
    """The ticket of this number."""

    number: int
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Everything:
    """Every ticket; only ever the whole condition."""


@dataclass(frozen=True)
class And:
    """Two or more parts, all of which must hold."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Or:
    """Two or more parts, any of which must hold."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Not:
    """The part does not hold."""

    part: "Condition"


Condition = And | Or | Not | Term | Word | Phrase | Number | Everything


@dataclass(frozen=True)
class Sort:
    """One order: by ``key``, in the direction opposite to its usual one if ``reverse``."""

    key: str
    reverse: bool = False
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Query:
    """Which tickets, and in which order; no sorts means by last update.

    ``text`` is how it was written; it is empty if the result must not be cached under it: because it was not
    written by a person, is too long, or asks for relative times.
    """

    condition: Condition
    sorts: tuple[Sort, ...] = ()
    text: str = field(default="", compare=False)


def terms(condition: Condition) -> Iterator[Term]:
    """Yield the keywords of a condition, wherever they stand in it."""
    if isinstance(condition, Term):
        yield condition
    elif isinstance(condition, Not):
        yield from terms(condition.part)
    elif isinstance(condition, And | Or):
        for part in condition.parts:
            yield from terms(part)
