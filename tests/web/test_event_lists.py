"""Events as people and programs read them: in order, and only what they may see now."""

import pytest

pytestmark = pytest.mark.matrix("both")


def types(answer):
    return [event["type"] for event in answer.items]


def test_events_of_a_project_are_listed_the_oldest_first(world, ada, ben, tickets, roof):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "It drips"}})
    ben.put(f"{tickets}/1", {"ticket": {"state": "open", "body": "I look"}})
    found = ben.get(f"/projects/{roof}/events?after=0").items
    assert [event["number"] for event in found] == sorted(event["number"] for event in found)
    last = found[-1]
    assert (last["type"], last["subject_kind"], last["subject_id"]) == ("ticket.updated", "ticket", 1)
    assert (last["user_id"], last["user_name"], last["version"]) == (ben.user_id, "Ben", 2)
    assert last["changes"] == {"state": ["new", "open"], "body": None}
    assert last["url"] == f"http://{world.host}{tickets}/1"


def test_a_reader_goes_on_behind_what_it_has_read(ada, tickets):
    after = ada.get("/events?after=now").headers["x-last-event-id"]
    for title in ("One", "Two", "Three"):
        ada.post(tickets, {"ticket": {"title": title}})
    first = ada.get(f"/events?after={after}&limit=2")
    assert len(first.items) == 2
    assert f'after={int(after) + 2}>; rel="next"' in first.headers["link"]
    rest = ada.get(f"/events?after={first.headers['x-last-event-id']}")
    assert [event["changes"]["title"] for event in rest.items] == [[None, "Three"]]
    assert "link" not in rest.headers
