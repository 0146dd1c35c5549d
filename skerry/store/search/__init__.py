"""Search for tickets with a query in some projects: pages and totals."""

from skerry.store.engine.statements import Row
from skerry.store.engine.transactions import Transaction
from skerry.store.search.finder import COUNTED, Keys, finder_of
from skerry.store.search.names import Names, Scope
from skerry.text.queries.query_tree import Query

__all__ = ["COUNTED", "Keys", "Scope", "count", "found", "has_next_milestone", "page"]


def has_next_milestone(transaction: Transaction, scope: Scope) -> bool:
    """Return whether any of the searched projects has an open milestone that is due today or later."""
    return bool(Names(transaction, scope).milestones("next"))


def page(transaction: Transaction, query: Query, scope: Scope, *, limit: int, offset: int) -> Keys:
    """Return a page of the tickets that match a query, as project and number, in the query's order."""
    return finder_of(transaction, query, scope).page(limit, offset) if scope.project_ids else []


def count(transaction: Transaction, query: Query, scope: Scope, *, at_most: int) -> int:
    """Return how many tickets match a query, at most ``at_most``."""
    return finder_of(transaction, query, scope).count(at_most) if scope.project_ids else 0


def page_with_total(
    transaction: Transaction, query: Query, scope: Scope, *, limit: int, offset: int
) -> tuple[list[Row], int, bool]:
    """Return the markers of a page, the number of tickets up to ``COUNTED``, and whether it is exact."""
    if not scope.project_ids:
        return [], 0, True
    finder = finder_of(transaction, query, scope)
    marks = finder.marks(limit, offset)
    is_last = len(marks) < limit and bool(marks or not offset)
    total = offset + len(marks) if is_last else finder.count(COUNTED + 1)
    return marks, min(total, COUNTED), total <= COUNTED
