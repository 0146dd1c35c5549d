"""Scopes of tokens: which routes a token that is limited to them may use."""

import pytest

from skerry.tracker.access import Permission
from skerry.web.routes.table import ROUTES
from tests.conftest import PASSWORD
from tests.support.client import basic
from tests.support.event_streams import streaming

pytestmark = pytest.mark.matrix("formats")

READ, WRITE, HOOKS = "tickets:read", "tickets:write", "hooks:write"


@pytest.fixture
def limited(ada):
    """Return a function that gives Ada, who may do everything, a token with scopes."""

    def make(scopes, **fields):
        in_person = ada.speaking(**basic(ada.email, PASSWORD))
        made = in_person.post("/profile/tokens", {"token": {"scopes": scopes, **fields}})
        assert made.status == 201
        return ada.speaking(**{"X-ServiceToken": made.item["token"]})

    return make


def test_a_token_for_reading_tickets_reads_and_changes_nothing(limited, roof):
    key = limited(READ)
    assert key.post(f"/projects/{roof}/tickets", {"ticket": {"title": "It leaks"}}).status == 403
    assert key.get(f"/projects/{roof}/tickets").status == 200
    refused = key.put(f"/projects/{roof}", {"project": {"name": "Mine"}})
    assert (refused.status, refused.errors) == (
        403,
        ["This token is limited to tickets:read, which excludes this"],
    )


def test_a_token_for_tickets_makes_tickets_but_no_milestones_and_no_hooks(limited, roof):
    key, place = limited(WRITE), f"/projects/{roof}"
    assert key.post(f"{place}/tickets", {"ticket": {"title": "It leaks"}}).status == 201
    assert key.get(f"{place}/milestones").status == 200
    assert key.post(f"{place}/milestones", {"milestone": {"title": "Spring"}}).status == 403
    assert key.get(f"{place}/hooks").status == 403


def test_a_token_for_hooks_sees_hooks_of_projects_and_no_tickets(limited, roof):
    key, place = limited(HOOKS), f"/projects/{roof}"
    assert key.get(f"{place}/hooks").status == 200
    assert key.get(f"{place}/tickets").status == 403
    assert key.get("/tickets").status == 403
    assert key.get("/hooks").status == 403
    assert key.get("/profile").status == 200


def told(client, path="/events"):
    return {event["type"] for event in client.get(path).items}


@pytest.mark.parametrize("scopes", [READ, WRITE])
def test_a_token_for_tickets_reads_nothing_of_the_administration(ada, ben, limited, roof, tickets, scopes):
    in_person = ada.speaking(**basic(ada.email, PASSWORD))
    in_person.put("/account", {"account": {"name": "Harbour"}})
    in_person.post("/invitations", {"invitation": {"email": "dora@example.org", "project_id": roof}})
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    key = limited(scopes)
    assert told(ada) >= {"account.updated", "invitation.created", "ticket.created"}
    for path in ("/events", f"/projects/{roof}/events"):
        assert "ticket.created" in told(key, path)
        assert not {each for each in told(key, path) if each.startswith(("account", "invitation", "person"))}
    assert key.get(f"/users/{ben.user_id}/memberships").status == 403
    assert key.get(f"/users/{ada.user_id}/memberships").status == 200


def test_only_a_token_for_hooks_reads_events_of_hooks(ada, limited, roof, tickets):
    ada.post(f"/projects/{roof}/hooks", {"hook": {"url": "https://bells.example/ring"}})
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    assert told(ada) >= {"hook.created", "ticket.created"}
    assert told(limited(f"{READ} {HOOKS}")) >= {"hook.created", "ticket.created"}
    for path in ("/events", f"/projects/{roof}/events"):
        assert "hook.created" not in told(limited(READ), path)


def test_a_stream_for_a_token_of_tickets_has_no_administration(ada, limited, tickets):
    in_person = ada.speaking(**basic(ada.email, PASSWORD))
    with streaming(limited(READ), "/events?after=now") as stream:
        stream.until(lambda each: each.text)
        in_person.put("/account", {"account": {"name": "Harbour"}})
        ada.post(tickets, {"ticket": {"title": "Leak"}})
        assert stream.types(1) == ["ticket.created"]


def test_a_read_only_token_with_a_scope_changes_nothing(limited, roof):
    key = limited(f"{WRITE} {HOOKS}", read_only=True)
    assert key.post(f"/projects/{roof}/tickets", {"ticket": {"title": "It leaks"}}).status == 403
    assert key.get(f"/projects/{roof}/hooks").status == 200


def test_what_is_read_for_a_change_needs_a_token_that_may_make_it(ada, limited, roof):
    place = f"/projects/{roof}"
    made = ada.speaking(**basic(ada.email, PASSWORD)).post("/profile/tokens", {"token": {"read_only": True}})
    reads, writes = ada.speaking(**{"X-ServiceToken": made.item["token"]}), limited(WRITE)
    for path in (
        "/projects/new",
        "/bins/new",
        "/hooks/new",
        f"{place}/tickets/new",
        f"{place}/milestones/new",
    ):
        refused = reads.get(path)
        assert (refused.status, refused.errors) == (403, ["This token is read-only"]), path
        assert limited(READ).get(path).status == 403, path
    assert writes.get(f"{place}/tickets/new").status == 200
    assert writes.get(f"{place}/milestones/new").status == 403
    assert limited(HOOKS).get(f"{place}/hooks/new").status == 200
    assert reads.get("/projects/987654/tickets/new").status == 404


def test_a_token_says_what_it_is_limited_to(limited):
    key = limited(f"{HOOKS},{READ}")
    assert key.get(f"/tokens/{key.headers['X-ServiceToken']}").item["scopes"] == f"{READ} {HOOKS}"


def test_unknown_scopes_are_refused(ada):
    refused = ada.speaking(**basic(ada.email, PASSWORD)).post("/profile/tokens", {"token": {"scopes": "all"}})
    assert refused.status == 422
    assert refused.errors == ["Scopes must be some of tickets:read, tickets:write, hooks:write, not all"]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_no_scope_reaches_what_it_does_not_name(route):
    scopes = route.scopes
    if route.permission is Permission.CAPABILITY_LINK:
        assert scopes is None
    elif scopes is None:
        assert (route.method, route.path) in {("GET", "/profile"), ("GET", "/tokens/{token}")}
    elif route.in_project and any(word in route.path for word in ("/hooks", "/forges")):
        assert scopes == {HOOKS}
    elif route.permission in (Permission.IN_PERSON, Permission.ADMINISTER, Permission.CONNECT):
        assert scopes == set()
    elif (route.writes and not route.reads_only) or route.path.endswith("/new"):
        is_about_tickets = "/tickets" in route.path or "/bulk_edit" in route.path
        assert scopes == ({WRITE} if is_about_tickets else set())
    else:
        assert scopes in ({READ, WRITE}, set())
