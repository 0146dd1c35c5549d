"""What is kept has room for so much."""

from skerry.store.engine import cache


def test_there_is_room_for_so_much_only():
    full = cache.BoundedCache()
    for key in range(cache.MAX * 2):
        full[key] = key
    assert len(full) <= cache.MAX
    assert full[cache.MAX * 2 - 1]


def test_what_is_kept_is_never_heavier_than_it_may_be():
    full, third = cache.WeightedCache(), cache.MAX_WEIGHT // 3
    for key in range(100):
        full.keep({key: "something"}, third)
        assert 0 < len(full) <= 3
        assert full[key]
