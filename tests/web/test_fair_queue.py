"""Searches wait in a row of their own and never have more than half of the time while others wait."""

import pytest

from skerry.web.fair_queue import FairQueue, Request


def waiting(leaders, searches, others):
    row = FairQueue(leaders)
    for number in range(searches):
        row.add(Request(None, {"q": number}, searches=True))
    for number in range(others):
        row.add(Request(None, {"page": number}, searches=False))
    return row


def answered(row, times, *, search, other):
    """Which are answered by one leader if each search and each other request takes so long."""
    order = ""
    for _ in range(times):
        request = row.take(0)
        order += "s" if request.searches else "o"
        row.charge(request, search if request.searches else other)
    return order


@pytest.mark.parametrize(
    ("search", "order"), [(1.0, "sosososo"), (3.0, "sooosooo"), (0.25, "sosososo"), (100.0, "sooooooo")]
)
def test_each_row_gets_half_of_the_time(search, order):
    assert answered(waiting(1, 9, 9), 8, search=search, other=1.0) == order


def test_while_one_row_is_empty_the_other_has_all_of_the_time_and_owes_nothing():
    row = waiting(1, 9, 0)
    assert answered(row, 3, search=9.0, other=1.0) == "sss"
    row.add(Request(None, {}, searches=False))
    assert answered(row, 2, search=1.0, other=9.0) == "os"


def test_half_of_the_leaders_are_kept_for_others_who_wait():
    row = waiting(4, 2, 1)
    assert row.take(2) == Request(None, {"page": 0}, searches=False)
    assert row.take(3) == Request(None, {"q": 0}, searches=True)
    assert bool(row)
    assert row.take(0)
    assert not row
    assert row.take(0) is None
