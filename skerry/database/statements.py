"""SQL statements, built once at import and compiled at their first use with each database.

Building a statement for each call costs more than running it, and SQLAlchemy's result rows cost
as much again; so the clause is only the source text, and the driver's own cursor executes it.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Literal
from weakref import WeakSet

from sqlalchemy import (
    ARRAY,
    BigInteger,
    BindParameter,
    ClauseElement,
    ColumnElement,
    Dialect,
    FromClause,
    Insert,
    Integer,
    ScalarSelect,
    Table,
    TextClause,
    UpdateBase,
    and_,
    any_,
    bindparam,
    case,
    func,
    insert,
    literal_column,
    or_,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import visitors
from sqlalchemy.sql.compiler import SQLCompiler

Row = tuple[Any, ...]

# ``everything`` is a part of what a caller sees: ``Visibility`` in ``store/projects.py``.
PROJECT = frozenset({"project_id", "project_ids", "everything"})

Across = Literal["upkeep", "administration", "person", "checked", "place"]
"""Why a statement names neither a project nor what its caller sees.

- ``upkeep``: no caller gets the rows: background work, moves, checks, archives
- ``administration``: only administrators get here, who see everything
- ``person``: the rows of one person, such as memberships or notifications
- ``checked``: events, which ``tracker/events/event_access.py`` compares with what each reader sees
- ``place``: the project of a row, which is then entered
"""

_INLINE = re.compile(r"__\[POSTCOMPILE_(\w+?)(?:~~.*?~~)?\]")


def in_account(table: FromClause) -> ColumnElement[bool]:
    """Return the condition that a row belongs to the bound account."""
    return table.c.account_id == bindparam("account_id")


def in_project(table: FromClause) -> ColumnElement[bool]:
    """Return the condition that a row belongs to the bound account and project."""
    return and_(in_account(table), table.c.project_id == bindparam("project_id"))


def in_ticket(table: FromClause) -> ColumnElement[bool]:
    """Return the condition that a row belongs to the bound account, project and ticket."""
    return and_(in_project(table), table.c.number == bindparam("number"))


def matching(table: FromClause, other: FromClause, *names: str, **renamed: str) -> ColumnElement[bool]:
    """Return the condition that two rows are of one account and agree in columns, which may be renamed."""
    pairs = {name: name for name in ("account_id", *names)} | renamed
    return and_(*(table.c[own] == other.c[name] for own, name in pairs.items()))


def is_same(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that a column has the bound value, which may be NULL.

    PostgreSQL does not look up ``IS NOT DISTINCT FROM`` in an index.
    """
    value = bindparam(name, type_=column.type)
    return or_(column == value, and_(column.is_(None), value.is_(None)))


def insert_into(table: Table, *, without: Collection[str] = ()) -> Insert:
    """Return the insertion of a row, each column bound by its name; those that are left out stay empty."""
    names = [column.name for column in table.c if column.name not in without]
    return insert(table).values({name: bindparam(name) for name in names})


def inline_literal(name: str) -> BindParameter[int]:
    """Return an integer parameter that is rendered into the SQL, so that each value has its own plan.

    This is for limits: without the number, PostgreSQL plans for a tenth of all rows, and plans again for each
    call because it considers the generic plan too expensive.
    """
    return bindparam(name, type_=Integer, literal_execute=True)


def unplanned_literal(name: str) -> ScalarSelect[int]:
    """Return a whole number hidden from the planner by a subquery.

    Otherwise PostgreSQL would plan again for each value that makes the query cheaper than average.
    """
    return select(bindparam(name, type_=BigInteger)).scalar_subquery()


class OneOf(ColumnElement[bool]):
    """The condition that a column equals one of the values of a list; each value is looked up in the index.

    PostgreSQL receives the list as one array, so the statement text and its cached plan are the same for
    every list. Where the best plan depends on the values, use ``in_`` instead, which renders them one by one.
    """

    inherit_cache = False

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        """Bind the list to a name."""
        self.column, self.name = column, name


@compiles(OneOf)
def _inlined(one_of: OneOf, compiler: SQLCompiler, **how: Any) -> str:
    return compiler.process(one_of.column.in_(bindparam(one_of.name, expanding=True)), **how)


@compiles(OneOf, "postgresql")
def _as_array(one_of: OneOf, compiler: SQLCompiler, **how: Any) -> str:
    values = bindparam(one_of.name, type_=ARRAY(one_of.column.type))
    return compiler.process(one_of.column == any_(values), **how)


def not_by_index(column: ColumnElement[int]) -> ColumnElement[int]:
    """Return a number in a form that no index has, where rows are to be looked up by another column.

    SQLite would rather read a whole project than look up some rows of it by their ids.
    """
    return column + literal_column("0")


class Octets(ColumnElement[int]):
    """The size of a text in UTF-8, in bytes; 0 for NULL."""

    inherit_cache = False
    type = Integer()

    def __init__(self, column: ColumnElement[Any]) -> None:
        self.column = column


@compiles(Octets)
def _octets(octets: Octets, compiler: SQLCompiler, **how: Any) -> str:
    # SQLite has a function for it only since 3.43.
    return f"coalesce(length(CAST({compiler.process(octets.column, **how)} AS BLOB)), 0)"


@compiles(Octets, "postgresql")
def _octet_length(octets: Octets, compiler: SQLCompiler, **how: Any) -> str:
    return f"coalesce(octet_length({compiler.process(octets.column, **how)}), 0)"


