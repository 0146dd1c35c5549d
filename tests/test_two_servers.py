"""Two servers that share only a PostgreSQL and a bucket: callers do not notice which one they ask."""

import io
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import cycle

import pytest
from sqlalchemy import make_url

from skerry import app
from skerry.config import Settings
from skerry.store import (
    accounts,
    batches,
    bins,
    memberships,
    messages,
    milestones,
    projects,
    schema,
    settings,
    ticket_names,
    tickets,
    users,
    versions,
)
from skerry.store import people as people_store
from skerry.tracker import people, tokens
from skerry.tracker.holding import HOLDS
from skerry.tracker.secrets import hash_password
from skerry.web import hallway
from skerry.web.log import Log
from skerry.web.map import ROUTES
from skerry.web.routes import Gives, places
from tests import postgres
from tests.conftest import PASSWORD, World, build_world
from tests.houses import open_with_file
from tests.speaking import basic

A_MINUTE = 30
"""How many requests each server lets through in a minute."""


@pytest.fixture
def pair(tmp_path, bucket):
    """Ada at two servers."""
    url = postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    with postgres.connect() as connection:
        # Rows are read as they lie, as those of large projects are.
        for scan in ("indexscan", "bitmapscan"):
            connection.exec_driver_sql(f"ALTER DATABASE {make_url(url).database} SET enable_{scan} TO off")
    common = {"database_url": url, "blobs": bucket, "requests_per_minute": A_MINUTE}
    first, second = (
        app.build(Settings(data=tmp_path / name, **common), Log(stream=io.StringIO())) for name in ("1", "2")
    )
    with first, second:
        schema.migrate(first.database)
        world = build_world(first, None)
        other = World(second, None, world.account_id, world.host, "json")
        ada = world.people["ada"]
        ada.world = world
        yield ada, other.voice(**ada.headers)


def password(voice, word=PASSWORD, name="ada"):
    """The same server, asked with a login and a password."""
    return voice.speaking(**basic(f"{name}@{voice.host}", word))


@contextmanager
def meanwhile(monkeypatch, store, name):
    """Let the first that changes something find somebody else at it at the other server."""
    change, wanted = getattr(store, name), []
    with ThreadPoolExecutor(1) as thread:

        def change_beside(*what, **how):
            if wanted:
                later, work = wanted.pop()
                thread.submit(lambda: later.set_result(work()))
                wait([later], 0.5)
            return change(*what, **how)

        def do(work, *what):
            later = Future()
            wanted.append((later, lambda: work(*what)))
            return later

        monkeypatch.setattr(store, name, change_beside)
        yield do


def test_who_signs_in_at_one_is_known_at_the_other_and_unknown_at_once(pair):
    ada, elsewhere = pair
    assert [voice.get("/projects").status for voice in (*pair, *map(password, pair))] == [200] * 4
    with ada.world.write() as transaction:
        people.change_password(transaction, f"ada@{ada.host}", hash_password("another good one"))
        tokens.revoke(transaction, ada.headers["X-ServiceToken"])
    assert [voice.get("/projects").status for voice in (*pair, *map(password, pair))] == [401] * 4
    assert password(elsewhere, "another good one").get("/projects").status == 200


def test_a_request_that_comes_again_at_the_other_server_is_done_once(pair):
    ada, _ = pair
    path = f"/projects/{ada.post('/projects', {'project': {'name': 'Roof'}}).item['id']}/tickets"
    with ThreadPoolExecutor(4) as pool:
        voices = [voice for voice, _ in zip(cycle(pair), range(8), strict=False)]
        answers = list(
            pool.map(
                lambda voice: voice.post(path, {"ticket": {"title": "Leak"}}, **{"Idempotency-Key": "k"}),
                voices,
            )
        )
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1
    assert len(ada.get(path).items) == 1


def test_numbers_are_given_once_by_both_together(pair):
    path = f"/projects/{pair[0].post('/projects', {'project': {'name': 'Roof'}}).item['id']}/tickets"
    with ThreadPoolExecutor(4) as pool:
        made = pool.map(
            lambda voice: voice.post(path, {"ticket": {"title": "Leak"}}).item["number"],
            [voice for voice, _ in zip(cycle(pair), range(20), strict=False)],
        )
        assert sorted(made) == list(range(1, 21))


