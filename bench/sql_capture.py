"""The product's own SQL, overheard while its functions run once, so that others can say the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from skerry.database.statements import Statement
from skerry.database.transactions import Transaction

_CHANGES = ("INSERT", "UPDATE", "DELETE")


@dataclass(frozen=True)
class Said:
    """One statement in the words of the driver, with one set of values or several.

    ``names`` are the names of the values in order, as far as they have any.
    """

    text: str
    values: Sequence[Sequence[Any]]
    names: Sequence[str] = ()
    many: bool = False

    @property
    def changes(self) -> bool:
        """Return whether it writes."""
        return self.text.lstrip().startswith(_CHANGES)


class Overheard:
    """A transaction that remembers in ``heard`` what is said to the database through it."""

    def __init__(self, transaction: Transaction) -> None:
        """Pass everything on to a transaction."""
        self.heard: list[Said] = []
        self._transaction = transaction

    def __getattr__(self, name: str) -> Any:
        """Be the transaction in everything else."""
        return getattr(self._transaction, name)

    def all(self, statement: Statement, **values: Any) -> Any:
        """Do what the transaction does."""
        self._hear(statement, values)
        return self._transaction.all(statement, **values)

    def one(self, statement: Statement, **values: Any) -> Any:
        """Do what the transaction does."""
        self._hear(statement, values)
        return self._transaction.one(statement, **values)

    def value(self, statement: Statement, **values: Any) -> Any:
        """Do what the transaction does."""
        self._hear(statement, values)
        return self._transaction.value(statement, **values)

    def run(self, statement: Statement, **values: Any) -> None:
        """Do what the transaction does."""
        self._hear(statement, values)
        self._transaction.run(statement, **values)

    def changed(self, statement: Statement, **values: Any) -> Any:
        """Do what the transaction does."""
        self._hear(statement, values)
        return self._transaction.changed(statement, **values)

    def run_many(self, statement: Statement, rows: list[dict[str, Any]]) -> None:
        """Do what the transaction does."""
        if rows:
            self._hear(statement, *rows, many=True)
        self._transaction.run_many(statement, rows)

    def sql(self, text: str, values: Sequence[Any]) -> Any:
        """Do what the transaction does."""
        is_format = self._transaction.dialect.paramstyle == "format"
        self.heard.append(Said(text.replace("?", "%s") if is_format else text, [list(values)]))
        return self._transaction.sql(text, values)

    def _hear(self, statement: Statement, *rows: dict[str, Any], many: bool = False) -> None:
        compiled = statement.on(self._transaction.dialect)
        filled = [{"account_id": self._transaction.account_id, **row} for row in rows]
        texts = [compiled.with_values(row) for row in filled]
        names = _spread(compiled.names, compiled.lists, filled[0])
        self.heard.append(Said(texts[0][0], [values for _, values in texts], names, many))


def _spread(names: Sequence[str], lists: Sequence[str], row: dict[str, Any]) -> list[str]:
    """Name each value of a list by the list."""
    return [name for name in names for _ in range(len(row[name]) if name in lists else 1)]
