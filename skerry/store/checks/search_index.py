"""A check of the full-text index: each way to read it must find the same tickets for common words."""

from collections import Counter
from collections.abc import Iterator

from sqlalchemy import select, text

from skerry.database.database import Database
from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store import accounts, search
from skerry.store.projects import SeenIds
from skerry.store.search import documents
from skerry.store.search.index import InOrder, full_text
from skerry.store.search.tree import simple
from skerry.store.tables import project_counters
from skerry.text.queries.query import parse
from skerry.text.queries.query_tree import Query

SAMPLE = 200
"""How many random tickets of an account are sampled for words."""

WORDS = 20
"""How many words of an account are searched for: those in most tickets of the sample."""

PROJECTS = 3
"""How many projects of an account are searched separately, the largest ones, besides all together."""

MAX = 10_000
"""How many tickets are read in pages at most."""

_PAGE = 1000

_DRAWN = Statement(
    text("""
        SELECT project_id, number FROM tickets WHERE account_id = :account_id
        ORDER BY random() LIMIT :most
    """),
    across_projects="upkeep",
)

_PROJECTS = Statement(
    select(project_counters.c.project_id)
    .where(in_account(project_counters))
    .order_by(project_counters.c.tickets_count.desc(), project_counters.c.project_id),
    across_projects="upkeep",
)


def differences(database: Database) -> Iterator[str]:
    """Yield a message for each search whose result depends on how the index is read."""
    with database.read() as transaction:
        ids = [account.id for account in accounts.list_all(transaction)]
    for account_id in ids:
        with database.read(account_id) as transaction:
            yield from database.yield_from(_of_account(transaction))


def _of_account(transaction: Transaction) -> Iterator[str]:
    account_id = transaction.account_id
    texts = full_text(transaction)
    if isinstance(texts, InOrder) and (first := texts.out_of_order()):
        place = "ticket {2} of project {1} of account {0}".format(account_id, *first[1:])
        yield f"Searches for words do not have the order of the list from {place} on"
    project_ids = [row[0] for row in transaction.all(_PROJECTS)]
    scopes = {f"account {account_id}": SeenIds(tuple(project_ids))}
    if len(project_ids) > 1:
        for project_id in project_ids[:PROJECTS]:
            scopes[f"project {project_id} of account {account_id}"] = SeenIds((project_id,))
    for word in _common(transaction):
        query = parse(f'"{word}"')
        for name, ids in scopes.items():
            if readings := _differing(transaction, query, ids):
                yield f"The word {word} is found in different numbers of tickets in {name}: {readings}"


def _common(transaction: Transaction) -> list[str]:
    """Return the most common words of some tickets of the account."""
    numbers: dict[int, list[int]] = {}
    for project_id, number in transaction.all(_DRAWN, most=SAMPLE):
        numbers.setdefault(project_id, []).append(number)
    frequencies: Counter[str] = Counter()
    for project_id, drawn in numbers.items():
        for document in documents.several(transaction, project_id, drawn):
            frequencies.update({*document.title, *document.body}.union(*document.comments))
    return [word for word, _ in frequencies.most_common(WORDS)]


def _differing(transaction: Transaction, query: Query, project_ids: SeenIds) -> str:
    """Return the different results of a search by each strategy, or nothing if all agree.

    Totals are compared only up to the bound of counting.
    """
    scope = search.Scope(project_ids, None)
    readings = {
        f"the count up to {MAX}": search.count(transaction, query, scope, at_most=MAX),
        f"the pages up to {MAX}": len(_on_pages(transaction, query, scope)),
    }
    texts = full_text(transaction, project_ids)
    places = texts.readings(simple(query.condition)) if isinstance(texts, InOrder) else {}
    readings |= {way: len(found) for way, found in places.items()}
    is_same = all(found == next(iter(places.values())) for found in places.values())
    if is_same and len({min(found, MAX) for found in readings.values()}) == 1:
        return ""
    return ", ".join(f"{found} by {way}" for way, found in readings.items())


def _on_pages(transaction: Transaction, query: Query, scope: search.Scope) -> set[tuple[int, int]]:
    """Return the tickets on all pages, up to the bound of counting."""
    keys: set[tuple[int, int]] = set()
    for offset in range(0, MAX, _PAGE):
        page = search.page(transaction, query, scope, limit=_PAGE, offset=offset)
        keys.update(page)
        if len(page) < _PAGE:
            break
    return keys
