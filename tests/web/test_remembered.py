"""What is remembered of requests: nobody fills the memory with what he sends."""

import tracemalloc
from urllib.parse import quote

import pytest

pytestmark = pytest.mark.parametrize("world", ["json"], indirect=True)

LONG = "a" * 50_000
MOST_BYTES = 2_000_000
MOST_BYTES_OF_ONE = 6_000


@pytest.fixture
def grown():
    """Give what says how many bytes are kept that were not before."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()


@pytest.mark.parametrize("part", ["host", "query", "path"])
def test_long_addresses_that_are_asked_for_are_not_remembered(world, nobody, harbour, grown, part):
    for number in range(100):
        long = f"{number}-{LONG}"
        slug, query = (long if part == which else "" for which in ("path", "query"))
        headers = {"Host": long} if part == "host" else {}
        nobody.get(f"/projects/{harbour}-{slug}/tickets?{query}", If_None_Match='"a"', **headers)
        world.log.seek(0)
        world.log.truncate()
    assert grown() < MOST_BYTES


@pytest.mark.parametrize("length", [240, 900])
def test_of_many_addresses_little_is_remembered(world, ada, nobody, harbour, grown, length):
    for _ in range(3):
        ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak"}})
    before, wide = grown(), "%ff" * length
    for number in range(200):
        path = f"/projects/{harbour}-{wide}-{number}/tickets"
        assert nobody.get(f"{path}?page=2&limit=1", If_None_Match='"a"').status == 200
    world.log.seek(0)
    world.log.truncate()
    assert grown() - before < 200 * MOST_BYTES_OF_ONE


def test_of_long_searches_little_is_remembered(nobody, harbour, grown):
    def search(number):
        signs = [" -" if number >> place & 1 else " " for place in range(8)]
        query = "".join(f"{sign}has:comments number:>{number}" for sign in signs * 7)
        return nobody.get(f"/projects/{harbour}/tickets?q={quote(query)}")

    assert search(0).status == 200
    before = grown()
    assert {search(number).status for number in range(1, 160)} == {200}
    assert grown() - before < MOST_BYTES
