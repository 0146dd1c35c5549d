"""The syntax tree of a query, with frozen values.

Positions count characters from 1 and are ignored in comparisons: two queries are equal if they mean the same,
regardless of the positions of their words.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from skerry.text.queries.dates import DateSpan

MYSELF = "me"
"""The word for the reader of the results."""

NEXT = "next"
"""The word for the open milestone that is due first, today or later."""


class QueryError(ValueError):
    """A query or command that cannot be parsed: the position (counted from 1), and a sentence."""

    def __init__(self, position: int, sentence: str) -> None:
        """Create the error; ``str()`` returns the sentence, which contains the position too."""
        self.position = position
        super().__init__(sentence)


@dataclass(frozen=True)
class Text:
    """A value to be resolved by the project: a state, a person, a milestone, a tag."""

    text: str
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Nothing:
    """The bare word ``none``: nobody, or no milestone. In quotes it is an ordinary name."""

    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Comparison:
    """A whole number and a comparison operator: ``=``, ``<``, ``<=``, ``>`` or ``>=``."""

    op: str
    number: int
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Dates:
    """A span of time, to be resolved against a clock by ``dates.resolve``."""

    span: DateSpan
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Word:
    """A word of full text; as a prefix it stands for every word that begins with it."""

    text: str
    prefix: bool = False
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Phrase:
    """Words of full text that must follow each other."""

    text: str
    position: int = field(default=0, compare=False)


Value = Text | Nothing | Comparison | Dates | Word | Phrase


@dataclass(frozen=True)
class Term:
    """A keyword, by its own name and never an alias, with values of which any may match."""

    key: str
    values: tuple[Value, ...]
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Number:
    """The ticket with this number."""

    number: int
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Everything:
    """All tickets; only used as the whole condition."""


@dataclass(frozen=True)
class And:
    """Two or more parts that must all match."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Or:
    """Two or more parts of which any must match."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Not:
    """A part that must not match."""

    part: "Condition"


Condition = And | Or | Not | Term | Word | Phrase | Number | Everything


@dataclass(frozen=True)
class Sort:
    """An order: by ``key``, in the direction opposite to its usual one if ``reverse``."""

    key: str
    reverse: bool = False
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Query:
    """A condition for tickets, and their order; without sorts they are ordered by last update.

    ``text`` is the original text; it is empty if the result must not be cached under it, because it was not
    written by a person, is too long, or contains relative times.
    """

    condition: Condition
    sorts: tuple[Sort, ...] = ()
    text: str = field(default="", compare=False)


def depends_on_time(condition: Condition) -> bool:
    """Return whether a condition can match other tickets later although nothing has changed."""
    # The tickets at the other ends of links may belong to other projects.
    return any(
        value.span.is_relative if isinstance(value, Dates) else _is_next(term, value) or _is_linked(term)
        for term in terms(condition)
        for value in term.values
    )


def depends_on_reader(condition: Condition) -> bool:
    """Return whether a condition can match other tickets for other readers."""
    return any(
        isinstance(value, Text) and (value.text.casefold() == MYSELF or "@" in value.text or _is_linked(term))
        for term in terms(condition)
        for value in term.values
    )


def _is_linked(term: Term) -> bool:
    has_children = term.key == "has" and Text("children") in term.values
    return has_children or term.key in ("is", "blocked-by", "parent")


def _is_next(term: Term, value: Value) -> bool:
    return term.key == "milestone" and isinstance(value, Text) and value.text.casefold() == NEXT


def terms(condition: Condition) -> Iterator[Term]:
    """Yield the keywords of a condition at all levels."""
    if isinstance(condition, Term):
        yield condition
    elif isinstance(condition, Not):
        yield from terms(condition.part)
    elif isinstance(condition, And | Or):
        for part in condition.parts:
            yield from terms(part)