def test_of_two_who_take_the_account_from_each_other_one_is_left(pair, monkeypatch):
    ada, elsewhere = pair
    eve = ada.world.person("eve", "administrator")

    def demote(voice, user_id):
        return voice.put(f"/people/{user_id}", {"person": {"role": "member"}}).status

    with meanwhile(monkeypatch, people_store, "change_role") as do:
        later = do(demote, password(elsewhere, name="eve"), ada.user_id)
        assert demote(password(ada), eve.user_id) == 200
        assert later.result() == 409


@pytest.mark.parametrize(
    ("change", "step", "role"),
    [
        (lambda voice, path: voice.put(path, {"person": {"role": "administrator"}}), "change_role", "owner"),
        (lambda voice, path: voice.delete(path), "leave_account", None),
    ],
    ids=["given a role", "removed"],
)
def test_whoever_becomes_an_owner_meanwhile_is_an_owner(pair, monkeypatch, change, step, role):
    ada, elsewhere = pair
    dora = ada.world.person("dora", "member")
    ada.world.person("olga", "owner")
    path = f"/people/{dora.user_id}"
    with meanwhile(monkeypatch, people_store, step) as do:
        owner = password(elsewhere, name="olga")
        later = do(owner.put, path, {"person": {"role": "owner"}})
        assert change(password(ada), path).status == 200
        assert later.result().status == (200 if role else 404)
    found = {person["id"]: person["role"] for person in password(ada).get("/people").items}
    assert found.get(dora.user_id) == role


@pytest.mark.parametrize(
    ("store", "path", "name", "drafts"),
    [
        (projects, "/projects/1", "project", ({"name": "Gable"}, {"public": True})),
        (settings, "/projects/1/settings", "settings", ({"license": "MIT"}, {"description": "Dry"})),
        (users, "/profile", "user", ({"job": "Carpenter"}, {"website": "https://ada.example/"})),
        (bins, "/projects/1/bins/1", "ticket_bin", ({"name": "Wet"}, {"query": "tagged:wet"})),
    ],
    ids=["project", "settings", "user", "bin"],
)
def test_two_who_change_different_things_of_the_same_both_have_their_way(
    pair, monkeypatch, store, path, name, drafts
):
    ada, elsewhere = pair
    ada.post("/projects", {"project": {"name": "Roof"}})
    first, second = ({name: draft} for draft in drafts)
    with meanwhile(monkeypatch, store, "change") as do:
        later = do(elsewhere.put, path, second)
        assert ada.put(path, first).status == later.result().status == 200
    found = ada.get(path).item
    assert {**found, **first[name], **second[name]} == found


NEW_PROJECT = {"project": {"name": "Gutter"}}
COMPARED = {
    "Account": (accounts, "rename", "/account", {"account": {"name": "Roofers"}}),
    "Message": (messages, "change", "/projects/1/messages/1", {"message": {"body": "Rain"}}),
    "Milestone": (milestones, "change", "/projects/1/milestones/1", {"milestone": {"goals": "Dry"}}),
    "Person": (people_store, "change_role", "/people/2", {"person": {"role": "administrator"}}),
    "Project": (projects, "change", "/projects/1", {"project": {"name": "Gable"}}),
    "ProjectSettings": (settings, "change", "/projects/1/settings", {"settings": {"license": "MIT"}}),
    "Ticket": (tickets, "change", "/projects/1/tickets/1", {"ticket": {"title": "Leaks"}}),
    "TicketBin": (bins, "change", "/projects/1/bins/1", {"ticket_bin": {"name": "Wet"}}),
    "User": (users, "change", "/profile", {"user": {"job": "Carpenter"}}),
    "Version": (versions, "rewrite", "/projects/1/tickets/1/versions/1", {"ticket": {"body": "Rain"}}),
}
"""What can be changed where it is read: with what, by which statement, and where."""


def comparable(*verbs):
    """Give the kinds that a change by one of some methods can be compared with."""
    items = [place for place in places(ROUTES) if place.reading and place.reading.gives is Gives.ITEM]
    return {
        place.reading.kind
        for place in items
        if any(line.verb in verbs for line in place.lines if line.writes)
    }


def test_all_that_can_be_compared_is_held_and_all_that_can_be_changed_is_tried():
    assert comparable("POST", "PUT", "DELETE") == set(HOLDS)
    assert {kind.__name__ for kind in comparable("PUT")} == set(COMPARED)


