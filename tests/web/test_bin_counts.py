"""The numbers of tickets in bins, over HTTP."""

import random
from urllib.parse import urlencode

import pytest

from skerry.errors import QueryTimeout
from skerry.store import search
from tests.web.test_bins import add, at, count


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
def test_counts_change_when_states_become_open_or_closed(ada, roof):
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


def test_a_personal_count_is_not_shown_to_others(ada, ben, roof):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    found = add(ada, roof, query="responsible:ME", shared=True)
    assert [count(client, found) for client in (ada, ben, ada, ben)] == [0, 1, 0, 1]


@pytest.mark.matrix("databases")
def test_a_bin_is_counted_once_for_each_change_of_the_project(ada, roof, monkeypatch):
    found, counted, quick = add(ada, roof, query="leak"), [], search.count
    monkeypatch.setattr(search, "count", lambda *asked, **how: counted.append(1) or quick(*asked, **how))
    assert [count(ada, found) for _ in range(3)] == [0, 0, 0]
    assert len(counted) == 1
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    assert [count(ada, found) for _ in range(3)] == [1, 1, 1]
    assert len(counted) == 2


@pytest.mark.matrix("databases")
def test_a_bin_with_a_relative_date_is_counted_again_after_a_minute(ada, roof, world, monkeypatch):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    found, now = add(ada, roof, query="created:'since 5 minutes ago'"), world.database.clock()
    assert count(ada, found) == 1
    monkeypatch.setattr(world.database, "clock", lambda: now + 600_000_000)
    assert count(ada, found) == 0


@pytest.mark.matrix("both")
def test_a_bin_that_takes_too_long_to_count_shows_its_last_number_and_its_time(ada, roof, monkeypatch):
    def refuse(*_, **__):
        raise QueryTimeout

    found = add(ada, roof, query="leak")
    assert "counted_at" not in ada.get(at(found)).item
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    monkeypatch.setattr(search, "count", refuse)
    late = ada.get(at(found)).item
    assert (late["tickets_count"], bool(late["counted_at"])) == (0, True)
    # One that was never counted has the number among the tickets changed last.
    never = ada.get(at(add(ada, roof, query="leak*"))).item
    assert (never["tickets_count"], never["counted_at"]) == (1, None)


def test_a_bin_that_takes_too_long_to_count_does_not_slow_down_the_next_list(ada, roof, monkeypatch):
    quick, tried = search.count, []

    def count(transaction, query, *asked, **how):
        tried.append(query.text)
        if query.text == "leak":
            raise QueryTimeout
        return quick(transaction, query, *asked, **how)

    monkeypatch.setattr(search, "count", count)
    found = add(ada, roof, query="leak")
    tried.clear()
    assert [ada.get(at(found)).item["counted_at"] for _ in range(3)] == [None, None, None]
    # The event loop gives up before a thread does.
    assert tried == ["leak", "leak"]
