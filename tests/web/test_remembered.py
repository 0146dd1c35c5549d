"""Memory of past requests: no client can fill it."""

import gc
import tracemalloc
from urllib.parse import quote

import pytest

from skerry.database import sqlite

LONG = "a" * 50_000
MAX_BYTES = 1_600_000
MAX_BYTES_OF_ONE = 6_000


@pytest.fixture
def grown():
    """Return what says how many bytes are kept that were not before, without garbage."""

    def kept():
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    yield kept
    tracemalloc.stop()


@pytest.mark.parametrize("part", ["host", "query", "path"])
def test_long_addresses_that_are_asked_for_are_not_remembered(world, nobody, harbour, grown, part):
    for number in range(40):
        long = f"{number}-{LONG}"
        slug, query = (long if part == which else "" for which in ("path", "query"))
        headers = {"Host": long} if part == "host" else {}
        nobody.get(f"/projects/{harbour}-{slug}/tickets?{query}", If_None_Match='"a"', **headers)
        world.log.seek(0)
        world.log.truncate()
    assert grown() < MAX_BYTES / 2


@pytest.mark.parametrize("length", [240, 900])
def test_many_addresses_take_little_memory(world, ada, nobody, harbour, grown, length):
    for _ in range(3):
        ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak"}})
    before, wide = grown(), "%ff" * length
    for number in range(60):
        path = f"/projects/{harbour}-{wide}-{number}/tickets"
        assert nobody.get(f"{path}?page=2&limit=1", If_None_Match='"a"').status == 200
    world.log.seek(0)
    world.log.truncate()
    assert grown() - before < 60 * MAX_BYTES_OF_ONE


def test_long_searches_take_little_cache(nobody, harbour, grown):
    def search(number):
        signs = [" -" if number >> place & 1 else " " for place in range(8)]
        query = "".join(f"{sign}has:comments number:>{number}" for sign in signs * 7)
        return nobody.get(f"/projects/{harbour}/tickets?q={quote(query)}")

    assert search(0).status == 200
    before = grown()
    assert {search(number).status for number in range(1, 60)} == {200}
    assert grown() - before < MAX_BYTES


def test_a_connection_that_keeps_lists_of_many_lengths_is_replaced(ada, harbour, monkeypatch):
    closed, close = [], sqlite.Connection.close
    monkeypatch.setattr(sqlite, "MAX_TEXT", 10_000)
    monkeypatch.setattr(sqlite.Connection, "close", lambda self: closed.append(self) or close(self))
    for length in (100, 100, 100, *range(100, 200, 2)):
        body = " ".join(f"[{number:x}]" for number in range(length))
        assert ada.post(f"/projects/{harbour}/preview", {"preview": {"body": body}}).status == 200
    assert 1 <= len(closed) <= 10


def test_a_text_with_all_characters_of_a_plane_takes_little_cache(ada, harbour, grown):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak"}})
    before = grown()
    comment = {"version": {"body": "".join(map(chr, range(0x10000, 0x1FFFE)))}}
    assert ada.post(f"/projects/{harbour}/tickets/1/versions", comment).status == 201
    ada.delete(f"/projects/{harbour}/tickets/1")
    # Somewhat more than it is for any text of this length, and less than if each character had an entry.
    assert grown() - before < 4_000_000


def test_many_long_texts_of_states_take_little_cache(ada, harbour, grown):
    def settle(number):
        states = "\n".join(f"{number}-{place}/fff" for place in range(900))
        return ada.put(f"/projects/{harbour}/settings", {"settings": {"open_states": states}})

    assert settle(0).status == 200
    before = grown()
    assert {settle(number).status for number in range(1, 8)} == {200}
    assert grown() - before < MAX_BYTES / 2
