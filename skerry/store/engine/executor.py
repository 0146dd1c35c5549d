"""Execution of statements for one account."""

from collections.abc import Callable, Sequence
from operator import attrgetter, methodcaller
from time import perf_counter
from typing import Any

from sqlalchemy import Dialect

from skerry.store.engine.pool import FOR_EVER, CachedTexts
from skerry.store.engine.statements import Row, Statement, Unprepared
from skerry.store.engine.time_limits import Unlimited

_FETCH_ALL, _FETCH_ONE, _COUNT = methodcaller("fetchall"), methodcaller("fetchone"), attrgetter("rowcount")


class Executor:
    """Executes statements of one account, within a transaction that the caller begins and ends.

    ``seconds`` is the time spent in the database or waiting for it. ``texts`` is the total length of the SQL
    that was built for one call: searches, and statements with several values in a list.
    """

    def __init__(self, cursor: Any, dialect: Dialect, account_id: int, limit: Unlimited | None) -> None:
        """Create an executor; ``limit`` bounds the time of searches."""
        self.account_id = account_id
        self.seconds = 0.0
        self.dialect = dialect
        self._cursor = cursor
        self._limit = limit or Unlimited()
        self.texts = CachedTexts()
        self._searched = 0.0
        self._given_up_at = FOR_EVER

    def all(self, statement: Statement, **values: Any) -> list[Row]:
        """Return all rows."""
        rows: list[Row] = self._execute(statement, values, _FETCH_ALL)
        return rows

    def one(self, statement: Statement, **values: Any) -> Row | None:
        """Return the first row, or None."""
        row: Row | None = self._execute(statement, values, _FETCH_ONE)
        return row

    def value(self, statement: Statement, **values: Any) -> Any:
        """Return the first value of the first row, or None."""
        row = self.one(statement, **values)
        return row[0] if row else None

    def run(self, statement: Statement, **values: Any) -> None:
        """Execute a statement that changes rows."""
        began = perf_counter()
        self._cursor.execute(*self._bound(statement, values))
        self.seconds += perf_counter() - began

    def changed(self, statement: Statement, **values: Any) -> int:
        """Execute a statement and return how many rows it changed."""
        return int(self._execute(statement, values, _COUNT))

    def sql(self, text: str, values: Sequence[Any]) -> list[Row]:
        """Return all rows of a query whose text was built for this call, with ``?`` for each value.

        It is planned each time, and has a time limit; searches use it.
        """
        began = perf_counter()
        with self._limit.limited(self._searched, self._given_up_at - began):
            marked = text.replace("?", "%s") if self.dialect.paramstyle == "format" else text
            self.texts.note(marked)
            rows = list(self._cursor.execute(Unprepared(marked), values).fetchall())
        took = perf_counter() - began
        self.seconds += took
        self._searched += took
        return rows

    def adjust(self, text: str) -> None:
        """Change a setting of the database for this transaction only."""
        began = perf_counter()
        self._cursor.execute(text)
        self.seconds += perf_counter() - began

    def run_many(self, statement: Statement, rows: list[dict[str, Any]]) -> None:
        """Execute a statement with many sets of values."""
        compiled = statement.on(self.dialect)
        ordered = [compiled.with_values({"account_id": self.account_id, **row})[1] for row in rows]
        if ordered:
            began = perf_counter()
            self._cursor.executemany(compiled.text, ordered)
            self.seconds += perf_counter() - began

    def _bound(self, statement: Statement, values: dict[str, Any]) -> tuple[str, Sequence[Any]]:
        """Return a compiled statement and its values in order, including the account."""
        values.setdefault("account_id", self.account_id)
        text, ordered = statement.on(self.dialect).with_values(values)
        if type(text) is Unprepared:
            self.texts.note(text)
        return text, ordered

    def _execute(self, statement: Statement, values: dict[str, Any], fetch: Callable[[Any], Any]) -> Any:
        began = perf_counter()
        found = fetch(self._cursor.execute(*self._bound(statement, values)))
        self.seconds += perf_counter() - began
        return found
