"""Conversion of result rows to records."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, null

from skerry.database.statements import Row, Statement
from skerry.database.transactions import SECOND, Transaction
from skerry.wire import json
from skerry.wire.record import UNSET, Field, Record, fields_of

R = TypeVar("R", bound=Record)

Columns = dict[str, Any]
"""The values of a row by column."""

Finish = Callable[[list[Any], Mapping[str, int], Transaction], None]

# Enough for the tickets that are read most; about a megabyte.
KEPT_TIMESTAMPS = 4096

# The versions of a ticket mostly have the same watchers.
_KEPT_LISTS = 64


class Shape(Generic[R]):
    """The columns of one kind of record, in the order of its fields.

    ``columns`` gives the SQL of each field by name; a field without any is NULL until ``finish`` sets it,
    given the values in order, the place of each field among them, and the transaction. Fields that are UNSET
    by default are not read; they come last in their record.
    """

    def __init__(
        self, kind: type[R], columns: Mapping[str, ColumnElement[Any]], finish: Finish | None = None
    ) -> None:
        """Match the fields with their columns; raises KeyError for a column without a field."""
        self.kind, self._given = kind, columns
        read = [field for field in fields_of(kind) if field.default is not UNSET]
        self.place = {field.name: place for place, field in enumerate(read)}
        for name in columns:
            if name not in self.place:
                raise KeyError(f"{kind.__name__} has no field {name}")
        self.columns = [columns.get(field.name, null()).label(field.name) for field in read]
        self._convert = _converter([_conversion(field) for field in read])
        self._finish = finish

    def with_columns(self, columns: Mapping[str, ColumnElement[Any]]) -> "Shape[R]":
        """Return the shape with the SQL of some fields replaced."""
        return Shape(self.kind, {**self._given, **columns}, self._finish)

    def places(self, *names: str) -> tuple[int, ...]:
        """Return the positions of fields among the values."""
        return tuple(self.place[name] for name in names)

    def record(self, row: Sequence[Any], transaction: Transaction) -> R:
        """Return the record of a row."""
        values = self._convert(*row)
        if self._finish:
            self._finish(values, self.place, transaction)
        return self.kind(*values)

    def of(self, values: Mapping[str, Any], transaction: Transaction) -> R:
        """Return a record of stored values, by field; the others are NULL."""
        return self.record([values.get(name) for name in self.place], transaction)

    def records(self, rows: Iterable[Row], transaction: Transaction) -> list[R]:
        """Return the records of rows."""
        return [self.record(row, transaction) for row in rows]

    def all(self, transaction: Transaction, statement: Statement, **values: Any) -> list[R]:
        """Return the records of all rows that a statement returns."""
        return self.records(transaction.all(statement, **values), transaction)

    def one(self, transaction: Transaction, statement: Statement, **values: Any) -> R | None:
        """Return the record of the first row that a statement returns, or None."""
        row = transaction.one(statement, **values)
        return self.record(row, transaction) if row else None


@lru_cache(KEPT_TIMESTAMPS)
def timestamp(microseconds: int) -> datetime:
    """Return a stored time in whole seconds, as all formats show it."""
    return datetime.fromtimestamp(microseconds // SECOND, UTC)


def timestamp_or_none(microseconds: int | None) -> datetime | None:
    """Return a stored time as ``timestamp`` does, None for none."""
    return None if microseconds is None else timestamp(microseconds)


def _converter(conversions: Sequence[Callable[[Any], Any] | None]) -> Callable[..., list[Any]]:
    """Return the converters of a row's values; NULL is always None.

    It is compiled from one expression, because it runs for every row that is shown.
    """
    names = [f"v{place}" for place in range(len(conversions))]
    values = [
        f"None if {name} is None else c{place}({name})" if conversions[place] else name
        for place, name in enumerate(names)
    ]
    known = {f"c{place}": convert for place, convert in enumerate(conversions) if convert}
    converted: Callable[..., list[Any]] = eval(  # noqa: S307 - contains only our own generated names
        f"lambda {', '.join(names)}: [{', '.join(values)}]", known
    )
    return converted


def _conversion(field: Field) -> Callable[[Any], Any] | None:
    conversions: dict[type, Callable[[Any], Any]] = {
        datetime: timestamp,
        bool: bool,
        dict: json.decode,
        list: str.split if field.item is str else numbers,
    }
    return conversions.get(field.kind)


def numbers(text: str) -> list[int]:
    """Parse a stored list of whole numbers: ``1,2,3``."""
    return list(_numbers(text)) if text else []


@lru_cache(_KEPT_LISTS)
def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def written(values: Iterable[int]) -> str:
    """Return a list of whole numbers in its stored form."""
    return ",".join(str(value) for value in values)
