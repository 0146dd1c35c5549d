"""Events while many write at two servers: everybody reads each once, in one order and without gaps.

SKERRY_TEST_ROUNDS makes the run longer: each of 16 people writes so many times ten changes.
"""

import io
import os
import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest

from skerry import app
from skerry.settings import Settings
from skerry.web.log import Log
from tests.conftest import World, build_world
from tests.support import migrated_databases
from tests.support.event_streams import streaming
from tests.support.processes import until

ROUNDS = int(os.environ.get("SKERRY_TEST_ROUNDS", "1"))
WRITERS, CHANGES, PROJECTS = 16, 10 * ROUNDS, 5

BREAK = 25
"""After so many events the connection of a stream breaks."""


@pytest.fixture
def servers(tmp_path):
    """Ada at two servers on one PostgreSQL."""
    url = migrated_databases.on_postgres()
    first, second = (
        app.build(Settings(data=tmp_path / name, database_url=url), Log(stream=io.StringIO()))
        for name in ("1", "2")
    )
    with first, second:
        world = build_world(first, None)
        ada = world.people["ada"]
        other = World(second, None, world.account_id, world.host, "json")
        yield ada, other.client(**ada.headers)


def write(client, projects, seed):
    """Make changes of one and of several events, and some that are refused; return how many events."""
    dice, written = random.Random(seed), 0
    for number in range(CHANGES):
        project = f"/projects/{dice.choice(projects)}"
        tickets = f"{project}/tickets"
        made = client.post(tickets, {"ticket": {"title": f"{seed}.{number}"}}).item["number"]
        written += 1
        if dice.random() < 0.3:
            assert client.put(f"{tickets}/{made}", {"ticket": {"state": "nowhere"}}).status == 422
        if dice.random() < 0.2:
            edit = {"query": f"number:{made}", "command": "importance:3"}
            assert client.post(f"{project}/bulk_edit", {"bulk_edit": edit}).status == 200
            written += 2
    return written


def read(client, after, over):
    """Read page by page, of few events each, until nobody writes any more; return the numbers."""
    numbers, cursor = [], str(after)
    while True:
        was_over = over.is_set()
        page = client.get(f"/events?after={cursor}&limit=7")
        numbers += [event["number"] for event in page.items]
        cursor = page.headers["x-last-event-id"]
        if was_over and "link" not in page.headers:
            return numbers
        if not page.items:
            over.wait(0.05)


def follow(client, after, over):
    """Read a stream, which breaks now and then, until nobody writes any more; return the numbers."""
    numbers = []
    while not over.is_set() or after + len(numbers) < last(client):
        known = after + len(numbers)
        with streaming(client, "/events", Last_Event_ID=str(known)) as stream:
            until(partial(_is_enough, client, known, over, stream), "the next events")
            # Of what comes before a connection breaks, not all is read; it comes again.
            numbers += [int(number) for number in stream.ids[:BREAK]]
    return numbers


def _is_enough(client, number, over, stream):
    come = len(stream.ids)
    return come > BREAK or (over.is_set() and number + come >= last(client))


def last(client):
    return int(client.get("/events?after=now").headers["x-last-event-id"])


def test_everybody_reads_each_event_once_and_in_one_order(servers):
    ada, _ = servers
    projects = [ada.post("/projects", {"project": {"name": f"P{n}"}}).item["id"] for n in range(PROJECTS)]
    after, over = last(ada), Event()
    with ThreadPoolExecutor(WRITERS + 4) as pool:
        readers = [pool.submit(work, client, after, over) for work in (read, follow) for client in servers]
        writers = [pool.submit(write, servers[n % 2], projects, n) for n in range(WRITERS)]
        try:
            written = sum(writer.result() for writer in writers)
        finally:
            over.set()
        for reader in readers:
            assert reader.result() == list(range(after + 1, after + written + 1))
