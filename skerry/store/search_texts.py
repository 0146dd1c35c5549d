"""Chooses how words are searched for: each database has its own way."""

from collections.abc import Sequence
from typing import TypeAlias

from skerry.store import search_postgres, search_sqlite
from skerry.store.database import Transaction

OrderedTexts: TypeAlias = search_sqlite.Texts
"""What can also give the tickets that words are found in, in the order of the list."""

Texts: TypeAlias = OrderedTexts | search_postgres.Texts

_TEXTS: dict[str, type[Texts]] = {"sqlite": search_sqlite.Texts, "postgresql": search_postgres.Texts}


def texts_of(transaction: Transaction, project_ids: Sequence[int]) -> Texts:
    """Give what searches for words in some projects of the transaction's account."""
    return _TEXTS[transaction.dialect.name](transaction.account_id, project_ids)
