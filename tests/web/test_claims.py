"""Claims: who works on a ticket now."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def claim(leak):
    return f"{leak}/claim"


@pytest.fixture
def later(world, monkeypatch):
    """Return a function that sets the clock forward by minutes."""

    def move(minutes):
        now = world.database.clock()
        monkeypatch.setattr(world.database, "clock", lambda: now + minutes * 60_000_000)

    return move


def test_a_ticket_is_claimed_by_one_until_it_is_given_back(ada, ben, claim):
    assert ben.get(claim).item["expires_at"] is None
    held = ben.post(claim, {"claim": {"worker": "night shift", "minutes": 30}})
    assert (held.status, held.item["user_name"], held.item["minutes"]) == (200, "Ben", 30)
    assert ada.get(claim).item == held.item
    refused = ada.post(claim, {"claim": {}})
    assert (refused.status, refused.errors) == (
        409,
        [f"#1 is claimed by Ben (night shift) until {held.item['expires_at']}"],
    )
    assert (ada.delete(claim).status, ada.get(claim).item) == (409, held.item)
    assert ben.delete(f"{claim}?worker=night%20shift").status == 200
    assert ada.post(claim).item["user_name"] == "Ada"


def test_a_holder_renews_and_another_worker_with_the_same_token_does_not(ben, claim, later):
    first = ben.post(claim, {"claim": {"worker": "a"}}).item
    later(10)
    again = ben.post(claim, {"claim": {"worker": "a"}}).item
    assert again["expires_at"] > first["expires_at"]
    assert [ben.post(claim, {"claim": {"worker": each}}).status for each in ("b", "", " a ")] == [
        409,
        409,
        200,
    ]
    assert [ben.delete(f"{claim}?worker={each}").status for each in ("b", "a", "a")] == [409, 200, 200]


def test_a_claim_ends_by_itself(ada, ben, claim, later):
    ben.post(claim, {"claim": {"minutes": 15}})
    later(15)
    assert ada.get(claim).item["expires_at"] is None
    assert ada.delete(claim).status == 200
    assert ada.post(claim).status == 200


def test_a_claim_has_bounds(ben, claim):
    for minutes in (14, 241):
        refused = ben.post(claim, {"claim": {"minutes": minutes}})
        assert (refused.status, refused.errors) == (422, ["Minutes must be a whole number from 15 to 240"])
    long = ben.post(claim, {"claim": {"worker": "x" * 101}})
    assert long.errors == ["Worker is too long (at most 100 characters)"]


def test_closed_and_missing_tickets_are_not_claimed(ada, leak, tickets, claim):
    ada.put(leak, {"ticket": {"state": "resolved"}})
    assert (ada.post(claim).status, ada.post(claim).errors) == (409, ["#1 is closed"])
    for call in (ada.get, ada.post, ada.delete):
        assert call(f"{tickets}/99/claim").status == 404


def test_a_claim_changes_neither_the_ticket_nor_its_tag(ada, ben, leak, claim):
    before = ada.get(leak)
    ben.post(claim)
    after = ada.get(leak)
    assert (after.headers["etag"], after.body) == (before.headers["etag"], before.body)


def test_a_claim_goes_with_a_moved_ticket(ada, ben, roof, harbour, claim):
    held = ben.post(claim, {"claim": {"worker": "a"}}).item
    ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "all", "command": "project:Harbour"}})
    assert ada.get(f"/projects/{harbour}/tickets/1/claim").item == {**held, "project_id": harbour}


def test_many_workers_claim_each_ticket_once(ada, ben, tickets):
    numbers = [ada.post(tickets, {"ticket": {"title": "Gutter"}}).item["number"] for _ in range(20)]

    def work(worker):
        sent = {"claim": {"worker": f"worker {worker}"}}
        return [number for number in numbers if ben.post(f"{tickets}/{number}/claim", sent).status == 200]

    with ThreadPoolExecutor(10) as threads:
        taken = [number for mine in threads.map(work, range(10)) for number in mine]
    assert sorted(taken) == numbers


def test_what_is_claimed_blocked_or_closed_is_not_ready(ada, ben, tickets, later):
    for number in range(1, 6):
        ada.post(tickets, {"ticket": {"title": f"Tile {number}", "importance": number}})
    ada.post(f"{tickets}/1/links", {"link": {"kind": "blocks", "ticket": "5"}})
    ada.put(f"{tickets}/4", {"ticket": {"state": "resolved"}})
    ben.post(f"{tickets}/3/claim", {"claim": {"minutes": 15}})
    expected = {
        "is:claimed": [3],
        "is:ready sort:(importance,due)": [2, 1],
        "-is:ready sort:number": [3, 4, 5],
        "is:(blocked,claimed) sort:number": [3, 5],
        "-is:claimed state:open sort:number": [1, 2, 5],
        "is:claimed OR tagged:nowhere": [3],
    }
    assert {query: numbers(ada, tickets, query) for query in expected} == expected
    later(15)
    assert numbers(ada, tickets, "is:claimed") == []
    assert numbers(ada, "/tickets", "is:ready sort:importance") == [3, 2, 1]


def numbers(client, tickets, query):
    return [each["number"] for each in client.get(f"{tickets}?q={quote(query)}").items]
