"""Chooses how words are searched for: each database has its own way."""

from collections.abc import Sequence
from typing import TypeAlias

from skerry.store.search import postgresql, sqlite
from skerry.store.transactions import Transaction

OrderedTexts: TypeAlias = sqlite.Texts
"""What can also give the tickets that words are found in, in the order of the list."""

Texts: TypeAlias = OrderedTexts | postgresql.Texts


def texts_of(transaction: Transaction, project_ids: Sequence[int]) -> Texts:
    """Give what searches for words in some projects of the transaction's account."""
    account_id = transaction.account_id
    if transaction.dialect.name == "sqlite":
        return sqlite.Texts(account_id, project_ids)
    return postgresql.Texts(account_id, project_ids, spread=transaction.is_spread)
