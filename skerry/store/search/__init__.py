"""Finds tickets: which ones a query means in some projects, in its order, and how many they are."""

from skerry.store.search.finder import Keys
from skerry.store.search.finder import finder as answering
from skerry.store.search.names import Names, Scope
from skerry.store.statements import Row
from skerry.store.transactions import Transaction
from skerry.text.query_tree import Query

__all__ = ["COUNTED", "Keys", "Scope", "count", "found", "has_next_milestone", "numbers", "page"]

COUNTED = 10_000
"""Up to here the tickets found are counted; beyond, it is only known that there are as many."""


def has_next_milestone(transaction: Transaction, scope: Scope) -> bool:
    """Return whether any of the searched projects has an open milestone that is due today or later."""
    return bool(Names(transaction, scope).milestones("next"))


def page(transaction: Transaction, query: Query, scope: Scope, *, limit: int, offset: int) -> Keys:
    """Give a page of the tickets that a query means, as project and number, in its order."""
    return answering(transaction, query, scope).page(limit, offset) if scope.project_ids else []


def count(transaction: Transaction, query: Query, scope: Scope, *, at_most: int = COUNTED) -> int:
    """Give how many tickets a query means, or ``at_most`` if they are as many or more."""
    return answering(transaction, query, scope).count(at_most) if scope.project_ids else 0


def numbers(transaction: Transaction, query: Query, scope: Scope, *, fewer_than: int) -> list[int] | None:
    """Give the numbers of all tickets of one project that a query means; None if they are so many or more."""
    keys = answering(transaction, query, scope).all(fewer_than)
    return None if keys is None else [number for _, number in keys]


def found(
    transaction: Transaction, query: Query, scope: Scope, *, limit: int, offset: int
) -> tuple[list[Row], int]:
    """Give the marks of a page and a count as ``count`` does, which together cost less."""
    if not scope.project_ids:
        return [], 0
    asked = answering(transaction, query, scope, COUNTED)
    marks = asked.marks(limit, offset)
    counted = offset + len(marks)
    if len(marks) < limit and (marks or not offset) and counted < COUNTED:
        return marks, counted
    if not query.text:
        return marks, asked.count(COUNTED)
    return marks, transaction.recall(("total", query.text, scope), lambda: asked.count(COUNTED))
