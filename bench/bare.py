"""The bare program: only the query and the encoding, under the same server, to measure against.

    python -m bench.bare --database sqlite:////tmp/sample.sqlite3 --port 8001 --workers 1

``/list-json`` and its like run the product's SQL on the driver's own connection and write the answer
with msgspec or the product's XML writer. ``/create/5`` and its like run the transaction that writes the
same rows as the product does. ``/constant/1000`` answers with so many bytes. As many
requests read at the same time as in the product.
"""

import argparse
import os
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Any

from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server import Server

from bench.bare_reads import readings
from bench.bare_writes import writings
from bench.connections import Connections
from skerry.config import Settings
from skerry.store.database import Database

DATABASE, BASE = "SKERRY_BENCH_DATABASE", "SKERRY_BENCH_BASE"

THREADS = 32
"""More than connections: as in the product, nobody waits for a thread."""

Environment = dict[str, Any]
Work = Callable[[str], bytes]


def application() -> Callable[[Environment, Callable[..., Any]], Iterable[bytes]]:
    """Give the WSGI application for a server's worker, built from the environment."""
    url = os.environ[DATABASE]
    database = Database(url)
    connections = Connections(url)
    works: dict[str, Work] = {
        "constant": _constant,
        **readings(database, connections, os.environ[BASE]),
        **writings(database, connections),
    }
    database.close()
    turns: SimpleQueue[None] = SimpleQueue()
    for _ in range(Settings(database_url=url).turns):
        turns.put(None)

    def in_turn(work: Work, rest: str) -> bytes:
        turns.get()
        try:
            return work(rest)
        finally:
            turns.put(None)

    def answer(environment: Environment, start_response: Callable[..., Any]) -> Iterable[bytes]:
        environment["wsgi.input"].read()
        name, _, rest = environment["PATH_INFO"][1:].partition("/")
        reads = environment["REQUEST_METHOD"] == "GET"
        body = in_turn(works[name], rest) if reads else works[name](rest)
        headers = [("Content-Type", "application/octet-stream"), ("Content-Length", str(len(body)))]
        start_response("200 OK", headers)
        return [body]

    return answer


def _constant(size: str) -> bytes:
    return b"x" * int(size)


def main() -> None:
    """Answer requests until a signal says to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", required=True)
    parser.add_argument("--base", default="http://127.0.0.1:8000")
    for name in ("--port", "--workers"):
        parser.add_argument(name, type=int, required=True)
    asked = parser.parse_args()
    os.environ.update({DATABASE: asked.database, BASE: asked.base})
    Server(
        "bench.bare:application",
        address="127.0.0.1",
        port=asked.port,
        interface=Interfaces.WSGI,
        factory=True,
        workers=asked.workers,
        blocking_threads=THREADS,
        log_level=LogLevels.warning,
        websockets=False,
    ).serve()


if __name__ == "__main__":
    main()