def beginning(text: ColumnElement[Any], characters: int) -> ColumnElement[Any]:
    """Return the first characters of a text; their number is a literal of the statement.

    Checking the size in bytes first is free, whereas counting characters reads the text once more.
    """
    number: ColumnElement[int] = literal_column(str(characters))
    return case((Octets(text) <= number, text), else_=func.substr(text, literal_column("1"), number))


def _check_spans_no_project(clause: ClauseElement) -> None:
    if isinstance(clause, TextClause) and clause.text.split()[0] in ("SELECT", "WITH"):
        raise ValueError(f"The statement does not name a project: {clause}")
    # Values of an insertion name the project themselves.
    target = clause.table if isinstance(clause, UpdateBase) else None
    parts = set(visitors.iterate(clause)) | {target}
    for part in parts - {target} if isinstance(clause, Insert) else parts:
        if isinstance(part, Table) and _is_of_projects(part):
            raise ValueError(f"The statement reads {part.name} and does not name a project: {clause}")


def _is_of_projects(table: Table) -> bool:
    if table.name in ("projects", "events"):
        return True
    return "project_id" in table.c and not table.c.project_id.nullable


class Unprepared(str):
    """A SQL text that is planned at each execution, because the best plan depends on the values."""

    __slots__ = ()


STATEMENTS: "WeakSet[Statement]" = WeakSet()
"""All statements of the program, so that tests can check each of them."""


class Statement:
    """A SQL statement with named values.

    The clause must have a bound value called ``account_id``, so that no statement crosses accounts by
    accident; ``across_accounts`` marks the few that are meant to. Likewise, if the rows of a table belong to
    projects, the values must name the project, the projects, or what the caller sees of them, unless
    ``across_projects`` says why not.
    """

    def __init__(
        self, clause: ClauseElement, *, across_accounts: bool = False, across_projects: Across | None = None
    ) -> None:
        """Create a statement; it is compiled and checked on first use with each dialect."""
        self.clause = clause
        self.across_accounts, self.across_projects = across_accounts, across_projects
        self._compiled: dict[str, Compiled] = {}
        STATEMENTS.add(self)

    def on(self, dialect: Dialect) -> "Compiled":
        """Return the statement compiled for one database.

        Raises ValueError if the clause is not bound to an account, or to a project of it.
        """
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = Compiled(self.clause, dialect)
            self._check(compiled.bound)
            self._compiled[dialect.name] = compiled
        return compiled

    def _check(self, bound: frozenset[str]) -> None:
        if self.across_accounts:
            return
        if "account_id" not in bound:
            raise ValueError(f"The statement does not name an account: {self.clause}")
        if not self.across_projects and bound.isdisjoint(PROJECT):
            _check_spans_no_project(self.clause)


class Compiled:
    """A statement in the form for one driver: text, and the order of its values."""

    def __init__(self, clause: ClauseElement, dialect: Dialect) -> None:
        """Compile the clause with positional values."""
        compiled = clause.compile(dialect=dialect)
        if not isinstance(compiled, SQLCompiler):
            raise TypeError(f"This is no statement with values: {clause}")
        self.text = str(compiled)
        self.mark = "?" if dialect.paramstyle == "qmark" else "%s"
        self._numbers = sorted(bound.key for bound in compiled.literal_execute_params)
        self.lists = [name for name in _INLINE.findall(self.text) if name not in self._numbers]
        self.names = [name for name in compiled.positiontup or () if name not in self._numbers]
        self._pick = _picker(self.names)
        self.bound = frozenset(compiled.binds)
        required = {name for name, bound in compiled.binds.items() if bound.required}
        self._constants = {name: value for name, value in compiled.params.items() if name not in required}
        self._with_numbers = lru_cache(self._with_inline_literals)

    def with_values(self, values: Mapping[str, Any]) -> tuple[str, Sequence[Any]]:
        """Return the text, and the values in order.

        With several values in a list it is planned each time: a generic plan would treat all lists alike.
        Raises KeyError if a required value is missing.
        """
        if self._constants:
            values = {**self._constants, **values}
        text = self._with_numbers(*[values[name] for name in self._numbers]) if self._numbers else self.text
        if not self.lists:
            return text, self._pick(values)
        ordered: list[Any] = []
        for name, value in zip(self.names, self._pick(values), strict=True):
            ordered += value if name in self.lists else [value]
        text = _INLINE.sub(lambda match: self._marks(values[match[1]]), text)
        return text if all(len(values[name]) <= 1 for name in self.lists) else Unprepared(text), ordered

    def _with_inline_literals(self, *numbers: int) -> str:
        literals = dict(zip(self._numbers, (str(int(number)) for number in numbers), strict=True))
        return _INLINE.sub(lambda match: literals.get(match[1], match[0]), self.text)

    def _marks(self, values: Sequence[Any]) -> str:
        # NULL makes ``IN`` match nothing, as for an empty list.
        return ", ".join([self.mark] * len(values)) or "NULL"


def _picker(names: Sequence[str]) -> Callable[[Mapping[str, Any]], Sequence[Any]]:
    """Return a function that picks the values with the given names, in order."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple([values[name] for name in names])


class CachedTexts:
    """The total size of the SQL texts that a driver caches although each is used only once."""

    def __init__(self) -> None:
        self.length = 0
        self._known: set[int] = set()

    def note(self, text: str) -> None:
        """Count a text, unless it is cached already."""
        if (number := hash(text)) not in self._known:
            self._known.add(number)
            self.length += len(text)
