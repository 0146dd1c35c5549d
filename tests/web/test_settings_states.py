"""Changes of the states of a project: effects on tickets and stored counts."""

import pytest

from skerry.store.checks.recount import recount
from tests.web.test_settings import STATES, put

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def instance_and_log(own_instance):
    return own_instance


def differences(world):
    return [each for check in recount(world.database, world.instance.blobs) for each in check.differences]


@pytest.fixture
def counted(ada, roof):
    """Three tickets of a milestone: one on hold, one resolved, one invalid.

    Return the milestone's address.
    """
    milestones = f"/projects/{roof}/milestones"
    milestone = ada.post(milestones, {"milestone": {"title": "Spring"}}).item["id"]
    for state in ("hold", "resolved", "invalid"):
        ticket = {"ticket": {"title": state, "state": state, "milestone_id": milestone}}
        ada.post(f"/projects/{roof}/tickets", ticket)
    return f"{milestones}/{milestone}"


def test_tickets_follow_their_state_from_closed_to_open_and_back(world, ada, roof, counted):
    before = ada.get(f"/projects/{roof}/settings").item
    assert put(ada, roof, **STATES).status == 200
    assert ada.get(f"/projects/{roof}").item["open_tickets_count"] == 1
    assert ada.get(counted).item["open_tickets_count"] == 1
    assert ada.get(f"/projects/{roof}/tickets/1").item["closed"] is False
    assert differences(world) == []
    put(ada, roof, open_states=before["open_states"], closed_states=before["closed_states"])
    assert ada.get(counted).item["open_tickets_count"] == 0
    assert differences(world) == []


def test_tickets_are_spelt_as_their_state_is_now(ada, roof, counted):
    put(ada, roof, **STATES)
    assert ada.get(f"/projects/{roof}/tickets/2").item["state"] == "Resolved"
    assert [each["number"] for each in ada.get(f"/projects/{roof}/tickets?q=state:resolved").items] == [2]


def test_tickets_whose_state_is_gone_stay_as_they_are(world, ada, roof, counted):
    put(ada, roof, closed_states="resolved/6A0")
    ticket = ada.get(f"/projects/{roof}/tickets/3").item
    assert (ticket["state"], ticket["closed"]) == ("invalid", True)
    assert ada.put(f"/projects/{roof}/tickets/3", {"ticket": {"title": "Still"}}).status == 200
    assert differences(world) == []
