"""Milestones and the tickets in them, over HTTP."""

import pytest

from tests.web.test_milestones import add, at, counts


def open_ticket(client, project, **fields):
    """Open a ticket and return its address."""
    answer = client.post(f"/projects/{project}/tickets", {"ticket": {"title": "Leak", **fields}})
    assert answer.status == 201, answer.body
    return f"/projects/{project}/tickets/{answer.item['number']}"


@pytest.mark.matrix("databases")
def test_tickets_that_come_close_move_and_go_are_counted(ada, roof):
    keel, mast = add(ada, roof), add(ada, roof, "Mast")
    first = open_ticket(ada, roof, milestone_id=keel["id"])
    second = open_ticket(ada, roof, milestone_id=keel["id"])
    assert counts(ada, keel) == (2, 2)
    ada.put(first, {"ticket": {"state": "resolved"}})
    assert counts(ada, keel) == (2, 1)
    ada.put(first, {"ticket": {"milestone_id": mast["id"]}})
    assert (counts(ada, keel), counts(ada, mast)) == ((1, 1), (1, 0))
    ada.put(first, {"ticket": {"state": "open"}})
    ada.delete(second)
    assert (counts(ada, keel), counts(ada, mast)) == ((0, 0), (1, 1))
    ada.put(first, {"ticket": {"milestone_id": None}})
    assert counts(ada, mast) == (0, 0)


def test_a_ticket_shows_the_present_title_of_its_milestone(ada, roof):
    milestone = add(ada, roof)
    ticket = open_ticket(ada, roof, milestone_id=milestone["id"])
    ada.put(at(milestone), {"milestone": {"title": "Mast"}})
    assert ada.get(ticket).item["milestone_title"] == "Mast"


@pytest.mark.matrix("databases")
def test_a_ticket_shows_when_its_milestone_is_due(ada, roof):
    milestone = add(ada, roof, due_on="2030-01-02")
    ticket = open_ticket(ada, roof, milestone_id=milestone["id"])
    open_ticket(ada, roof)

    def shown():
        assert "milestone_due_on" not in ada.get(ticket).item["versions"][0]
        listed = [each["milestone_due_on"] for each in ada.get(f"/projects/{roof}/tickets").items]
        return [ada.get(ticket).item["milestone_due_on"], *listed]

    first = "2030-01-02T00:00:00Z"
    assert shown() == [first, None, first]
    ada.put(at(milestone), {"milestone": {"due_on": "2031-01-02"}})
    assert shown() == ["2031-01-02T00:00:00Z", None, "2031-01-02T00:00:00Z"]
    ada.put(at(milestone), {"milestone": {"due_on": None}})
    assert shown() == [None] * 3
    ada.put(at(milestone), {"milestone": {"due_on": "2030-01-02"}})
    assert ada.put(ticket, {"ticket": {"body": "Soon"}}).item["milestone_due_on"] == first
    assert ada.put(ticket, {"ticket": {"milestone_id": None}}).item["milestone_due_on"] is None
    assert shown() == [None] * 3


def test_a_ticket_takes_no_milestone_of_another_project(ada, roof, harbour):
    milestone = add(ada, harbour)
    fields = {"title": "Leak", "milestone_id": milestone["id"]}
    answer = ada.post(f"/projects/{roof}/tickets", {"ticket": fields})
    assert (answer.status, answer.errors) == (422, ["Milestone is not in this project"])


@pytest.mark.matrix("databases")
@pytest.mark.parametrize("noun", ["milestones", "milestone"])
def test_deleting_a_milestone_keeps_its_tickets_and_the_history_in_their_versions(ada, roof, noun):
    keel, mast = add(ada, roof), add(ada, roof, "Mast")
    ticket = open_ticket(ada, roof, milestone_id=keel["id"])
    other = open_ticket(ada, roof, milestone_id=mast["id"])
    ada.put(ticket, {"ticket": {"milestone_id": mast["id"]}})
    ada.put(ticket, {"ticket": {"milestone_id": keel["id"]}})
    updated = ada.get(ticket).item["updated_at"]
    answer = ada.delete(f"/projects/{roof}/{noun}/{keel['id']}")
    assert (answer.status, answer.body) == (200, b"")
    assert [ada.get(at(keel)).status, ada.delete(at(keel)).status] == [404, 404]
    left = ada.get(ticket).item
    assert (left["milestone_id"], left["updated_at"], left["version"]) == (None, updated, 3)
    assert [version["milestone_id"] for version in left["versions"]] == [None, mast["id"], None]
    diffs = [version["diffable_attributes"] for version in left["versions"]]
    assert diffs == [{}, {"milestone": keel["id"]}, {"milestone": mast["id"]}]
    assert ada.get(other).item["milestone_id"] == mast["id"]


def test_a_deleted_milestone_is_no_longer_the_default_of_its_project(ada, roof):
    keel, mast = add(ada, roof), add(ada, roof, "Mast")
    ada.put(f"/projects/{roof}/settings", {"settings": {"default_milestone_id": keel["id"]}})
    assert ada.get(open_ticket(ada, roof)).item["milestone_id"] == keel["id"]
    ada.delete(at(mast))
    assert ada.get(f"/projects/{roof}").item["default_milestone_id"] == keel["id"]
    ada.delete(at(keel))
    assert ada.get(f"/projects/{roof}").item["default_milestone_id"] is None
    assert ada.get(open_ticket(ada, roof)).item["milestone_id"] is None
