"""Search for tickets with a query in some projects: pages and totals."""

from collections.abc import Sequence

from skerry.database.statements import Row
from skerry.database.transactions import Transaction
from skerry.store.search.finder import COUNTED, Finder, Keys
from skerry.store.search.names import Names, Scope
from skerry.store.search.orders import without_repeats
from skerry.store.search.tree import simple
from skerry.text.queries.query_tree import NEXT, Query


def has_next_milestone(transaction: Transaction, scope: Scope) -> bool:
    """Return whether any of the searched projects has an open milestone that is due today or later."""
    return bool(Names(transaction, scope).milestones(NEXT))


def page(transaction: Transaction, query: Query, scope: Scope, *, limit: int, offset: int) -> Keys:
    """Return a page of the tickets that match a query, as project and number, in the query's order."""
    return _finder(transaction, query, scope).page(limit, offset) if scope.project_ids else []


def count(transaction: Transaction, query: Query, scope: Scope, *, at_most: int) -> int:
    """Return how many tickets match a query, at most ``at_most``."""
    return _finder(transaction, query, scope).count(at_most) if scope.project_ids else 0


def count_newest(transaction: Transaction, query: Query, scope: Scope) -> int:
    """Return how many tickets match, of the tickets changed last if the search is slow."""
    return _finder(transaction, query, scope, hurried=True).count(COUNTED) if scope.project_ids else 0


def page_with_total(
    transaction: Transaction, query: Query, scope: Scope, *, limit: int, offset: int
) -> tuple[list[Row], int, bool]:
    """Return the markers of a page, the number of tickets up to ``COUNTED``, and whether it is exact.

    A slow search only covers the tickets changed last; see ``Transaction.searched_since``.
    """
    if not scope.project_ids:
        return [], 0, True
    transaction.searched_since = None
    return _page_with_total(_finder(transaction, query, scope, hurried=True), limit, offset)


def first_pages(
    transaction: Transaction, queries: Sequence[Query], scope: Scope, *, limit: int
) -> list[tuple[list[Row], int, bool]]:
    """Return the first page of each query as ``page_with_total`` does; names are looked up only once."""
    transaction.searched_since = None
    names = Names(transaction, scope)
    return [
        _page_with_total(_finder(transaction, query, scope, names=names, hurried=True), limit, 0)
        if scope.project_ids
        else ([], 0, True)
        for query in queries
    ]


def _page_with_total(finder: Finder, limit: int, offset: int) -> tuple[list[Row], int, bool]:
    marks = finder.marks(limit, offset)
    is_last = len(marks) < limit and bool(marks or not offset)
    total = offset + len(marks) if is_last else finder.count(COUNTED + 1)
    return marks, min(total, COUNTED), total <= COUNTED


def _finder(
    transaction: Transaction, query: Query, scope: Scope, *, names: Names | None = None, hurried: bool = False
) -> Finder:
    names = names or Names(transaction, scope)
    return Finder(transaction, simple(query.condition), without_repeats(query.sorts), names, hurried=hurried)
