"""What is remembered of requests: nobody fills the memory with what he sends."""

import tracemalloc

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
