"""Bounded caches."""

from skerry.database import cache


def test_a_bounded_cache_has_a_maximum_size():
    full = cache.BoundedCache()
    for key in range(cache.MAX * 2):
        full[key] = key
    assert len(full) <= cache.MAX
    assert full[cache.MAX * 2 - 1]


def test_a_weighted_cache_keeps_the_newest_entries_within_its_limit():
    full, third = cache.WeightedCache(), cache.MAX_WEIGHT // 3
    for key in range(100):
        full.keep(key, "something", third)
        assert list(full) == list(range(max(0, key - 2), key + 1))
    full.keep(98, "another thing", 2 * third)
    assert (list(full), full[98], full.weight) == ([99, 98], "another thing", 3 * third)
    full.clear()
    assert (list(full), full.weight) == ([], 0)
