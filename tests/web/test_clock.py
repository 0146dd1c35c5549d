"""The clock of the server is set back."""

import pytest

HOUR = 3600 * 1_000_000


@pytest.fixture
def set_back(world, monkeypatch):
    """What sets the clock back by an hour."""
    true_clock = world.database.clock
    return lambda: monkeypatch.setattr(world.database, "clock", lambda: true_clock() - HOUR)


@pytest.mark.matrix("databases")
def test_a_ticket_is_never_changed_before_it_was_changed_last(ada, roof, set_back):
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, {"ticket": {"title": "It leaks"}})
    before = ada.get(f"{tickets}/1").item
    set_back()
    ada.put(f"{tickets}/1", {"ticket": {"body": "New tiles."}})
    after = ada.get(f"{tickets}/1").item
    assert after["updated_at"] >= before["updated_at"]
    assert after["created_at"] == before["created_at"]
    assert after["versions"][1]["created_at"] >= before["updated_at"]
    assert [ticket["number"] for ticket in ada.get(tickets).items] == [1]


def test_a_bulk_edit_does_not_change_it_either(ada, roof, set_back):
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, {"ticket": {"title": "It leaks"}})
    before = ada.get(f"{tickets}/1").item
    set_back()
    edit = {"bulk_edit": {"query": "state:open", "command": "state:hold"}}
    assert ada.post(f"/projects/{roof}/bulk_edit", edit).status == 200
    after = ada.get(f"{tickets}/1").item
    assert after["state"] == "hold"
    assert after["updated_at"] >= before["updated_at"]
    assert after["versions"][1]["created_at"] >= before["updated_at"]


def test_a_ticket_dated_in_the_future_does_not_affect_others(ada, roof, set_back):
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, {"ticket": {"title": "Tomorrow"}})
    set_back()
    opened = ada.post(tickets, {"ticket": {"title": "Now"}}).item
    edit = {"bulk_edit": {"query": "state:open", "command": "state:hold"}}
    made = ada.post(f"/projects/{roof}/bulk_edit", edit).item
    ahead, now = (ada.get(f"{tickets}/{number}").item for number in (1, 2))
    assert ahead["updated_at"] > now["updated_at"] == made["created_at"] >= opened["updated_at"]
    assert ahead["versions"][1]["created_at"] == ahead["updated_at"]
    assert now["versions"][1]["created_at"] == now["updated_at"]
    assert [ticket["number"] for ticket in ada.get(f"{tickets}?q=all").items] == [1, 2]


def test_a_change_of_a_ticket_dated_in_the_future_forgets_no_stored_response(world, ada, roof, monkeypatch):
    tickets, true_clock = f"/projects/{roof}/tickets", world.database.clock
    ada.post(tickets, {"ticket": {"title": "In three days"}})
    monkeypatch.setattr(world.database, "clock", lambda: true_clock() - 72 * HOUR)
    sent = (
        (tickets, {"ticket": {"title": "Leak"}}),
        (f"{tickets}/1/versions", {"version": {"body": "Drip"}}),
    )
    first, again = ([ada.post(*each, Idempotency_Key=each[0]).body for each in sent] for _ in range(2))
    assert first == again
    monkeypatch.setattr(world.database, "clock", lambda: true_clock() - 47 * HOUR)
    assert [ada.post(*each, Idempotency_Key=each[0]).body for each in sent] != first
    assert len(ada.get(f"{sent[1][0]}").items) == 3


@pytest.mark.matrix("databases")
def test_a_total_is_counted_again_as_time_goes_by(world, ada, roof, monkeypatch):
    tickets, true_clock = f"/projects/{roof}/tickets", world.database.clock

    def passed(hours):
        monkeypatch.setattr(world.database, "clock", lambda: true_clock() + hours * HOUR)

    for hours in (-72, -71, -2, -1):
        passed(hours)
        ada.post(tickets, {"ticket": {"title": "Leak"}})
    for hours, total in ((0, "4"), (0, "4"), (48, "2")):
        passed(hours)
        for query in ("updated:'since 4 days ago'", "leak -created:'before 4 days ago'"):
            assert ada.get(f"{tickets}?q={query}&limit=1").headers["x-total-count"] == total
