"""A search is known to be quick by what it took the last times."""

import pytest

from skerry.web import quick_searches
from skerry.web.quick_searches import QuickSearches, Took

QUICK, LATE, LONG, STUCK = Took(0.002, 0.001), Took(0.1, 0.001), Took(0.03, 0.02), Took(0.9, 0.001)


def asked(query, host="account"):
    return {"HTTP_HOST": host, "PATH_INFO": "/tickets.json", "QUERY_STRING": f"q={query}"}


def known(*times):
    acquainted = QuickSearches()
    for took in times:
        acquainted.note(asked("rain"), took)
    return acquainted.is_quick(asked("rain"))


@pytest.mark.parametrize(
    ("times", "is_known"),
    [
        ((), False),
        ((QUICK,), True),
        ((LATE,), False),
        ((LONG,), False),
        ((QUICK, LONG), False),
        ((QUICK, LATE), True),
        ((QUICK, LATE, LATE, LATE, LATE), False),
        ((LATE, QUICK), True),
        ((STUCK, QUICK), False),
    ],
)
def test_it_is_quick_unless_it_worked_for_long_or_usually_takes_long(times, is_known):
    assert known(*times) is is_known


def test_the_same_words_elsewhere_are_another_search():
    acquainted = QuickSearches()
    acquainted.note(asked("rain"), QUICK)
    assert not acquainted.is_quick(asked("rain", host="other"))
    assert not acquainted.is_quick(asked("snow"))


def test_a_stranger_cannot_fill_the_memory_with_searches(monkeypatch):
    monkeypatch.setattr(quick_searches, "MOST", 3)
    acquainted = QuickSearches()
    for number in range(10):
        acquainted.note(asked(number), QUICK)
    assert sum(acquainted.is_quick(asked(number)) for number in range(10)) <= 3
    assert acquainted.is_quick(asked(9))
