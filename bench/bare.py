"""The bare program: only the query and the encoding, under the same server, to measure against.

    python -m bench.bare --database sqlite:////tmp/sample.sqlite3 --port 8001 --workers 1

``/list-json`` and its like run the product's SQL on the driver's own connection and write the answer
with msgspec or the product's XML writer. ``/create/5`` and its like run the transaction that writes the
same rows as the product does. ``/constant/1000`` answers with so many bytes. As many
requests read at the same time as in the product.
"""

import argparse
import asyncio
import os
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import uvicorn

from bench.bare_reads import readings
from bench.bare_writes import writings
from bench.connections import Connections
from skerry.database.database import Database
from skerry.settings import Settings

DATABASE, BASE = "SKERRY_BENCH_DATABASE", "SKERRY_BENCH_BASE"

Scope = dict[str, Any]
Work = Callable[[str], bytes]


def application() -> Callable[..., Any]:
    """Return the ASGI application for a server's worker, built from the environment."""
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
    for _ in range(Settings(database_url=url).threads_for_database):
        turns.put(None)

    def in_turn(work: Work, rest: str) -> bytes:
        turns.get()
        try:
            return work(rest)
        finally:
            turns.put(None)

    async def answer(scope: Scope, receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        while (await receive()).get("more_body"):
            pass
        name, _, rest = scope["path"][1:].partition("/")
        reads = scope["method"] == "GET"
        body = await asyncio.to_thread(*((in_turn, works[name]) if reads else (works[name],)), rest)
        headers = [
            (b"content-type", b"application/octet-stream"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

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
    uvicorn.run(
        "bench.bare:application",
        factory=True,
        port=asked.port,
        workers=asked.workers,
        lifespan="off",
        log_level="warning",
        access_log=False,
    )


if __name__ == "__main__":
    main()
