"""The full-text index on SQLite: its places are in the order of the list."""

import random
import subprocess
import sys

import pytest
from sqlalchemy import text

from skerry.database.statements import Statement
from skerry.store import accounts, search
from skerry.store import tickets as ticket_store
from skerry.store.checks.search_index import differences
from skerry.store.search import index as search_index
from skerry.store.search import sqlite_index
from skerry.text.queries.query import parse
from tests.support.naive_search import World
from tests.support.parity import NOW, people_and_projects, recorded

DAY = 86_400_000_000
ROW = recorded(state="new") | {
    **dict.fromkeys(("permalink", "body", "body_html"), ""),
    **dict.fromkeys(("attachments_count", "created_at"), 0),
    **dict.fromkeys(("creator_id", "user_id", "version", "last_version"), 1),
    "watchers_ids": [],
}
ROOF, WALL = (1,), (2,)
PLACES = Statement(
    text("SELECT number, place FROM search_places WHERE account_id = :account_id ORDER BY place"),
    across_projects="upkeep",
)


@pytest.fixture
def database(sqlite):
    """A database with two projects, the roof and the wall."""
    with sqlite.write() as transaction:
        transaction.account_id = accounts.add(transaction, "One", None).id
        world = World(projects={1: ("Roof", "roof"), 2: ("Wall", "wall")}, people={}, milestones={})
        people_and_projects(transaction, world)
    return sqlite


def changed(transaction, project_id, number, timestamp, body="rain"):
    """Open a ticket that was changed at a moment."""
    key = {"project_id": project_id, "number": number}
    ticket_store.add(transaction, **{**ROW, **key, "updated_at": timestamp, "body": body})


def listed(database, word, projects):
    with database.read(1) as transaction:
        scope = search.Scope(projects, None)
        return search.page(transaction, parse(word), scope, limit=1000, offset=0)


def places(database):
    with database.read(1) as transaction:
        return dict(transaction.all(PLACES))


def reindexed(transaction):
    search_index.index_after(transaction, search_index.FIRST, limit=1000)


