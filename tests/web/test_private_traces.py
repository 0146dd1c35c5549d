"""What private tickets leave behind: bulk edits, and notifications of those who do not see them any more."""

import pytest

from skerry.tracker.events.event_readers import read_new
from skerry.tracker.notifications import notifier

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def leaks(harbour):
    """The address of the tickets of a public project."""
    return f"/projects/{harbour}/tickets"


def opened(client, leaks, **fields):
    made = client.post(leaks, {"ticket": {"title": "Leak", **fields}})
    assert made.status == 201, made.body
    return f"{leaks}/{made.item['number']}"


def edited(client, leaks, query, command):
    address = leaks.replace("tickets", "bulk_edit")
    made = client.post(address, {"bulk_edit": {"query": query, "command": command}})
    assert made.status == 200, made.body
    return f"{address}s/{made.item['id']}"


def told(client, leaks):
    """The types of the events of a project that a client sees."""
    return {each["type"] for each in client.get(leaks.replace("tickets", "events")).items}


def test_a_bulk_edit_stays_hidden_when_its_private_ticket_is_deleted(ada, ben, cy, nobody, leaks):
    ticket = opened(ada, leaks, private=True)
    edit = edited(ada, leaks, "leak", "tagged:wet")
    assert ada.delete(ticket).status < 300
    for client in (cy, nobody):
        assert client.get(edit).status == 404
        assert "bulk_edit.done" not in told(client, leaks)
    assert (ben.get(edit).status, "bulk_edit.done" in told(ben, leaks)) == (200, True)
    other = edited(ada, leaks, opened(ada, leaks) and "leak", "tagged:dry")
    assert (cy.get(other).status, cy.get(edit).status) == (200, 404)


def test_a_bulk_edit_stays_hidden_when_its_private_ticket_moves_on(ada, ben, cy, leaks):
    opened(ada, leaks, private=True)
    edits = [edited(ada, leaks, "leak", "tagged:wet")]
    hull, mast = (
        ada.post("/projects", {"project": {"name": name, "public": True}}).item["id"]
        for name in ("Hull", "Mast")
    )
    edits.append(edited(ada, leaks, "leak", f"project:{hull}"))
    edits.append(edited(ada, f"/projects/{hull}/tickets", "leak", f"project:{mast}"))
    ticket = f"/projects/{mast}/tickets/1"
    assert ada.get(ticket).item["private"] is True
    assert [cy.get(edit).status for edit in edits] == [404, 404, 404]
    ada.delete(ticket)
    assert [cy.get(edit).status for edit in edits] == [404, 404, 404]
    assert [ada.get(edit).status for edit in edits] == [200, 200, 200]


def test_marking_all_as_read_counts_what_is_seen(world, ada, cy, leaks):
    hidden, seen = opened(ada, leaks), opened(ada, leaks)
    for ticket in (hidden, seen):
        assert cy.put(ticket, {"ticket": {"body": "Mine too"}}).status == 200
        ada.put(ticket, {"ticket": {"body": "It drips"}})
    read_new(world.database, notifier.NAME, notifier.read, only=[world.account_id])
    assert len(cy.get("/notifications?unread=true").items) == 2
    ada.put(hidden, {"ticket": {"private": True}})
    assert len(cy.get("/notifications?unread=true").items) == 1
    marked = cy.post("/notifications/read").item
    assert marked["count"] == 1
    assert cy.post(f"/notifications/read/{marked['id']}/undo").item["count"] == 1
    ada.put(hidden, {"ticket": {"private": False}})
    assert len(cy.get("/notifications?unread=true").items) == 2
