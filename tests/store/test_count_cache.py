"""What is remembered of counts that took long."""

import gc
from weakref import ref

import pytest

from skerry.store import count_cache
from skerry.store.count_cache import CountCache


class Counted:
    """Something large that was counted."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a second each time that somebody looks, and by what is put into it."""
    gone = [0]

    def monotonic():
        gone.append(1)
        return sum(gone)

    monkeypatch.setattr(count_cache, "monotonic", monotonic)
    monkeypatch.setattr(count_cache, "SLOW", 0.5)
    return gone


@pytest.fixture
def cache():
    return CountCache()


def kept(cache, key, mark):
    """Count something, and give a reference that keeps it from nothing."""
    return ref(cache.fresh(key, mark, Counted))


def is_there(reference):
    gc.collect()
    return reference() is not None


@pytest.mark.usefixtures("clock")
def test_a_count_is_remembered_for_what_it_depends_on(cache):
    tags = kept(cache, "tags", 1)
    assert is_there(tags)
    assert cache.known("tags", 1) is tags()
    assert cache.known("tags", 2) is None
    assert cache.known("bins", 1) is None


@pytest.mark.usefixtures("clock")
def test_only_the_newest_of_a_kind_is_kept(cache):
    before = kept(cache, "tags", 1)
    after = kept(cache, "tags", 2)
    assert (is_there(before), is_there(after)) == (False, True)
    assert cache.known("tags", 1) is None


def test_what_is_over_is_not_kept(cache, clock):
    before = kept(cache, "tags", 1)
    clock.append(count_cache.SECONDS)
    assert cache.known("tags", 1) is None
    kept(cache, "bins", 1)
    assert not is_there(before)


def test_that_a_count_was_given_up_is_remembered_for_longer(cache, clock):
    cache.give_up("bins")
    clock.append(count_cache.SECONDS)
    kept(cache, "tags", 1)
    assert cache.known("bins") is True
    clock.append(count_cache.GIVEN_UP_SECONDS)
    assert cache.known("bins") is None
