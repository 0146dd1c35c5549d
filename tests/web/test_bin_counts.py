"""How many tickets bins hold, over HTTP."""

import random
from time import monotonic
from urllib.parse import urlencode

import pytest

from skerry.store import bin_counts, count_cache
from tests.web.test_bins import add, count

pytestmark = pytest.mark.matrix("databases")


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


@pytest.fixture
def counted_once(monkeypatch):
    """Every count is taken for one that took long; a list says which were made in full."""
    made = []
    whole = bin_counts._all

    def noted(transaction, query, *rest):
        made.append(query.text)
        return whole(transaction, query, *rest)

    monkeypatch.setattr("skerry.store.count_cache.SLOW", -1)
    monkeypatch.setattr(bin_counts, "_all", noted)
    return made


def test_a_count_that_took_long_follows_the_tickets_that_change(ada, roof, counted_once):
    tickets, leak = f"/projects/{roof}/tickets", {"title": "Leak", "importance": 3}
    ada.post(tickets, {"ticket": leak})
    found = add(ada, roof, query="importance:3")
    for number, importance, expected in ((1, 3, 1), (1, 4, 0), (1, 3, 1), (1, 3, 1)):
        assert ada.put(f"{tickets}/{number}", {"ticket": {"importance": importance}}).status == 200
        assert count(ada, found) == expected
    ada.post(tickets, {"ticket": leak})
    assert count(ada, found) == 2
    assert counted_once == ["importance:3"]


def test_of_counts_that_are_due_one_is_made_anew_for_each_request(ada, roof, counted_once, monkeypatch):
    for query in ("leak", "roof", "rain"):
        add(ada, roof, query=query)
    assert sorted(counted_once) == ["leak", "rain", "roof"]
    monkeypatch.setattr("skerry.store.count_cache.monotonic", lambda: monotonic() + count_cache.SECONDS)
    for many in (4, 5, 6, 7, 7):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
        ada.get(f"/projects/{roof}/bins")
        assert len(counted_once) == many
    assert [found["tickets_count"] for found in ada.get(f"/projects/{roof}/bins").items[3:]] == [5, 0, 0]


def test_a_count_that_took_long_is_made_anew_when_a_ticket_is_gone(ada, roof, counted_once):
    found = add(ada, roof, query="leak")
    for _ in range(3):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    assert count(ada, found) == 3
    ada.delete(f"/projects/{roof}/tickets/2")
    assert count(ada, found) == 2
    assert counted_once == ["leak"] * 2


def test_a_count_follows_changes_whatever_the_clock_says(ada, world, roof, counted_once, monkeypatch):
    tickets = f"/projects/{roof}/tickets"
    for _ in range(3):
        ada.post(tickets, {"ticket": {"title": "Leak", "importance": 3}})
    found, now = add(ada, roof, query="importance:3"), world.database.clock()
    # As of several servers whose clocks differ.
    for number, moment, expected in (
        (1, now + 60_000_000, 2),
        (2, now, 1),
        (2, now, 1),
        (3, now - 60_000_000, 0),
    ):
        monkeypatch.setattr(world.database, "clock", lambda moment=moment: moment)
        assert ada.put(f"{tickets}/{number}", {"ticket": {"importance": 4}}).status == 200
        assert count(ada, found) == expected
    assert counted_once == ["importance:3"]


def test_a_count_is_made_anew_when_more_tickets_have_changed_than_are_looked_at(
    ada, roof, counted_once, monkeypatch
):
    monkeypatch.setattr("skerry.store.project_marks.NEWEST", 3)
    tickets = f"/projects/{roof}/tickets"
    for _ in range(6):
        ada.post(tickets, {"ticket": {"title": "Leak", "importance": 3}})
    found, anew = add(ada, roof, query="importance:3"), []
    for many in (1, 2, 3, 4):
        for number in range(1, many + 1):
            ada.put(f"{tickets}/{number}", {"ticket": {"importance": 3 + many % 2}})
        assert count(ada, found) == 6 - many * (many % 2)
        anew.append(len(counted_once) - 1)
    assert anew == [0, 0, 1, 2]


def test_a_count_is_made_anew_when_states_become_open_or_closed(ada, roof, counted_once):
    for state in ("new", "hold"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "state": state}})
    found = add(ada, roof, query="leak state:closed")
    assert count(ada, found) == 1
    states = {"open_states": "new/f17\nhold/aaa", "closed_states": "resolved/6a0"}
    assert ada.put(f"/projects/{roof}/settings", {"settings": states}).status == 200
    assert count(ada, found) == 0
    assert counted_once == ["leak state:closed"] * 2


def test_a_count_follows_comments_that_are_rewritten_or_removed(ada, roof, counted_once):
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
    assert counted_once == ["rain"]


def test_a_count_is_made_anew_where_those_that_changed_are_taken_for_too_many(
    ada, roof, counted_once, monkeypatch
):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    found, whole = add(ada, roof, query="leak"), bin_counts.search.numbers

    def uncertain(*asked, fewer_than):
        return whole(*asked, fewer_than=fewer_than) if fewer_than > bin_counts.MOST else None

    monkeypatch.setattr(bin_counts.search, "numbers", uncertain)
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"importance": 4}})
    assert count(ada, found) == 1
    assert counted_once == ["leak"] * 2


def test_what_is_more_than_enough_is_known_for_as_many_changes_as_were_found_to_spare(
    ada, roof, counted_once, monkeypatch
):
    monkeypatch.setattr(bin_counts, "MOST", 2)
    monkeypatch.setattr(bin_counts, "SPARE", 3)
    for _ in range(6):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "importance": 3}})
    found, counts = add(ada, roof, query="importance:3"), []
    for number in range(1, 6):
        ada.put(f"/projects/{roof}/tickets/{number}", {"ticket": {"importance": 4}})
        counts.append(count(ada, found))
    assert counts == [2, 2, 2, 2, 1]
    assert 2 <= len(counted_once) <= 3


@pytest.mark.parametrize("seed", range(3))
def test_counts_that_follow_are_those_of_the_lists(ada, ben, roof, counted_once, seed):
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
    assert len(counted_once) == len({*counted_once})


def test_a_count_of_ones_own_is_not_told_to_others(ada, ben, roof, monkeypatch):
    monkeypatch.setattr("skerry.store.count_cache.SLOW", -1)
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    found = add(ada, roof, query="responsible:ME", shared=True)
    assert [count(voice, found) for voice in (ada, ben, ada, ben)] == [0, 1, 0, 1]
