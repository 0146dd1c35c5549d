"""Pieces of SQL with their values, combined for each query.

Every text is a constant of this program with ``?`` for each value; user input is only ever a value.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from skerry.store.search.tree import Group, Node

ABREAST = 10
"""How many parts are joined in one row: SQLite limits expressions to a depth of 1,000."""


class Sql(NamedTuple):
    """A piece of SQL, and the values of its placeholders in order."""

    text: str
    values: tuple[Any, ...] = ()

    @property
    def negated(self) -> "Sql":
        """Return the negation; a condition is never NULL."""
        return Sql(f"NOT ({self.text})", self.values)

    @property
    def digest(self) -> bytes:
        """Return a short digest that identifies this piece."""
        return sha256(repr((self.text, self.values)).encode("utf-8", "surrogatepass")).digest()


NOTHING = Sql("1 = 0")
"""Matches no ticket.

A planner drops every other condition beside it. So it is never used in a subquery of another table, in which
the account must be evident; there a column is compared with a value that no row has.
"""

ANYTHING = Sql("1 = 1")
"""Matches every ticket."""


def among(column: str, values: Sequence[Any]) -> Sql:
    """Return the condition that a column has one of the values."""
    if not values:
        return Sql(f"{column} = ''")
    if len(values) == 1:
        return Sql(f"{column} = ?", tuple(values))
    return Sql(f"{column} IN ({', '.join('?' * len(values))})", tuple(values))


def within(column: str, ids: Sequence[int]) -> Sql:
    """Return the same condition for ids as literals: there may be more than a statement can bind."""
    if not ids:
        return Sql(f"{column} = -1")
    if len(ids) == 1:
        return among(column, ids)
    return Sql(f"{column} IN ({', '.join(map(str, map(int, ids)))})")


def in_scope(account_id: int, ids: Sequence[int], table: str, *, indexed: bool = True) -> list[Sql]:
    """Return the conditions that a row belongs to the account, and to one of some projects.

    A column in a sum cannot use an index: unless ``indexed``, the database does not read all of a project.
    """
    project = f"{table}project_id" if indexed else f"{table}project_id + 0"
    return [Sql(f"{table}account_id = ?", (account_id,)), within(project, ids)]


def every(parts: Iterable[Sql]) -> Sql:
    """Return the condition that all of the parts hold."""
    return _joined(list(parts), " AND ", ANYTHING)


def either(parts: Iterable[Sql]) -> Sql:
    """Return the condition that any of the parts holds."""
    return _joined(list(parts), " OR ", NOTHING)


def together(group: Group, say: Callable[[Node], Sql]) -> Sql:
    """Return the conditions joined with as few brackets as possible, because parsers limit their depth."""
    pieces = [say(part) for part in group.parts]
    if group.every:
        return every(pieces)
    # The part with the most brackets comes first, where a group joined with AND needs no brackets of its own.
    first = group.parts[0]
    return _joined(pieces, " OR ", NOTHING, bare=isinstance(first, Group) and first.every)


def _joined(parts: list[Sql], word: str, none: Sql, *, bare: bool = False) -> Sql:
    if len(parts) < 2:  # noqa: PLR2004 - too few to join
        return parts[0] if parts else none
    if len(parts) > ABREAST:
        # The first part is nested most deeply already, so it is not nested further.
        rows = range(1, len(parts), ABREAST)
        others = [_joined(parts[start : start + ABREAST], word, none) for start in rows]
        return _joined([parts[0], *others], word, none, bare=bare)
    frames = ["{}" if bare else "({})", *["({})"] * (len(parts) - 1)]
    return filled(word.join(frames), *parts)


def filled(frame: str, *parts: Sql) -> Sql:
    """Return a frame with ``{}`` replaced by each of the pieces."""
    values = tuple(value for part in parts for value in part.values)
    return Sql(frame.format(*(part.text for part in parts)), values)
