"""The interface of full-text search, and its implementation for each database."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from skerry.store.engine.statements import Row
from skerry.store.engine.transactions import Transaction
from skerry.store.search import postgresql, sqlite, sqlite_index
from skerry.store.search.documents import Document
from skerry.store.search.sql import Sql
from skerry.store.search.tree import Node


class Texts(Protocol):
    """Full-text search in some projects of one account.

    ``in_order`` says whether the full-text index has the order of the list.
    """

    in_order: bool
    account_id: int

    def row(self, node: Node) -> Sql:
        """Return the condition on one ticket."""

    def can_list(self, node: Node) -> bool:
        """Return whether the index can list the tickets that match."""

    def hits(self, node: Node) -> Sql:
        """Return the tickets that match."""

    def places(self, node: Node) -> Sql:
        """Return a row for each ticket that matches, which is only good for counting."""

    def page(self, node: Node, cut: Sql) -> Sql:
        """Return a page of the tickets that match, in the order of the list."""

    def title(self) -> Sql:
        """Return the words of a ticket's title as one text."""

    def exact(self, column: str) -> str:
        """Return a column that is ordered by code points."""


@dataclass(frozen=True)
class Dialect:
    """The full-text search of a database."""

    texts: Callable[[Transaction, Sequence[int]], Texts]
    keep: Callable[[Transaction, Iterable[Document]], None]
    append: Callable[[Transaction, Iterable[Document]], None]
    add: Callable[[Transaction, tuple[int, int], str], bool]
    put_in_order: Callable[[Transaction], None]
    out_of_order: Callable[[Transaction], Row | None]
    remove_lost: Callable[[Transaction], None]
    readings: Callable[[Transaction, Sequence[int], Node], dict[str, list[Any]]]


_DIALECTS = {
    "sqlite": Dialect(
        texts=sqlite.Texts,
        keep=sqlite_index.keep,
        append=sqlite_index.append,
        add=sqlite_index.add,
        put_in_order=sqlite_index.put_in_order,
        out_of_order=sqlite_index.out_of_order,
        remove_lost=sqlite_index.remove_lost,
        readings=sqlite_index.readings,
    ),
    "postgresql": Dialect(
        texts=postgresql.Texts,
        keep=postgresql.keep,
        append=postgresql.keep,
        add=postgresql.add,
        put_in_order=lambda _transaction: None,
        out_of_order=lambda _transaction: None,
        remove_lost=lambda _transaction: None,
        readings=lambda _transaction, _project_ids, _node: {},
    ),
}


def dialect_of(transaction: Transaction) -> Dialect:
    """Return the full-text search of the transaction's database."""
    return _DIALECTS[transaction.dialect.name]
