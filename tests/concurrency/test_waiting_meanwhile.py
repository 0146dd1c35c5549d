"""Locks of related rows: writers wait for each other without deadlocks."""

import pytest

from skerry.store import bins, messages, settings, tickets
from skerry.store.ticket_rows import batches
from skerry.web import changes


def removing(path):
    """Return what removes a thing if it is still what was seen."""
    return lambda client: client.delete(path, **{"If-Match": client.get(path).headers["etag"]})


def changing(path, data):
    """Return what changes a thing."""
    return lambda client: client.put(path, data)


def holding_all(client):
    """Change several tickets."""
    return client.post("/projects/1/bulk_edit", {"bulk_edit": {"query": "all", "command": "tagged:wet"}})


CLOSED_LATER = {"open_states": "open/aaa", "closed_states": "new/f17"}
RINGS = {
    "milestone": (
        (tickets, "change", changing("/projects/1/tickets/1", {"ticket": {"milestone_id": None}})),
        removing("/projects/1/milestones/1"),
    ),
    "comment": (
        (messages, "change", changing("/projects/1/messages/1", {"message": {"title": "Rain"}})),
        removing("/projects/1/messages/2"),
    ),
    "bins": (
        (bins, "make_room", changing("/projects/1/bins/1", {"bin": {"position": 2}})),
        changing("/projects/1/bins/2", {"bin": {"position": 1}}),
    ),
    "states": (
        (batches, "BatchedTicket", holding_all),
        changing("/projects/1/settings", {"settings": CLOSED_LATER}),
    ),
}
"""Who is at something in the middle of which another one begins, and what that one does."""


@pytest.mark.parametrize("which", RINGS)
def test_two_writers_of_related_rows_never_deadlock(furnished, meanwhile, monkeypatch, which):
    ada, elsewhere = furnished
    ada.post("/projects/1/messages/1/comments", {"comment": {"body": "Drip"}})
    ada.post("/projects/1/tickets", {"ticket": {"title": "Drip"}})
    ada.put("/projects/1/tickets/1", {"ticket": {"milestone_id": 1}})
    # Several tickets are held one by one, and who would end up in a ring does not come again.
    monkeypatch.setattr(batches, "AT_ONCE", 1)
    monkeypatch.setattr(changes, "TRIES", 1)
    (store, change, first), second = RINGS[which]
    with meanwhile(store, change) as do:
        later = do(second, elsewhere)
        # Who comes later may find something else than he has seen.
        assert {first(ada).status, later.result().status} <= {200, 201, 412}


def test_a_removal_of_a_project_waits_for_changes_in_it(furnished, meanwhile):
    ada, elsewhere = furnished
    with meanwhile(tickets, "add") as do:
        later = do(elsewhere.delete, "/projects/1")
        assert ada.post("/projects/1/tickets", {"ticket": {"title": "Leak"}}).status == 201
        assert later.result().status == 200
    assert ada.get("/projects/1/tickets/2").status == 404


CHANGES_STATE = {
    "ticket": (tickets, "change", "put", "/projects/1/tickets/1", {"ticket": {"state": "hold"}}),
    "bulk edit": (
        batches,
        "BatchedTicket",
        "post",
        "/projects/1/bulk_edit",
        {"bulk_edit": {"query": "all", "command": "state:hold"}},
    ),
    "move": (
        batches,
        "BatchedTicket",
        "post",
        "/projects/2/bulk_edit",
        {"bulk_edit": {"query": "all", "command": "project:1"}},
    ),
    "commit": (
        batches,
        "BatchedTicket",
        "post",
        "/projects/1/changesets",
        {"changeset": {"body": "[#1 state:hold]", "revision": "1"}},
    ),
}
"""What brings a ticket into a state: the step before it is written, the method, the address and the draft."""


@pytest.mark.parametrize("how", CHANGES_STATE)
def test_a_state_that_becomes_open_is_open_on_every_ticket(furnished, meanwhile, how):
    ada, elsewhere = furnished
    store, step, method, path, draft = CHANGES_STATE[how]
    ada.post("/projects", {"project": {"name": "Gutter"}})
    ada.post("/projects/2/tickets", {"ticket": {"title": "Drip", "state": "hold"}})
    opened = {"open_states": "new/f17\nhold/eb0", "closed_states": "resolved/6a0"}
    with meanwhile(store, step) as do:
        later = do(elsewhere.put, "/projects/1/settings", {"settings": opened})
        assert getattr(ada, method)(path, draft).status in {200, 201}
        assert later.result().status == 200
    found = ada.get("/projects/1/tickets").items
    assert "hold" in {ticket["state"] for ticket in found}
    assert not any(ticket["closed"] for ticket in found)
    assert ada.get("/projects/1").item["open_tickets_count"] == len(found)


def test_a_dry_run_of_a_move_waits_for_nobody(furnished, meanwhile):
    ada, elsewhere = furnished
    ada.post("/projects", {"project": {"name": "Gutter"}})
    done = []

    def look():
        edit = {"query": "all", "command": "project:2", "dry_run": True}
        status = elsewhere.post("/projects/1/bulk_edit", {"bulk_edit": edit}).status
        return status, list(done)

    with meanwhile(settings, "change") as do:
        later = do(look)
        done.append(ada.put("/projects/2/settings", {"settings": {"license": "MIT"}}).status)
        assert (later.result(), done) == ((200, []), [200])
