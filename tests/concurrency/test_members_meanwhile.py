"""Concurrent changes of memberships and roles."""

import pytest

from skerry.cli import commands
from skerry.store import settings
from skerry.store.people import memberships
from skerry.store.people import people as people_store
from tests.cli.archives import account_named, place_of
from tests.cli.terminal import forget_places
from tests.concurrency.meanwhile import password


def test_one_of_two_administrators_who_remove_each_other_is_left(pair, meanwhile):
    ada, elsewhere = pair
    eve = ada.world.person("eve", "administrator")

    def demote(client, user_id):
        return client.put(f"/people/{user_id}", {"person": {"role": "member"}}).status

    with meanwhile(people_store, "change_role") as do:
        later = do(demote, password(elsewhere, name="eve"), ada.user_id)
        assert demote(password(ada), eve.user_id) == 200
        assert later.result() == 403


def test_somebody_who_stopped_being_an_administrator_while_waiting_changes_nobody(pair, meanwhile):
    ada, elsewhere = pair
    dora, eve = (ada.world.person(name, "administrator") for name in ("dora", "eve"))
    with meanwhile(people_store, "change_role") as do:
        later = do(password(elsewhere, name="eve").delete, f"/people/{dora.user_id}")
        member = {"person": {"role": "member"}}
        assert password(ada).put(f"/people/{eve.user_id}", member).status == 200
        assert later.result().status == 403
    assert dora.get("/profile").status == 200


@pytest.mark.parametrize(
    ("change", "step", "role"),
    [
        (
            lambda client, path: client.put(path, {"person": {"role": "administrator"}}),
            "change_role",
            "owner",
        ),
        (lambda client, path: client.delete(path), "leave_account", None),
    ],
    ids=["given a role", "removed"],
)
def test_a_person_who_becomes_an_owner_meanwhile_is_treated_as_one(pair, meanwhile, change, step, role):
    ada, elsewhere = pair
    dora = ada.world.person("dora", "member")
    ada.world.person("olga", "owner")
    path = f"/people/{dora.user_id}"
    with meanwhile(people_store, step) as do:
        owner = password(elsewhere, name="olga")
        later = do(owner.put, path, {"person": {"role": "owner"}})
        assert change(password(ada), path).status == 200
        assert later.result().status == (200 if role else 404)
    found = {person["id"]: person["role"] for person in password(ada).get("/people").items}
    assert found.get(dora.user_id) == role


def test_a_person_removed_meanwhile_does_not_become_a_member(furnished, pair, meanwhile):
    ada, elsewhere = furnished
    dora = pair[0].world.person("dora", "member")
    with meanwhile(people_store, "join_project") as do:
        later = do(elsewhere.delete, f"/people/{dora.user_id}")
        joined = ada.post("/projects/1/memberships", {"membership": {"user_id": dora.user_id}})
        assert (joined.status, later.result().status) == (201, 200)
    assert dora.user_id not in [each["user_id"] for each in ada.get("/projects/1/memberships").items]


def test_a_person_removed_during_a_command_does_not_become_a_member(furnished, pair, meanwhile, monkeypatch):
    ada, elsewhere = furnished
    world = pair[0].world
    dora, (folder, url) = world.person("dora", "member"), place_of(world)
    forget_places(monkeypatch)
    with meanwhile(people_store, "join_project") as do:
        later = do(elsewhere.delete, f"/people/{dora.user_id}")
        words = ["--project", "1", "--email", dora.email, "--account", account_named(world)]
        places = ["--data", str(folder), "--database", url]
        commands(["member", "add", *words, *places], standalone_mode=False)
        assert later.result().status == 200
    assert dora.user_id not in [each["user_id"] for each in ada.get("/projects/1/memberships").items]


def test_a_person_removed_meanwhile_gets_no_new_tickets(furnished, pair, meanwhile):
    ada, elsewhere = furnished
    dora = pair[0].world.person("dora", "administrator")
    draft = {"settings": {"default_assigned_user_id": dora.user_id}}
    with meanwhile(settings, "change") as do:
        later = do(elsewhere.delete, f"/people/{dora.user_id}")
        assert (ada.put("/projects/1/settings", draft).status, later.result().status) == (200, 200)
    assert ada.get("/projects/1/settings").item["default_assigned_user_id"] is None


def test_an_existing_member_stays_one_unless_the_import_says_otherwise(furnished, meanwhile):
    ada, elsewhere = furnished
    (member,) = ada.get("/projects/1/memberships").items
    with meanwhile(memberships, "of_project") as do:
        later = do(elsewhere.delete, f"/projects/1/memberships/{member['id']}")
        again = ada.post("/projects/1/memberships", {"membership": {"user_id": member["user_id"]}})
        assert (again.status, again.item["id"]) == (201, member["id"])
        assert later.result().status == 200


def test_a_person_removed_meanwhile_is_no_member_of_their_new_project(furnished, pair, meanwhile):
    ada, elsewhere = furnished
    dora = pair[0].world.person("dora", "member")
    with meanwhile(people_store, "join_project") as do:
        later = do(elsewhere.delete, f"/people/{dora.user_id}")
        made = password(pair[0], name="dora").post("/projects", {"project": {"name": "Shed"}})
        assert (made.status, later.result().status) == (201, 200)
    assert ada.get(f"/projects/{made.item['id']}/memberships").items == []


ROOFERS = {"account": {"name": "Roofers"}}
NOBODY = {"settings": {"default_assigned_user_id": None}}
WAITING = {
    "make a project": ("post", "/projects", {"project": {"name": "Shed"}}),
    "let somebody in": ("post", "/projects/1/memberships", {"membership": {"user_id": 2}}),
    "say who gets new tickets": ("put", "/projects/1/settings", NOBODY),
    "rename the account": ("put", "/account", ROOFERS),
}
"""What waits for whoever changes the people of the account: the method, the address and the draft."""


@pytest.mark.parametrize("what", WAITING)
def test_a_person_removed_while_waiting_changes_nothing(furnished, pair, meanwhile, what):
    ada, elsewhere = furnished
    method, path, draft = WAITING[what]
    dora = pair[0].world.person("dora", "administrator")
    with meanwhile(people_store, "leave_account") as do:
        later = do(getattr(password(elsewhere, name="dora"), method), path, draft)
        assert ada.delete(f"/people/{dora.user_id}").status == 200
        assert later.result().status in {403, 404}
