"""Finds tickets: which ones a query means in some projects, in its order, and how many they are."""

from skerry.store.search_finder import Keys, finder
from skerry.store.search_names import Scope
from skerry.store.transactions import Transaction
from skerry.text.query_tree import Query

__all__ = ["COUNTED", "Keys", "Scope", "count", "found", "page"]

COUNTED = 10_000
"""Up to here the tickets found are counted; beyond, it is only known that there are as many."""


def page(transaction: Transaction, query: Query, scope: Scope, *, limit: int, offset: int) -> Keys:
    """Give a page of the tickets that a query means, as project and number, in its order."""
    return finder(transaction, query, scope).page(limit, offset) if scope.project_ids else []


def count(transaction: Transaction, query: Query, scope: Scope, *, at_most: int = COUNTED) -> int:
    """Give how many tickets a query means, or ``at_most`` if they are as many or more."""
    return finder(transaction, query, scope).count(at_most) if scope.project_ids else 0


def found(
    transaction: Transaction, query: Query, scope: Scope, *, limit: int, offset: int
) -> tuple[Keys, int]:
    """Give a page as ``page`` does and a count as ``count`` does, which together cost less."""
    if not scope.project_ids:
        return [], 0
    asked = finder(transaction, query, scope, COUNTED)
    keys = asked.page(limit, offset)
    counted = offset + len(keys)
    if len(keys) < limit and (keys or not offset) and counted < COUNTED:
        return keys, counted
    return keys, asked.count(COUNTED)
