"""Time searches in the sample data that bench/data.py makes.

    python bench/search.py --database sqlite:////tmp/sample.sqlite3

For each query it prints the medians of a page of 30, of its count, and of both as a list needs
them, in milliseconds; what the bare database takes for the first two words stands beside it.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from skerry.store import search
from skerry.store.database import Database, Transaction
from skerry.text.query import parse

ACCOUNT, LARGEST, LIMIT = 1, 1, 30
EVERYWHERE = (1, 2, 3, 4, 5)
QUERIES = (
    "common",
    "middle",
    "rare",
    "'common middle'",
    "comm*",
    "common -middle",
    "state:open",
    "state:open responsible:me tagged:tag3",
    "state:open responsible:me tagged:tag25",
    "common tagged:tag29",
    "common state:invalid importance:3",
    "watched:me",
    "commented_by:me",
    "milestone:3.0",
    "common sort:relevance",
    "state:open sort:importance",
    "rare OR #77",
)
BARE = {
    "sqlite": "SELECT rowid FROM search_words WHERE search_words MATCH ? ORDER BY rowid DESC LIMIT 30",
    "postgresql": "SELECT number FROM search_documents WHERE words @@ CAST(? AS tsquery) LIMIT 30",
}
WORDS = {"sqlite": '"{}" AND "_1_1"', "postgresql": "'1:{}'"}


def median(work: Callable[[], Any], runs: int) -> float:
    """Give the median of some runs in milliseconds."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def measure(
    database: Database, text: str, project_ids: tuple[int, ...], page: int, runs: int, me: int
) -> None:
    """Print one line about one query; it has a transaction of its own, as a request has."""
    query, scope, offset = parse(text), search.Scope(project_ids, me), (page - 1) * LIMIT

    def asked(ask: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: ask(transaction, query, scope, limit=LIMIT, offset=offset)

    with database.read(ACCOUNT) as transaction:
        taken = [
            median(asked(search.page), runs),
            median(lambda: search.count(transaction, query, scope), runs),
            median(asked(search.found), runs),
        ]
        keys, total = asked(search.found)()
    numbers = "".join(f"{each:9.2f}" for each in taken)
    print(f"{text:40}{len(project_ids):9}{page:7}{numbers}{len(keys):6}{total:7}", flush=True)


def bare(transaction: Transaction, word: str, runs: int) -> None:
    """Print what the database takes for a word when nobody else does anything."""
    name = transaction.dialect.name
    matched = WORDS[name].format(word)
    took = median(lambda: transaction.said(BARE[name], (matched,)), runs)
    print(f"bare {word:35}{took:25.2f}")


def main() -> None:
    """Time what the command line asks for."""
    parser = argparse.ArgumentParser(description="Time searches in the sample data.")
    parser.add_argument("--database", required=True, metavar="URL")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("queries", nargs="*")
    asked = parser.parse_args()
    database = Database(asked.database)
    print(f"{'query':40} projects   page     page    count     both  rows  total")
    with database.read(ACCOUNT) as transaction:
        me = transaction.said("SELECT min(user_id) + 1 FROM account_members", ())[0][0]
    for text in asked.queries or QUERIES:
        measure(database, text, (LARGEST,), 1, asked.runs, me)
    for text in asked.queries or ("common", "rare", "state:open"):
        measure(database, text, EVERYWHERE, 1, asked.runs, me)
    for text in asked.queries or ("common", "state:open"):
        measure(database, text, (LARGEST,), 1000, asked.runs, me)
    with database.read(ACCOUNT) as transaction:
        for word in ("common", "rare"):
            bare(transaction, word, asked.runs)
    database.close()


if __name__ == "__main__":
    main()
