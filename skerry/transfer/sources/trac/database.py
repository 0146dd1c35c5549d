"""The tables of Trac's database, which is opened for reading only; what cannot be used is named."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from skerry.database.transactions import SECOND
from skerry.errors import Invalid
from skerry.transfer.sources import moments
from skerry.transfer.sources.files import SourceFile, SourceFiles
from skerry.transfer.sources.report import Report

HEAD = b"SQLite format 3\0"
"""The beginning of every database of SQLite."""

_WITH_LOG = 2
_MAX_VALUE = 16 * 1024 * 1024
_MAX_NUMBER = 10**15
_MICROSECONDS_SINCE = 25
_LATEST = 253_402_300_799 * SECOND


@dataclass(frozen=True, slots=True)
class Row:
    """A row with the place where it is. All methods raise Invalid, naming the place and the column."""

    place: str
    values: dict[str, Any]
    unit: int

    def text(self, name: str) -> str:
        """Return a text, empty if there is none."""
        value = self.values.get(name)
        if isinstance(value, int | float):
            # SQLite keeps some texts that look like numbers as numbers.
            return str(value)
        if value is not None and not isinstance(value, str):
            raise Invalid(f"{self.place}: {name} must be a text")
        return value or ""

    def number(self, name: str) -> int:
        """Return a whole number from 0."""
        value = self.values.get(name)
        if not isinstance(value, int) or not 0 <= value <= _MAX_NUMBER:
            raise Invalid(f"{self.place}: {name} must be a whole number")
        return value

    def moment(self, name: str) -> int | None:
        """Return a moment in microseconds since 1970, or None for none."""
        value = self.values.get(name) or 0
        if isinstance(value, str) and (read := moments.instant(value)) is not None:
            # Some plugins write times into the database as text.
            return read
        if not isinstance(value, int) or not 0 <= value * self.unit <= _LATEST:
            raise Invalid(f"{self.place}: {name} must be a time")
        return value * self.unit or None


class Database:
    """Reads tables; refuses views, virtual tables and computed columns, which could do anything."""

    def __init__(self, files: SourceFiles, file: SourceFile, report: Report) -> None:
        """Open a database; raises Invalid if it is none of Trac."""
        self.name, self._report, self._damaged = file.name, report, 0
        unfinished = {f"{file.name}-wal", f"{file.name}-journal"}
        if not file.path and any(other.name in unfinished and other.size for other in files):
            raise Invalid(f"{self.name} was in use when it was packed; pack a copy from trac-admin hotcopy")
        path = files.on_disk(file)
        with path.open("rb") as opened:
            head = opened.read(20)
        log = path.with_name(f"{path.name}-wal")
        # Without its log nobody has the database open, and SQLite would write one beside it.
        alone = head[18:19] == bytes([_WITH_LOG]) and not (log.exists() and log.stat().st_size)
        address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if alone or not file.path else ''}"
        try:
            self._connection = files.keep(closing(sqlite3.connect(address, uri=True, isolation_level=None)))
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
            self._connection.text_factory = self._decoded
            self._connection.execute("PRAGMA trusted_schema = OFF")
            # One transaction, so that all tables are of one moment.
            self._connection.execute("BEGIN")
            found = self._connection.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
        except (sqlite3.Error, OverflowError) as error:
            raise Invalid(
                f"{self.name} is damaged, or in use ({error}); use a copy that trac-admin hotcopy makes"
            ) from error
        self._tables = {name: (kind, str(sql)) for name, kind, sql in found if kind in ("table", "view")}
        self.unit = 1

    def has(self, table: str) -> bool:
        """Return whether there is such a table."""
        return table in self._tables

    def read_version(self) -> None:
        """Find the unit of times, which were seconds before version 0.12."""
        versions = {row.text("name"): row.text("value") for row in self.rows("system", ("name", "value"))}
        if not self.has("system"):
            raise Invalid(f"{self.name} is not a database of Trac: it has no table system")
        version = versions.get("database_version", "")
        if not version.isdecimal() or len(version) > 6:  # noqa: PLR2004 - any version has fewer digits
            raise Invalid(f"{self.name}, table system: database_version must be a whole number")
        self.unit = 1 if int(version) >= _MICROSECONDS_SINCE else SECOND

    def rows(
        self, table: str, needed: Sequence[str], more: Sequence[str] = (), order: str = ""
    ) -> Iterator[Row]:
        """Yield the rows of a table, without any if it is missing; columns of ``more`` may be missing."""
        if table not in self._tables:
            return
        try:
            columns = self._columns(table, needed, more)
            named = ", ".join(f'"{name}"' for name in columns)
            asked = f'SELECT {named} FROM "{table}"{f" ORDER BY {order}" if order else ""}'  # noqa: S608 - names of ours
            for number, values in enumerate(self._connection.execute(asked), 1):
                row = dict(zip(columns, values, strict=True))
                yield Row(f"{self.name}, table {table}, row {number}", row, self.unit)
        except (sqlite3.Error, OverflowError, MemoryError) as error:
            raise Invalid(f"{self.name}, table {table}, is damaged: {error}") from error

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        return sum(1 for _ in self.rows(table, ("rowid",)))

    def tell(self) -> None:
        """Count the texts that are not UTF-8."""
        sentence = "{n} {text has|texts have} bytes that are not UTF-8, which are replaced"
        self._report.change(sentence, self.name, self._damaged)
        self._damaged = 0

    def _columns(self, table: str, needed: Sequence[str], more: Sequence[str]) -> list[str]:
        kind, sql = self._tables[table]
        if kind != "table" or "virtual" in sql[:40].lower():
            raise Invalid(f"{self.name}: {table} must be a plain table")
        listed = self._connection.execute(f'PRAGMA table_xinfo("{table}")').fetchall()
        known = {str(column[1]): column[6] for column in listed}
        for name in needed:
            if name != "rowid" and name not in known:
                raise Invalid(f"{self.name}, table {table}, has no column {name}")
        wanted = [*needed, *(name for name in more if name in known)]
        for name in wanted:
            if known.get(name):
                raise Invalid(f"{self.name}, table {table}: {name} must be a plain column")
        return wanted

    def _decoded(self, content: bytes) -> str:
        try:
            return content.decode()
        except UnicodeDecodeError:
            self._damaged += 1
            return content.decode(errors="replace")
