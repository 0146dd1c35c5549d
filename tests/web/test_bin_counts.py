"""How many tickets bins hold, over HTTP."""

import random
from urllib.parse import urlencode

import pytest

from skerry.store import search
from tests.web.test_bins import add, count


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state:hold", 2),
        ("state:HOLD", 2),
        ("state:(new,hold)", 3),
        ("state:(hold,closed)", 3),
        ("state:open", 1),
        ("state:nonsense", 0),
        ("-state:hold", 2),
    ],
)
def test_a_bin_of_a_state_counts_the_tickets_that_it_finds(ada, roof, query, expected):
    for state in ("new", "hold", "hold", "invalid"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "state": state}})
    assert count(ada, add(ada, roof, query=query)) == expected
    assert len(ada.get(f"/projects/{roof}/tickets?{urlencode({'q': query})}").items) == expected


def test_a_count_is_exact_where_lists_stop_counting(ada, roof, monkeypatch):
    monkeypatch.setattr(search, "COUNTED", 1)
    for _ in range(3):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    assert count(ada, add(ada, roof, query="leak")) == 3


@pytest.mark.matrix("databases")
def test_a_count_is_another_when_states_become_open_or_closed(ada, roof):
    for state in ("new", "hold"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "state": state}})
    found = add(ada, roof, query="leak state:closed")
    assert count(ada, found) == 1
    states = {"open_states": "new/f17\nhold/aaa", "closed_states": "resolved/6a0"}
    assert ada.put(f"/projects/{roof}/settings", {"settings": states}).status == 200
    assert count(ada, found) == 0


@pytest.mark.matrix("databases")
def test_a_count_follows_comments_that_are_rewritten_or_removed(ada, roof):
    versions = f"/projects/{roof}/tickets/1/versions"
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    found = add(ada, roof, query="rain")
    assert ada.post(versions, {"version": {"body": "Rain"}}).status == 201
    assert count(ada, found) == 1
    assert ada.put(f"{versions}/2", {"version": {"body": "Snow"}}).status == 200
    assert count(ada, found) == 0
    assert ada.put(f"{versions}/2", {"version": {"body": "Rain"}}).status == 200
    assert count(ada, found) == 1
    assert ada.delete(f"{versions}/2").status == 200
    assert count(ada, found) == 0


@pytest.mark.matrix("databases")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.fuzz) for seed in range(1, 20))])
def test_counts_are_those_of_the_lists(ada, ben, roof, seed):
    chance = random.Random(seed)
    tickets = f"/projects/{roof}/tickets"
    queries = (
        "importance:3",
        "leak",
        "responsible:none",
        "tagged:wet OR -leak",
        "responsible:Ben updated:today",
    )
    bins = {query: add(ada, roof, query=query, shared=True) for query in queries}
    for step in range(12):
        title, tag = chance.choice(("Leak", "Roof")), chance.choice(("wet", "dry", ""))
        who, importance = chance.choice((ben.user_id, None)), chance.choice((0, 3))
        ticket = {"title": title, "tag": tag, "assigned_user_id": who, "importance": importance}
        if step < 3 or chance.random() < 0.3:
            assert ada.post(tickets, {"ticket": ticket}).status == 201
        else:
            assert ada.put(f"{tickets}/{chance.randint(1, 3)}", {"ticket": ticket}).status == 200
        query = chance.choice(queries)
        assert count(ben, bins[query]) == len(ben.get(f"{tickets}?{urlencode({'q': query})}").items), query


def test_a_count_of_ones_own_is_not_told_to_others(ada, ben, roof):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    found = add(ada, roof, query="responsible:ME", shared=True)
    assert [count(client, found) for client in (ada, ben, ada, ben)] == [0, 1, 0, 1]
