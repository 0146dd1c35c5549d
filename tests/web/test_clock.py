"""A clock that is set back."""

import pytest

HOUR = 3600 * 1_000_000


@pytest.fixture
def set_back(world, monkeypatch):
    """What sets the clock back by an hour."""
    true_clock = world.database.clock
    return lambda: monkeypatch.setattr(world.database, "clock", lambda: true_clock() - HOUR)


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


def test_nor_is_it_by_a_bulk_edit(ada, roof, set_back):
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, {"ticket": {"title": "It leaks"}})
    before = ada.get(f"{tickets}/1").item
    set_back()
    edit = {"bulk_edit": {"query": "state:open", "command": "state:hold"}}
    assert ada.post(f"/projects/{roof}/bulk_edit", edit).status == 201
    after = ada.get(f"{tickets}/1").item
    assert after["state"] == "hold"
    assert after["updated_at"] >= before["updated_at"]
    assert after["versions"][1]["created_at"] >= before["updated_at"]
