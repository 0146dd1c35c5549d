"""What is remembered of counts that took long."""

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Event
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
    return ref(cache.fresh(key, mark, Counted)[0])


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
    clock.append(count_cache.LATE_SECONDS)
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


@pytest.mark.usefixtures("clock")
def test_a_count_of_another_mark_may_be_followed_and_lasts_no_longer_for_that(cache, clock):
    cache.fresh("bins", 1, lambda: 5)
    assert cache.known("bins", 3, lambda mark, found: found + mark) == 6
    assert cache.known("bins", 3) == 6
    assert cache.known("bins", 4, lambda _mark, _found: None) is None
    clock.append(count_cache.SECONDS)
    assert cache.known("bins", 3) is None


def test_a_count_that_is_due_is_still_known_to_those_who_need_not_make_it_anew(cache, clock):
    cache.fresh("bins", 1, lambda: 5)
    clock.append(count_cache.SECONDS)
    assert (cache.known("bins", 1), cache.known("bins", 1, late=True)) == (None, 5)
    clock.append(count_cache.LATE_SECONDS)
    assert cache.known("bins", 1, late=True) is None


def test_who_counts_is_alone_and_others_who_come_meanwhile_wait(cache):
    order, waits = [], Event()

    def count():
        assert cache.is_counting("bins")
        waits.set()
        with cache.alone("bins"):
            order.append("second")

    with ThreadPoolExecutor(1) as second, cache.alone("bins"):
        done = second.submit(count)
        waits.wait()
        order.append("first")
    done.result()
    assert order == ["first", "second"]
    assert not cache.is_counting("bins")


def test_nobody_waits_for_ever_for_who_counts(cache, monkeypatch):
    monkeypatch.setattr(count_cache, "PATIENCE", 0.01)
    with ThreadPoolExecutor(1) as second, cache.alone("bins"):

        def count():
            with cache.alone("bins"):
                return 7

        assert second.submit(count).result() == 7
        assert cache.is_counting("bins")
