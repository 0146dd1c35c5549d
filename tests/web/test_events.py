"""Every change of data writes exactly one event, in its own transaction."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest
from sqlalchemy import bindparam, select

from skerry.database.statements import Statement
from skerry.database.transactions import DAY
from skerry.store import audit, tables
from skerry.store.events import events
from skerry.tracker.audit import chain
from skerry.web.routes.table import ROUTES
from tests.conftest import PASSWORD, build_world, untroubled
from tests.support.browser_client import WebClient
from tests.support.client import Upload
from tests.support.resources import PICTURE, THINGS
from tests.support.route_matrix import MEMBER, ONCE, REMOVALS_LAST, WRITING, Account, name_of, signed_in

EVENTS = Statement(
    select(tables.events)
    .where(tables.events.c.account_id == bindparam("account_id"), tables.events.c.number > bindparam("after"))
    .order_by(tables.events.c.number),
    across_projects="upkeep",
)

NONE = {
    "POST /projects/{project_id}/preview": "nothing is kept",
    "POST /mail": "only administrators hand in mails of others",
    "DELETE /people/{id}/sessions": "signing in and out is no change of data",
    "DELETE /profile/sessions": "signing in and out is no change of data",
    "DELETE /profile/sessions/{id}": "signing in and out is no change of data",
    "POST /profile/verification": "no mails are sent there; a mail that waits is no change of data",
    "POST /password-reset": "no mails are sent there; a mail that waits is no change of data",
    "POST /sign-up": "nobody can sign up there",
    "POST /sign-up/{code}": "nobody can sign up there",
    "POST /projects/{project_id}/held-texts/decision": "nothing waits that is named",
    "POST /applicants/decision": "nobody waits who is named",
    "POST /projects/{project_id}/pushes/{kind}": "a ping brings no commits",
    "POST /profile/token-requests/{code}": "the token was made before, for a program that takes it now",
    "DELETE /profile/identities/{id}": "how somebody signs in is in the log of security events",
    "POST /profile/time-codes": "how somebody signs in is in the log of security events",
    "PUT /profile/time-codes": "how somebody signs in is in the log of security events",
    "DELETE /profile/time-codes": "how somebody signs in is in the log of security events",
    "POST /profile/recovery-codes": "how somebody signs in is in the log of security events",
    "DELETE /people/{id}/factors": "how somebody signs in is in the log of security events",
    **{
        f"{method} /profile/passkeys{path}": "how somebody signs in is in the log of security events"
        for method, path in (("POST", ""), ("PUT", "/{id}"), ("DELETE", "/{id}"))
    },
    "POST /set-up/{code}": "somebody is there already",
    "PUT /notifications/{id}": "what somebody has read is no change of data",
    "POST /notifications/read/{id}/undo": "what somebody has read is no change of data",
    "POST /notifications/read": "what somebody has read is no change of data",
    "PUT /profile/lists/{project_id}": "how somebody wants to see lists is their own affair",
    "PUT /profile/lists/all": "how somebody wants to see lists is their own affair",
    "PUT /projects/{project_id}/notification_settings": "what somebody wants to be told is their own affair",
    "PUT /projects/{project_id}/tickets/{number}/mute": "what somebody wants to be told is their own affair",
    **{
        f"{method} /projects/{{project_id}}/tickets/{{number}}/claim": "who works now is no change of data"
        for method in ("POST", "DELETE")
    },
    **{
        f"POST {place}/hooks/{{hook_id}}/{path}": "what is sent is in the log of deliveries"
        for place in ("", "/projects/{project_id}")
        for path in ("ping", "redeliver", "deliveries/{delivery_id}/redeliver")
    },
}
"""Which routes write no event, and why."""

SEVERAL = {
    "POST /projects/{project_id}/tickets/{number}/links": ["ticket.updated", "ticket.updated"],
    "DELETE /projects/{project_id}/tickets/{number}/links/{id}": ["ticket.updated", "ticket.updated"],
    "POST /bulk_edit": ["bulk_edit.done", "ticket.updated"],
    "POST /bulk_edits/{id}/undo": ["bulk_edit.done", "ticket.updated"],
    "POST /projects/{project_id}/bulk_edit": ["bulk_edit.done", "ticket.updated"],
    "POST /projects/{project_id}/bulk_edits/{id}/undo": ["bulk_edit.done", "ticket.updated"],
}
"""Which routes write more than one: one for each ticket, besides that of what is made."""

ALWAYS = {
    "PUT /projects/{project_id}/tickets/{number}": "each update of a ticket makes a version",
    "PUT /imports/{id}": "a file whose choices are sent is checked again",
}
"""Which routes write an event although nothing changes, and why."""

_READ = {route.path for route in ROUTES if route.method == "GET"}
SENT_BACK = [
    route
    for route in WRITING
    if route.method == "PUT"
    and route.draft
    and route.path in _READ
    and name_of(route) not in {**NONE, **ALWAYS}
]

SECRET = re.compile(r"[0-9a-f]{32}|whsec_|[\w-]{40}|@|//|correct|\$argon")
"""What tokens, links, secrets of hooks, addresses and passwords look like."""

_numbers = count(1)

# Who does this must be the person concerned.
BENS = (
    *("/users/{id}", "/profile/sessions/{id}", "/profile/feeds/{id}", "/profile/identities/{id}"),
    "/profile/passkeys/{id}",
)


def happened(world, after=0):
    """Return the events of an account after a number, as mappings."""
    with world.instance.database.read(world.account_id) as transaction:
        found = transaction.all(EVENTS, after=after)
    names = [column.name for column in tables.events.c]
    rows = [dict(zip(names, row, strict=True)) for row in found]
    return [{**row, "changes": json.loads(row["changes"])} for row in rows]


def last(world):
    return max((event["number"] for event in happened(world)), default=0)


@pytest.fixture(scope="module")
def account_and_log(sqlite_instance):
    instance, log = sqlite_instance
    return Account(build_world(instance, log), "opal", kinds=("private",)), log


@pytest.fixture
def account(account_and_log):
    account, log = account_and_log
    with untroubled(log):
        yield account


@pytest.mark.parametrize("route", REMOVALS_LAST, ids=name_of)
def test_every_route_that_writes_writes_one_event(account, route):
    site = furnished(account, route)
    before = last(account.world)
    answer = site.send(MEMBER, route)
    types = sorted(event["type"] for event in happened(account.world, before))
    if name_of(route) in NONE:
        assert types == []
    else:
        assert answer.status in (200, 201, 204), answer.body
        assert types, "events.record was not called in tracker/; or say in NONE why that is right"
        assert types == SEVERAL.get(name_of(route), types[:1])


@pytest.mark.parametrize("route", SENT_BACK, ids=name_of)
def test_what_is_sent_back_as_it_was_read_changes_nothing(account, route):
    site = furnished(account, route)
    client, path = site.clients[MEMBER], site.path(route)
    read, before = client.get(path), last(account.world)
    # Nobody has the placeholder, and nobody cannot be sent.
    assert client.put(path, {route.draft.singular: read.item}).status in (200, 422)
    assert happened(account.world, before) == []
    assert client.get(path).item == read.item


def test_what_every_route_leaves_in_the_log_of_security_events_holds_no_secret(sqlite_instance):
    account = Account(build_world(sqlite_instance[0], sqlite_instance[1]), "amber", kinds=("private",))
    for route in REMOVALS_LAST:
        furnished(account, route).send(MEMBER, route)
    chain.seal_new(account.world.database, [account.world.account_id])
    with account.world.database.read(account.world.account_id) as transaction:
        entries = list(audit.all_after(transaction, 0))
    assert len({entry.kind for entry in entries}) > 20
    for entry in entries:
        said = f"{entry.kind} {entry.subject_id} {entry.credential} {entry.details}"
        assert not SECRET.search(said), said
        assert set(json.loads(entry.personal)) <= {"address", "name", "salt"}


def furnished(account, route):
    """Return a site in which what a line does has not been done yet, and who may do it as the member."""
    site = account.sites["private"]
    if (
        route.method == "DELETE"
        or name_of(route) in ONCE
        or route.path.endswith(("/memberships", "/close", "/open"))
    ):
        site = site.fresh(route)
    people = account.world.people
    client = signed_in(account, people["ben" if route.path in BENS else "eve"].email)
    site = replace(site, clients={**site.clients, MEMBER: client}, values=dict(site.values))
    if route.path.startswith("/people/"):
        site.values["people"] = account.world.person(f"p{next(_numbers)}", "member").user_id
    prepare = PREPARED.get(name_of(route))
    if prepare:
        assert prepare(site, client) is None
    return site


def _closed(path):
    def prepare(site, client):
        endpoint = f"/projects/{site.values['projects']}/{path}/{site.values[path]}"
        assert client.put(f"{endpoint}/close").status == 200

    return prepare


def _left(site, client):
    endpoint = f"/projects/{site.values['projects']}/memberships/{site.values['memberships']}"
    assert client.delete(endpoint).status == 200


def _removed(site, client):
    assert client.delete(f"/people/{site.values['people']}").status == 200


def _imported(site, _client):
    site.values["placeholders"] = THINGS["placeholders"](site)


def _pictured(_site, client):
    assert client.put("/profile/avatar", Upload("avatar", PICTURE)).status == 200


def _with_token(site, client):
    site.values["tokens/id"] = client.post("/profile/tokens", {"token": {"note": "Made"}}).item["id"]


def _with_one_token(site, client):
    assert client.delete("/profile/tokens").status == 200
    _with_token(site, client)


def _edited(site, client):
    weigh = {"query": "number:1", "command": f"importance:{next(_numbers)}"}
    made = client.post(f"/projects/{site.values['projects']}/bulk_edit", {"bulk_edit": weigh})
    site.values["bulk_edits"] = made.item["id"]


PREPARED = {
    "POST /projects/{project_id}/bulk_edits/{id}/undo": _edited,
    "PUT /projects/{project_id}/milestones/{id}/open": _closed("milestones"),
    "PUT /projects/{project_id}/milestone/{id}/open": _closed("milestone"),
    "POST /projects/{project_id}/memberships/{id}/restore": _left,
    "POST /people/{id}/restore": _removed,
    "PUT /people/placeholders/{id}": _imported,
    "DELETE /profile/avatar": _pictured,
    "DELETE /profile/tokens/{id}": _with_token,
    "POST /profile/tokens/{id}/replace": _with_token,
    "DELETE /profile/tokens": _with_one_token,
}


def test_an_event_says_who_changed_what_and_how(world, ada, ben, tickets, roof):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "Water"}})
    before = last(world)
    ben.put(f"{tickets}/1", {"ticket": {"title": "Leaks", "body": "Much"}})
    (event,) = happened(world, before)
    assert event["changes"] == {"title": ["Leak", "Leaks"], "body": None}
    assert (event["type"], event["subject_kind"], event["subject_id"]) == ("ticket.updated", "ticket", "1")
    assert (event["project_id"], event["user_id"], event["version"]) == (roof, ben.user_id, 2)
    assert (event["via"], event["batch_id"]) == ("api", None)
    assert event["token_id"]


def test_events_caused_in_a_browser_have_the_source_web(world, ada, roof):
    before = last(world)
    browser = WebClient(world.instance.application, world.host)
    browser.sign_in(ada.email, PASSWORD)
    endpoint = f"/projects/{roof}/messages"
    browser.submit(browser.get(f"{endpoint}/new"), endpoint, **{"message[title]": "News"})
    assert [(event["type"], event["via"]) for event in happened(world, before)] == [
        ("message.created", "web")
    ]


@pytest.mark.parametrize(("named", "via"), [("mcp", "mcp"), ("web", "api"), ("", "api")])
def test_a_program_may_say_that_it_acts_for_a_model(world, ada, tickets, named, via):
    ada.post(tickets, {"ticket": {"title": "Leak"}}, **{"X-Via": named})
    assert happened(world)[-1]["via"] == via


def test_a_bulk_edit_is_one_event_for_each_ticket_in_one_batch(world, ada, tickets, roof):
    for title in ("Leak", "Draught"):
        ada.post(tickets, {"ticket": {"title": title}})
    before = last(world)
    ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "all", "command": "importance:3"}})
    found = happened(world, before)
    assert [event["type"] for event in found] == ["ticket.updated", "ticket.updated", "bulk_edit.done"]
    assert {event["batch_id"] for event in found} == {before + 1}
    assert {event["via"] for event in found} == {"bulk_edit"}
    assert found[0]["changes"] == {"importance": [0, 3], "body": None}


def test_a_ticket_that_is_moved_says_where_it_was(world, ada, tickets, roof, harbour):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    before = last(world)
    ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "all", "command": "project:Harbour"}})
    left, moved = happened(world, before)[:2]
    assert (left["type"], left["project_id"], left["subject_id"]) == ("ticket.moved", roof, "1")
    assert left["changes"] == {"project_id": [roof, harbour], "number": [1, 1]}
    assert (moved["type"], moved["project_id"], moved["subject_id"]) == ("ticket.moved", harbour, "1")
    assert moved["changes"]["project_id"] == [roof, harbour]


def test_events_caused_by_a_commit_name_it_as_their_source(world, ada, tickets, roof):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    before = last(world)
    ada.post(f"/projects/{roof}/changesets", {"changeset": {"revision": "1f", "body": "[#1 state:resolved]"}})
    commit, ticket = happened(world, before)
    assert (commit["type"], commit["via"], ticket["via"]) == ("changeset.created", "api", "commit")
    assert ticket["changes"]["state"] == ["new", "resolved"]


def test_the_times_in_an_event_are_written_as_those_of_the_resource(world, ada, roof):
    at = f"/projects/{roof}/milestones"
    made = ada.post(at, {"milestone": {"title": "Keel", "due_on": "2027-01-31"}}).item
    assert happened(world)[-1]["changes"]["due_on"] == [None, made["due_on"]]
    ada.post(f"/projects/{roof}/changesets", {"changeset": {"revision": "1f", "changed_at": "2010-03-04"}})
    assert happened(world)[-1]["changes"]["changed_at"] == [None, "2010-03-04T00:00:00Z"]


def test_a_ticket_that_is_deleted_leaves_no_words_in_events(world, ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Secret"}})
    ada.put(f"{tickets}/1", {"ticket": {"title": "Other"}})
    ada.delete(f"{tickets}/1")
    assert [event["changes"] for event in happened(world)[-3:]] == [{}, {}, {}]


def test_the_events_of_a_project_go_with_it(world, ada, tickets, roof):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    ada.delete(f"/projects/{roof}")
    found = happened(world)
    assert {event["project_id"] for event in found} == {None}
    assert (found[-1]["type"], found[-1]["subject_id"]) == ("project.deleted", str(roof))


def test_a_refused_request_writes_no_event(world, ada, tickets):
    before = last(world)
    assert ada.post(tickets, {"ticket": {"title": "Leak", "state": "nowhere"}}).status == 422
    assert happened(world, before) == []


def test_events_are_forgotten_after_as_many_days_as_are_set(world, ada, tickets, monkeypatch):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    now, kept = world.database.clock(), last(world)
    monkeypatch.setattr(world.database, "clock", lambda: now + 91 * DAY)
    ada.put(f"{tickets}/1", {"ticket": {"body": "Still"}})
    assert events.remove_old(world.database, 90) >= kept
    assert [event["number"] for event in happened(world)] == [kept + 1]


def test_numbers_have_no_gaps_while_many_write(world, ada):
    endpoints = [
        f"/projects/{ada.post('/projects', {'project': {'name': name}}).item['id']}/tickets"
        for name in "abcd"
    ]
    before = last(world)

    def write(endpoint):
        for title in ("One", "Two", "Three", "Four", "Five"):
            assert ada.post(endpoint, {"ticket": {"title": title}}).status == 201
            assert ada.post(endpoint, {"ticket": {"title": ""}}).status == 422

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, endpoints))
    assert [event["number"] for event in happened(world, before)] == list(range(before + 1, before + 21))
