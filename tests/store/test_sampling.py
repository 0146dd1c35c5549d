"""Very many hits are seen by a sample, which is never surer than chance allows."""

from math import comb, exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.store.search import sampling as search_sampling


@given(st.integers(1, 60), st.integers(1, 99))
@settings(deadline=None)
def test_a_sample_is_never_surer_than_chance_allows(drawn, percent):
    share = percent / 100
    by_chance = 0.0
    for hits in range(drawn, -1, -1):
        by_chance += comb(drawn, hits) * share**hits * (1 - share) ** (drawn - hits)
        assert exp(-search_sampling.surety(hits, drawn, share)) >= by_chance * (1 - 1e-9)


@pytest.mark.parametrize(("hits", "drawn"), [(0, 40), (1, 40), (6, 40), (10, 160), (16, 400)])
def test_a_few_hits_show_nothing(hits, drawn):
    assert search_sampling.surety(hits, drawn, 10_000 / 700_000) < search_sampling.SURE


@pytest.mark.parametrize(("hits", "drawn"), [(14, 40), (20, 80), (36, 400), (40, 40)])
def test_many_hits_show_that_there_are_many(hits, drawn):
    assert search_sampling.surety(hits, drawn, 10_000 / 700_000) > search_sampling.SURE


def test_numbers_are_drawn_from_each_project_and_no_other(monkeypatch):
    monkeypatch.setattr(search_sampling, "STEADY", 10)
    drawn = search_sampling.Numbers([7, 9], [100, 130]).drawn(0, 400)
    assert sorted(drawn) == [(7, n) for n in range(1, 101)] + [(9, n) for n in range(1, 31)]
