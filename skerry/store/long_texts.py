"""Long texts in lists: no more of them is read than fits into a response.

A statement for a list reads the beginnings of texts (``in_place_of``). If these are complete, nothing else is
done. Otherwise their lengths are queried, and the long ones are read again, as much of each as fits. So a
list never holds more text than a response does.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter, is_not
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Integer, Table, bindparam, case, func, select

from skerry.database.statements import Octets, OneOf, Row, Statement, beginning, in_project
from skerry.database.transactions import Transaction
from skerry.wire import budget
from skerry.wire.record import Record, changed
from skerry.wire.values import MAX_INTEGER

R = TypeVar("R", bound=Record)

Key = tuple[int | None, Hashable]
"""A project, or None, and the key of a row in it."""

CUT = budget.SHORT + 1
"""The length of the beginning that a list reads of each text, in characters."""

# The memory of a value other than a text, in relation to its text in the database.
_UNFOLDED = 8

BLOCK = 250
"""How many records are read at a time if only the newest that fit are needed."""


def _fitting(costs: list[int], room: int) -> int:
    """Return how many of the first costs fit into the room."""
    return sum(1 for total in accumulate(costs) if total <= room)


class LongTexts(Generic[R]):
    """The texts of one kind of record in a table; some fields are left empty rather than read in part.

    ``key`` is the field that identifies the rows of a project, or those for which ``where`` holds; its values
    are bound as ``keys``. ``read`` has the functions that convert columns that are not texts in the record;
    there None stands for an incomplete value.
    """

    def __init__(
        self,
        kind: type[R],
        table: Table,
        key: str,
        *,
        where: ColumnElement[bool] | None = None,
        keys: str = "keys",
        read: Mapping[str, Callable[[str], Any]] | None = None,
    ) -> None:
        self._key, self._text, self._empty, self._read = key, kind.texts[0], kind.omittable, read or {}
        self._keys = keys
        self._columns = {name: table.c[name] for name in (self._text, *self._empty)}
        self._values = [(name, attrgetter(name)) for name in self._columns]
        here = (in_project(table) if where is None else where, OneOf(table.c[key], keys))
        text, size = self._columns[self._text], self._size(*self._columns)
        sized = (size.label("size"), Octets(text).label("octets"))
        self._sizes = Statement(select(table.c[key], *sized).where(*here))
        self._texts = Statement(select(table.c[key], sized[1], *self._at_most()).where(*here))

    def _size(self, *names: str) -> ColumnElement[int]:
        sizes = [Octets(self._columns[name]) * (_UNFOLDED if name in self._read else 1) for name in names]
        return sum(sizes[1:], start=sizes[0])

    def _at_most(self) -> Iterator[ColumnElement[Any]]:
        """Yield columns cut to ``most`` bytes of a row; for non-ASCII text, to half as many characters."""
        most, text = bindparam("most", type_=Integer), self._columns[self._text]
        yield func.substr(text, 1, case((Octets(text) == func.length(text), most), else_=most // 2))
        for name in self._empty:
            size = self._size(name) * budget.SHARE if name in self._read else self._size(*self._columns)
            yield case((size <= most, self._columns[name]))

    def in_place_of(self, columns: Sequence[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
        """Return columns with the texts replaced by their beginnings."""
        return [
            self.beginning(column.name)
            if column.name in self._columns and column.name not in self._read
            else column
            for column in columns
        ]

    def beginning(self, name: str) -> ColumnElement[Any]:
        """Return the expression that replaces one column."""
        return beginning(self._columns[name], CUT).label(name)

    def newest(
        self, transaction: Transaction, block: Callable[[int], list[R]], room: int, **where: Any
    ) -> list[R]:
        """Return the newest of some records that fit into the room, oldest first; at least one, if any.

        ``block`` returns the next of them, newest first, from a key on: ``BLOCK`` of them, or fewer at the
        end.
        """
        newest_first: list[R] = []
        up_to = MAX_INTEGER
        while True:
            records = block(up_to)
            if len(records) < BLOCK and self.are_whole(records, room):
                return (newest_first + records)[::-1]
            taken = self._first(transaction, records, room, must=not newest_first, **where)
            newest_first += taken
            if len(taken) < len(records) or len(records) < BLOCK:
                return newest_first[::-1]
            room -= sum(budget.weight(record) + budget.overhead(record) for record in taken)
            up_to = getattr(records[-1], self._key) - 1

    def _first(
        self, transaction: Transaction, records: list[R], room: int, *, must: bool, **where: Any
    ) -> list[R]:
        """Return the first records that fit into the room; with ``must`` at least one, cut if needed."""
        sizes = dict(self._rows_of(transaction, self._sizes, self._long(records), where))
        octets = max((octets for _, octets in sizes.values()), default=0)
        costs = [
            budget.overhead(each) + sizes.get(self._key_of(each), (budget.weight(each),))[0]
            for each in records
        ]
        chosen = self.read(transaction, records[: _fitting(costs, room) or must], **where)
        whole = [budget.overhead(record) + budget.weight(record) for record in chosen]
        taken = chosen[: _fitting(whole, room)] or budget.fitted(chosen[:must], room)
        if len(taken) < len(records) or any(map(budget.is_cut, taken)):
            transaction.note_shortened(octets)
        return taken

    def are_whole(self, records: Sequence[R], room: int) -> bool:
        """Return whether all texts of records were read completely, and fit into the room."""
        return not self._any_long(records) and budget.surely_fit(records, room)

    def is_long(self, record: R) -> bool:
        """Return whether any text of a record was not read completely."""
        return self._any_long([record])

    def _long(self, records: Sequence[R]) -> dict[Key, R]:
        """Return by key the records whose texts were not read completely."""
        # All records are checked at once first, because most lists have no long text.
        if not self._any_long(records):
            return {}
        return {self._key_of(record): record for record in records if self._any_long([record])}

    def _any_long(self, records: Sequence[R]) -> bool:
        """Return whether a record contains only the beginning of a text."""
        for name, value_of in self._values:
            values = map(value_of, records)
            if None in values if name in self._read else CUT in map(len, filter(None, values)):
                return True
        return False

    def fitted(
        self, transaction: Transaction, records: Sequence[R], room: int = budget.MAX, **where: Any
    ) -> list[R]:
        """Return the records of a list with as much of their texts as fits into the room in total."""
        if self.are_whole(records, room):
            return list(records)
        long = self._long(records)
        sizes = dict(self._rows_of(transaction, self._sizes, long, where))
        others = sum(budget.weight(record) for record in records if self._key_of(record) not in long)
        left = room - others - sum(map(budget.overhead, records))
        most = budget.level([size for size, _ in sizes.values()], left)
        whole = self.read(transaction, records, most, **where)
        fitted = budget.fitted(whole, room)
        if any(map(is_not, fitted, records)) and any(map(budget.is_cut, fitted)):
            transaction.note_shortened(max((octets for _, octets in sizes.values()), default=0))
        return fitted

    def read(
        self, transaction: Transaction, records: Sequence[R], most: int = budget.MAX, **where: Any
    ) -> list[R]:
        """Return records with all of their texts, each up to the given number of bytes."""
        long = self._long(records)
        values = {"most": min(most, budget.MAX), **where}
        for key, (octets, text, *others) in self._rows_of(transaction, self._texts, long, values):
            cut = len(text.encode()) < octets
            texts = {self._text: text + budget.MARK if cut else text}
            texts |= {name: self._value(name, other) for name, other in zip(self._empty, others, strict=True)}
            long[key] = changed(long[key], **texts)
        return [long.get(self._key_of(record), record) for record in records]

    def _value(self, name: str, stored: str | None) -> Any:
        read = self._read.get(name)
        return read(stored or "[]") if read else stored or ""

    def _key_of(self, record: R) -> Key:
        return getattr(record, "project_id", None), getattr(record, self._key)

    def _rows_of(
        self,
        transaction: Transaction,
        statement: Statement,
        wanted: Mapping[Key, R],
        values: Mapping[str, Any],
    ) -> Iterator[tuple[Key, Row]]:
        projects: dict[int | None, list[Hashable]] = {}
        for project, key in wanted:
            projects.setdefault(project, []).append(key)
        for project, keys in projects.items():
            here = {} if project is None else {"project_id": project}
            for key, *row in transaction.all(statement, **{**values, **here, self._keys: keys}):
                yield (project, key), tuple(row)