@pytest.mark.parametrize("seed", [3, 11, 15])
def test_no_ticket_is_lost_where_others_changed_years_before(database, seed):
    chance, timestamp, of_roof = random.Random(seed), 1_200_000_000_000_000, []
    with database.write(1) as transaction:
        for number in range(1, 401):
            timestamp += chance.randrange(5 * DAY if number < 200 else DAY // 80)
            timestamp = max(timestamp, NOW) if number >= 200 else timestamp
            project_id = 1 if number % 97 == 0 else 2
            of_roof += [(1, number)] if project_id == 1 else []
            changed(transaction, project_id, number, timestamp, "rain " * 100)
            search_index.index(transaction, project_id, number)
    assert listed(database, "rain", ROOF) == of_roof[::-1]
    assert len(listed(database, "rain", ROOF + WALL)) == 400
    assert list(differences(database)) == []


def test_places_stay_small_whatever_the_time_of_the_changes(database):
    with database.write(1) as transaction:
        for number, timestamp in enumerate((NOW, 0, 1, 2**51), 1):
            changed(transaction, 1, number, timestamp)
        reindexed(transaction)
    assert places(database) == {2: 1, 3: 2, 1: 3, 4: 4}


def test_after_the_clock_was_set_back_tickets_dated_later_move_only_once(database):
    with database.write(1) as transaction:
        for number in (1, 2, 3):
            changed(transaction, 1, number, NOW + number * DAY)
        reindexed(transaction)
    found = []
    for number in (4, 5, 6):
        with database.write(1) as transaction:
            changed(transaction, 2, number, NOW + number)
            search_index.index(transaction, 2, number)
        found.append({number: place for number, place in places(database).items() if number < 4})
    assert listed(database, "rain", ROOF + WALL) == [(1, 3), (1, 2), (1, 1), (2, 6), (2, 5), (2, 4)]
    assert found[0] == found[1] == found[2]


def test_a_lost_order_is_reported_and_reindexing_repairs_it(database):
    with database.write(1) as transaction:
        for number in (1, 2, 3):
            changed(transaction, number % 2 + 1, number, NOW + number)
        # So an import that is killed leaves them.
        for project_id in (2, 1):
            search_index.index_new(transaction, project_id)
    found = list(differences(database))
    search_index.reindex(database)
    place = "ticket 3 of project 2 of account 1"
    assert found == [f"Searches for words do not have the order of the list from {place} on"]
    assert list(differences(database)) == []
    assert [number for _, number in listed(database, "rain", ROOF + WALL)] == [3, 2, 1]


def test_stopping_a_reordering_leaves_every_ticket_in_the_index_once(database, monkeypatch):
    monkeypatch.setattr(sqlite_index, "SOME", 2)
    with database.write(1) as transaction:
        for number in range(1, 11):
            changed(transaction, number % 2 + 1, number, NOW + number)
        for project_id in (2, 1):
            search_index.index_new(transaction, project_id)
    newest = 10
    for moved, _ in search_index.put_in_order(database, 1):
        # Another one writes, and finds are right, as they are if nobody goes on.
        newest += 1
        with database.write(1) as transaction:
            changed(transaction, 1, newest, NOW + newest)
            search_index.index(transaction, 1, newest)
        of_roof = [number for _, number in listed(database, "rain", ROOF)]
        assert of_roof == sorted(of_roof, reverse=True)
        found = [number for _, number in listed(database, "rain", ROOF + WALL)]
        assert sorted(found) == list(range(1, newest + 1))
        if moved == 4:
            break
    for _ in search_index.put_in_order(database, 1):
        pass
    assert list(differences(database)) == []
    assert [number for _, number in listed(database, "rain", ROOF + WALL)] == list(range(newest, 0, -1))


MOVER = """
import sys
from skerry.database.database import Database
from skerry.store.search import index, sqlite_index
sqlite_index.SOME = 20
for number, _ in enumerate(index.put_in_order(Database(sys.argv[1]), 1)):
    print(number, flush=True)
    if number == 2:
        sys.stdin.read()  # whoever reads this kills it here
"""


def test_a_process_that_is_killed_while_tickets_move_loses_none_of_them(database):
    with database.write(1) as transaction:
        for number in range(1, 401):
            changed(transaction, number % 2 + 1, number, NOW + number)
        for project_id in (2, 1):
            search_index.index_new(transaction, project_id)
    url = database.engine.url.render_as_string(hide_password=False)
    words = [sys.executable, "-c", MOVER, url]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as mover:
        assert all(mover.stdout.readline() for _ in range(3))
        mover.kill()
    of_roof = [number for _, number in listed(database, "rain", ROOF)]
    assert of_roof == list(range(400, 0, -2))
    found = [number for _, number in listed(database, "rain", ROOF + WALL)]
    assert sorted(found) == list(range(1, 401))
    assert list(search_index.put_in_order(database, 1))
    assert list(differences(database)) == []


def test_a_ticket_that_changes_during_a_reordering_is_found_in_its_place(database, monkeypatch):
    monkeypatch.setattr(sqlite_index, "SOME", 1)
    with database.write(1) as transaction:
        for number in (1, 2, 3, 4):
            changed(transaction, number % 2 + 1, number, NOW + number * DAY)
        for project_id in (2, 1):
            search_index.index_new(transaction, project_id)
    moving = search_index.put_in_order(database, 1)
    next(moving)
    with database.write(1) as transaction:
        changed(transaction, 2, 5, NOW + 3 * DAY + 1)
        search_index.index(transaction, 2, 5)
    assert list(moving)
    assert list(differences(database)) == []
    assert [number for _, number in listed(database, "rain", ROOF + WALL)] == [4, 5, 3, 2, 1]


def test_a_word_that_finds_different_tickets_each_way_is_reported_and_repaired(database):
    with database.write(1) as transaction:
        for number in (1, 2):
            changed(transaction, 1, number, NOW + number)
        reindexed(transaction)
        lost = "UPDATE search_places SET place = 9 WHERE account_id = :account_id AND place = :place"
        transaction.run(Statement(text(lost)), place=2)
    found = list(differences(database))
    search_index.reindex(database)
    assert found[1] == (
        "The word rain is found in different numbers of tickets in project 1 of account 1: 2 by the count"
        " up to 10000, 1 by the pages up to 10000, 2 by the index upwards, 2 by the index downwards"
    )
    assert list(differences(database)) == []
    assert listed(database, "rain", ROOF) == [(1, 2), (1, 1)]
