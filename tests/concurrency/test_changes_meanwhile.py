"""Concurrent changes of one resource: both are applied, or one gets a conflict."""

import pytest

from skerry.store import (
    accounts,
    bins,
    list_settings,
    messages,
    milestones,
    projects,
    settings,
    tickets,
    versions,
)
from skerry.store.auth import passkeys
from skerry.store.people import people as people_store
from skerry.store.people import preferences, users
from skerry.store.sending import hooks, leases
from skerry.tracker.row_locks import LOCKS
from skerry.web.route import ResponseKind, endpoints
from skerry.web.routes.table import ROUTES


@pytest.mark.parametrize(
    ("change", "path", "name", "drafts"),
    [
        ((projects, "change"), "/projects/1", "project", ({"name": "Gable"}, {"public": True})),
        (
            (settings, "change"),
            "/projects/1/settings",
            "settings",
            ({"license": "MIT"}, {"description": "D"}),
        ),
        ((users, "change"), "/profile", "user", ({"job": "Carpenter"}, {"website": "https://ada.example/"})),
        (
            (bins.ROWS, "update"),
            "/projects/1/bins/1",
            "ticket_bin",
            ({"name": "Wet"}, {"query": "wet"}),
        ),
    ],
    ids=["project", "settings", "user", "bin"],
)
def test_changes_of_different_fields_at_the_same_time_are_both_kept(
    pair, meanwhile, change, path, name, drafts
):
    ada, elsewhere = pair
    ada.post("/projects", {"project": {"name": "Roof"}})
    first, second = ({name: draft} for draft in drafts)
    with meanwhile(*change) as do:
        later = do(elsewhere.put, path, second)
        assert ada.put(path, first).status == later.result().status == 200
    found = ada.get(path).item
    assert {**found, **first[name], **second[name]} == found


def test_a_ticket_is_read_with_the_versions_that_it_had_then(pair, meanwhile):
    ada, elsewhere = pair
    ada.post("/projects", {"project": {"name": "Roof"}})
    ada.post("/projects/1/tickets", {"ticket": {"title": "Leak"}})
    path = "/projects/1/tickets/1"
    with meanwhile(versions, "newest") as do:
        later = do(elsewhere.put, path, {"ticket": {"state": "resolved"}})
        found = ada.get(path).item
        assert later.result().status == 200
    assert (found["state"], len(found["versions"])) == ("new", 1)
    assert len(ada.get(path).item["versions"]) == 2


NEW_PROJECT = {"project": {"name": "Gutter"}}
COMPARED = {
    "Account": (accounts, "rename", "/account", {"account": {"name": "Roofers"}}),
    "Hook": (hooks.ROWS, "update", "/projects/1/hooks/1", {"hook": {"note": "Pager"}}),
    "ListSettings": (list_settings, "put", "/profile/lists/1", {"list_settings": {"group": "state"}}),
    "Message": (messages, "change", "/projects/1/messages/1", {"message": {"body": "Rain"}}),
    "Milestone": (milestones.ROWS, "update", "/projects/1/milestones/1", {"milestone": {"goals": "Dry"}}),
    "Passkey": (passkeys, "rename", "/profile/passkeys/1", {"passkey": {"name": "Key"}}),
    "Person": (people_store, "change_role", "/people/{ben}", {"person": {"role": "administrator"}}),
    "Preferences": (preferences, "change", "/profile/preferences", {"preferences": {"language": "de"}}),
    "Project": (projects, "change", "/projects/1", {"project": {"name": "Gable"}}),
    "ProjectSettings": (settings, "change", "/projects/1/settings", {"settings": {"license": "MIT"}}),
    "Sending": (leases, "pause", "/sending", {"sending": {"paused": True}}),
    "Ticket": (tickets, "change", "/projects/1/tickets/1", {"ticket": {"title": "Leaks"}}),
    "TicketBin": (bins.ROWS, "update", "/projects/1/bins/1", {"ticket_bin": {"name": "Wet"}}),
    "User": (users, "change", "/profile", {"user": {"job": "Carpenter"}}),
    "Version": (versions, "edit", "/projects/1/tickets/1/versions/1", {"ticket": {"body": "Rain"}}),
}
"""What can be changed where it is read: with what, by which statement, and where."""


def comparable(*methods):
    """Return the kinds that a change by one of some methods can be compared with."""
    items = [
        endpoint
        for endpoint in endpoints(ROUTES)
        if endpoint.reading and endpoint.reading.response_kind is ResponseKind.ITEM
    ]
    return {
        endpoint.reading.kind
        for endpoint in items
        if any(route.method in methods for route in endpoint.routes if route.writes)
    }


def test_all_that_can_be_compared_is_held_and_all_that_can_be_changed_is_tried():
    assert comparable("POST", "PUT", "DELETE") >= set(LOCKS)
    assert {kind.__name__ for kind in comparable("PUT") if kind in LOCKS} == set(COMPARED)


@pytest.mark.parametrize("kind", COMPARED)
def test_a_request_repeated_during_the_first_one_gets_the_same_response(furnished, pair, meanwhile, kind):
    ada, elsewhere = furnished
    store, change, path, draft = COMPARED[kind]
    path = path.format(ben=pair[0].world.people["ben"].user_id)
    sent = {"If-Match": ada.get(path).headers["etag"], "Idempotency-Key": "k"}
    with meanwhile(store, change) as do:
        later = do(lambda: elsewhere.put(path, draft, **sent))
        first = ada.put(path, draft, **sent)
        assert (first.status, later.result().status) == (200, 200)
    assert later.result().body == first.body


@pytest.mark.parametrize("kind", COMPARED)
def test_one_of_two_people_who_change_the_same_thing_gets_a_conflict(furnished, pair, meanwhile, kind):
    ada, elsewhere = furnished
    store, change, path, draft = COMPARED[kind]
    path = path.format(ben=pair[0].world.people["ben"].user_id)
    seen = {"If-Match": ada.get(path).headers["etag"]}
    with meanwhile(store, change) as do:
        later = do(lambda: elsewhere.put(path, draft, **seen))
        assert ada.put(path, draft, **seen).status == 200
        assert later.result().status == 412


@pytest.mark.parametrize(
    ("store", "path", "draft"),
    [(tickets, "/projects/1/tickets", {"ticket": {"title": "Drip"}}), (projects, "/projects", NEW_PROJECT)],
    ids=["in a project", "of the account"],
)
def test_one_of_two_people_who_add_to_the_same_list_gets_a_conflict(furnished, meanwhile, store, path, draft):
    ada, elsewhere = furnished
    seen = {"If-Match": ada.get(path).headers["etag"]}
    with meanwhile(store, "add") as do:
        later = do(lambda: elsewhere.post(path, draft, **seen))
        assert ada.post(path, draft, **seen).status == 201
        assert later.result().status == 412
