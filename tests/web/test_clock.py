"""A clock that is set back."""


def test_a_ticket_is_never_changed_before_it_was_changed_last(world, ada, roof, monkeypatch):
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, {"ticket": {"title": "It leaks"}})
    before = ada.get(f"{tickets}/1").item
    hour = 3600 * 1_000_000
    true_clock = world.database.clock
    monkeypatch.setattr(world.database, "clock", lambda: true_clock() - hour)
    ada.put(f"{tickets}/1", {"ticket": {"body": "New tiles."}})
    after = ada.get(f"{tickets}/1").item
    assert after["updated_at"] >= before["updated_at"]
    assert after["created_at"] == before["created_at"]
    assert after["versions"][1]["created_at"] >= before["updated_at"]
    assert [ticket["number"] for ticket in ada.get(tickets).items] == [1]
