"""Time searches in the sample data that bench/data.py makes.

    python -m bench.search --http --database sqlite:////tmp/sample.sqlite3

For each query it prints the medians of a page of 30, of its count, and of both as a list needs
them, in milliseconds; then what the bare database takes for some of the pages, and with ``--http``
what a client of one worker waits.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench import serving
from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.store import search
from skerry.store.auth import tokens
from skerry.text.queries.query import parse
from skerry.tracker.secrets import hash_token, new_token

ACCOUNT, MAX_SIZE, LIMIT = 1, 1, 30
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
OF_WORD = """SELECT rowid FROM search_words WHERE search_words MATCH '"{}" AND "_1_1"' ORDER BY rowid DESC"""
OF_DOCUMENT = """
    SELECT t.number FROM tickets t JOIN search_documents d USING (account_id, project_id, number)
    WHERE account_id = 1 AND project_id = 1 AND d.words @@ CAST('''1:{}''' AS tsquery)
    ORDER BY t.updated_at DESC, t.number DESC
"""
OF_KEYS = """
    SELECT t.number FROM tickets t WHERE t.account_id = 1 AND t.project_id = 1 AND t.closed = 0
        AND t.assigned_user_id = {me} AND EXISTS (SELECT 1 FROM taggings x WHERE x.account_id = 1
            AND x.project_id = 1 AND x.number = t.number AND x.tag = 'tag3')
    ORDER BY t.updated_at DESC, t.number DESC
"""
WORDS = {"sqlite": OF_WORD, "postgresql": OF_DOCUMENT}


def median(work: Callable[[], Any], runs: int) -> float:
    """Return the median of some runs in milliseconds."""
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
            median(lambda: search.count(transaction, query, scope, at_most=search.COUNTED + 1), runs),
            median(asked(search.page_with_total), runs),
        ]
        marks, total, _ = asked(search.page_with_total)()
    numbers = "".join(f"{each:9.2f}" for each in taken)
    print(f"{text:40}{len(project_ids):9}{page:7}{numbers}{len(marks):6}{total:7}", flush=True)


def bare(transaction: Transaction, runs: int, me: int) -> None:
    """Print what the database takes for a page in one statement as one would write it, without a total."""
    words = WORDS[transaction.dialect.name]
    for name, statement, offset in (
        ("common", words.format("common"), 0),
        ("rare", words.format("rare"), 0),
        ("state:open responsible:me tagged:tag3", OF_KEYS.format(me=me), 0),
        ("common", words.format("common"), 999 * LIMIT),
    ):
        took = median(partial(transaction.sql, f"{statement} LIMIT {LIMIT} OFFSET {offset}", ()), runs)
        print(f"bare {name:40}{offset // LIMIT + 1:11}{took:9.2f}", flush=True)


def over_http(database: Database, url: str, asked: Sequence[tuple[str, int]], runs: int, me: int) -> None:
    """Print what a client waits for a page with its tickets and total, and for suggestions."""
    token = new_token()
    with database.write(ACCOUNT) as transaction:
        tokens.add(transaction, me, hash_token(token), project_id=None, read_only=True, note="")
    headers = {"X-ServiceToken": token, "Accept": "application/json"}
    with tempfile.TemporaryDirectory() as folder, serving.product(Path(folder), url, 1) as server:
        connection = HTTPConnection("127.0.0.1", server.port)

        def get(path: str) -> None:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != HTTPStatus.OK:
                raise SystemExit(f"{path}: {answer.status} {body[:200]!r}")

        for text, page in asked:
            took = median(partial(get, f"/projects/{MAX_SIZE}/tickets?q={quote(text)}&page={page}"), runs)
            print(f"HTTP {text:40}{page:11}{took:9.2f}", flush=True)
        for text in ("", "state:", "responsible:p", "milestone:", "tagged:", "tagged:tag2"):
            took = median(partial(get, f"/projects/{MAX_SIZE}/query/suggest?q={quote(text)}"), runs)
            print(f"HTTP suggest {text:32}{took:20.2f}", flush=True)


def main() -> None:
    """Time what the command line asks for."""
    parser = argparse.ArgumentParser(description="Time searches in the sample data.")
    parser.add_argument("--database", required=True, metavar="URL")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--http", action="store_true", help="ask a server too, which is started for it")
    parser.add_argument("queries", nargs="*")
    asked = parser.parse_args()
    database = Database(asked.database)
    print(f"{'query':40} projects   page     page    count     both  rows  total")
    with database.read(ACCOUNT) as transaction:
        me = transaction.sql("SELECT min(user_id) + 1 FROM account_members", ())[0][0]
    for text in asked.queries or QUERIES:
        measure(database, text, (MAX_SIZE,), 1, asked.runs, me)
    for text in asked.queries or ("common", "rare", "state:open"):
        measure(database, text, EVERYWHERE, 1, asked.runs, me)
    for text in asked.queries or ("common", "state:open"):
        measure(database, text, (MAX_SIZE,), 1000, asked.runs, me)
    with database.read(ACCOUNT) as transaction:
        bare(transaction, asked.runs, me)
    if asked.http:
        pages = [(text, 1) for text in asked.queries or QUERIES]
        late = [(text, 1000) for text in asked.queries or ("common", "state:open")]
        over_http(database, asked.database, [*pages, *late], asked.runs, me)
    database.close()


if __name__ == "__main__":
    main()