@pytest.fixture
def furnished(pair):
    """Both, in person, with a project that has one of everything."""
    ada, elsewhere = pair
    ada.post("/projects", {"project": {"name": "Roof"}})
    for name, kind in (("milestones", "milestone"), ("messages", "message"), ("tickets", "ticket")):
        ada.post(f"/projects/1/{name}", {kind: {"title": "Leak"}})
    return password(ada), password(elsewhere)


@pytest.mark.parametrize("kind", COMPARED)
def test_of_two_who_change_what_both_have_seen_one_is_told_so(furnished, monkeypatch, kind):
    ada, elsewhere = furnished
    store, change, path, draft = COMPARED[kind]
    seen = {"If-Match": ada.get(path).headers["etag"]}
    with meanwhile(monkeypatch, store, change) as do:
        later = do(lambda: elsewhere.put(path, draft, **seen))
        assert ada.put(path, draft, **seen).status == 200
        assert later.result().status == 412


@pytest.mark.parametrize(
    ("store", "path", "draft"),
    [(tickets, "/projects/1/tickets", {"ticket": {"title": "Drip"}}), (projects, "/projects", NEW_PROJECT)],
    ids=["in a project", "of the account"],
)
def test_of_two_who_add_to_a_list_that_both_have_seen_one_is_told_so(
    furnished, monkeypatch, store, path, draft
):
    ada, elsewhere = furnished
    seen = {"If-Match": ada.get(path).headers["etag"]}
    with meanwhile(monkeypatch, store, "add") as do:
        later = do(lambda: elsewhere.post(path, draft, **seen))
        assert ada.post(path, draft, **seen).status == 201
        assert later.result().status == 412


def removing(path):
    """Give what removes a thing if it is still what was seen."""
    return lambda voice: voice.delete(path, **{"If-Match": voice.get(path).headers["etag"]})


def changing(path, data):
    """Give what changes a thing."""
    return lambda voice: voice.put(path, data)


def holding_all(voice):
    """Change several tickets."""
    return voice.post("/projects/1/bulk_edit", {"bulk_edit": {"query": "all", "command": "tagged:wet"}})


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
        (batches, "Held", holding_all),
        changing("/projects/1/settings", {"settings": CLOSED_LATER}),
    ),
}
"""Who is at something in the middle of which another one begins, and what that one does."""


@pytest.mark.parametrize("which", RINGS)
def test_two_at_things_that_belong_together_never_wait_for_each_other(furnished, monkeypatch, which):
    ada, elsewhere = furnished
    ada.post("/projects/1/messages/1/comments", {"comment": {"body": "Drip"}})
    ada.post("/projects/1/tickets", {"ticket": {"title": "Drip"}})
    ada.put("/projects/1/tickets/1", {"ticket": {"milestone_id": 1}})
    # Several tickets are held one by one, and who would end up in a ring does not come again.
    monkeypatch.setattr(batches, "_AT_ONCE", 1)
    monkeypatch.setattr(hallway, "_TRIES", 1)
    (store, change, first), second = RINGS[which]
    with meanwhile(monkeypatch, store, change) as do:
        later = do(second, elsewhere)
        # Who comes later may find something else than he has seen.
        assert {first(ada).status, later.result().status} <= {200, 201, 412}


def test_who_removes_a_project_waits_for_those_who_work_in_it(furnished, monkeypatch):
    ada, elsewhere = furnished
    with meanwhile(monkeypatch, ticket_names, "expect") as do:
        later = do(elsewhere.delete, "/projects/1")
        assert ada.post("/projects/1/tickets", {"ticket": {"title": "Leak"}}).status == 201
        assert later.result().status == 200
    assert ada.get("/projects/1/tickets/2").status == 404


CHANGES_STATE = {
    "ticket": (tickets, "change", "put", "/projects/1/tickets/1", {"ticket": {"state": "hold"}}),
    "bulk edit": (
        batches,
        "Held",
        "post",
        "/projects/1/bulk_edit",
        {"bulk_edit": {"query": "all", "command": "state:hold"}},
    ),
    "move": (
        batches,
        "Held",
        "post",
        "/projects/2/bulk_edit",
        {"bulk_edit": {"query": "all", "command": "project:1"}},
    ),
    "commit": (
        batches,
        "Held",
        "post",
        "/projects/1/changesets",
        {"changeset": {"body": "[#1 state:hold]", "revision": "1"}},
    ),
}
"""What brings a ticket into a state: the step before it is written, the method, the address and the draft."""


