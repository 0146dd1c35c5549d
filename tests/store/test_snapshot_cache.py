"""What is kept has room for so much."""

from skerry.store import snapshot_cache


def test_there_is_room_for_so_much_only():
    full = snapshot_cache.SnapshotCache(0)
    for key in range(snapshot_cache.MOST * 2):
        full[key] = key
    assert len(full) <= snapshot_cache.MOST
    assert full[snapshot_cache.MOST * 2 - 1]


def test_what_is_kept_is_never_heavier_than_it_may_be():
    full, third = snapshot_cache.WeightedCache(), snapshot_cache.HEAVIEST // 3
    for key in range(100):
        full.keep({key: "something"}, third)
        assert 0 < len(full) <= 3
        assert full[key]
