"""The full-text search of each database."""

from collections.abc import Sequence
from typing import TypeAlias

from skerry.database.transactions import Transaction
from skerry.store.search import postgresql, sqlite

InOrder = sqlite.FullText
"""Full-text search by an index in the order of the list, which therefore has pages of its own."""

FullText: TypeAlias = InOrder | postgresql.FullText
"""Full-text search: conditions on tickets, lists of them, and the upkeep of their words."""


def full_text(transaction: Transaction, project_ids: Sequence[int] = ()) -> FullText:
    """Return the full-text search in some projects of the transaction's account."""
    kind = InOrder if transaction.dialect.name == "sqlite" else postgresql.FullText
    return kind(transaction, project_ids)