@pytest.mark.parametrize("how", CHANGES_STATE)
def test_a_state_that_is_opened_meanwhile_is_open_on_every_ticket(furnished, monkeypatch, how):
    ada, elsewhere = furnished
    store, step, method, path, draft = CHANGES_STATE[how]
    ada.post("/projects", {"project": {"name": "Gutter"}})
    ada.post("/projects/2/tickets", {"ticket": {"title": "Drip", "state": "hold"}})
    opened = {"open_states": "new/f17\nhold/eb0", "closed_states": "resolved/6a0"}
    with meanwhile(monkeypatch, store, step) as do:
        later = do(elsewhere.put, "/projects/1/settings", {"settings": opened})
        assert getattr(ada, method)(path, draft).status in {200, 201}
        assert later.result().status == 200
    found = ada.get("/projects/1/tickets").items
    assert "hold" in {ticket["state"] for ticket in found}
    assert not any(ticket["closed"] for ticket in found)
    assert ada.get("/projects/1").item["open_tickets_count"] == len(found)


def test_who_only_looks_what_a_move_would_do_waits_for_nobody(furnished, monkeypatch):
    ada, elsewhere = furnished
    ada.post("/projects", {"project": {"name": "Gutter"}})
    done = []

    def look():
        edit = {"query": "all", "command": "project:2", "dry_run": True}
        status = elsewhere.post("/projects/1/bulk_edit", {"bulk_edit": edit}).status
        return status, list(done)

    with meanwhile(monkeypatch, settings, "change") as do:
        later = do(look)
        done.append(ada.put("/projects/2/settings", {"settings": {"license": "MIT"}}).status)
        assert (later.result(), done) == ((200, []), [200])


def test_who_is_taken_out_of_the_account_meanwhile_is_a_member_of_nothing(furnished, pair, monkeypatch):
    ada, elsewhere = furnished
    dora = pair[0].world.person("dora", "member")
    with meanwhile(monkeypatch, people_store, "join_project") as do:
        later = do(elsewhere.delete, f"/people/{dora.user_id}")
        joined = ada.post("/projects/1/memberships", {"membership": {"user_id": dora.user_id}})
        assert (joined.status, later.result().status) == (201, 200)
    assert dora.user_id not in [each["user_id"] for each in ada.get("/projects/1/memberships").items]


def test_who_is_taken_out_of_the_account_meanwhile_gets_no_new_tickets(furnished, pair, monkeypatch):
    ada, elsewhere = furnished
    dora = pair[0].world.person("dora", "administrator")
    draft = {"settings": {"default_assigned_user_id": dora.user_id}}
    with meanwhile(monkeypatch, settings, "change") as do:
        later = do(elsewhere.delete, f"/people/{dora.user_id}")
        assert (ada.put("/projects/1/settings", draft).status, later.result().status) == (200, 200)
    assert ada.get("/projects/1/settings").item["default_assigned_user_id"] is None


def test_who_is_a_member_already_stays_one_until_that_is_said(furnished, monkeypatch):
    ada, elsewhere = furnished
    (member,) = ada.get("/projects/1/memberships").items
    with meanwhile(monkeypatch, memberships, "of_project") as do:
        later = do(elsewhere.delete, f"/projects/1/memberships/{member['id']}")
        again = ada.post("/projects/1/memberships", {"membership": {"user_id": member["user_id"]}})
        assert (again.status, again.item["id"]) == (201, member["id"])
        assert later.result().status == 200


def test_a_file_that_came_to_one_is_fetched_from_the_other_and_gone_from_both(pair):
    ada, elsewhere = pair
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    ticket = f"/projects/{project}/tickets/{open_with_file(ada, project, 'Leak', b'rain' * 1000)}"
    (attached,) = elsewhere.get(ticket).item["attachments"]
    url = attached["url"].removeprefix(f"http://{ada.host}")
    assert elsewhere.raw(f"{url}!").body == b"rain" * 1000
    assert elsewhere.delete(ticket).status == 200
    assert [voice.raw(f"{url}!").status for voice in pair] == [404, 404]


def test_each_server_counts_requests_for_itself(pair):
    for voice in pair:
        statuses = [voice.get("/projects").status for _ in range(A_MINUTE + 1)]
        assert statuses == [200] * A_MINUTE + [429]
