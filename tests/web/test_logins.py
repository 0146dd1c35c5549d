"""Disabled logins: they cannot be used, look like missing ones, and lose nothing else."""

import pytest

from tests.conftest import PASSWORD, build_world
from tests.support.client import basic


def login(client, password=PASSWORD):
    return client.speaking(**basic(client.email, password))


@pytest.fixture
def admin(ada):
    return login(ada)


def disable(admin, client, *, disabled=True):
    return admin.put(f"/people/{client.user_id}", {"person": {"disabled": disabled}})


@pytest.mark.matrix("databases")
def test_a_disabled_login_opens_nothing_until_it_is_enabled(admin, ben, roof):
    written = ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}}).item
    assert login(ben).get("/profile").status == 200
    assert disable(admin, ben).item["disabled"] is True
    assert [client.get(f"/projects/{roof}").status for client in (ben, login(ben))] == [401, 401]
    assert admin.get(f"/projects/{roof}/tickets/{written['number']}").item["creator_name"] == "Ben"
    assert [each["disabled"] for each in admin.get("/people").items if each["id"] == ben.user_id] == [True]
    assert disable(admin, ben, disabled=False).item["disabled"] is False
    assert [client.get(f"/projects/{roof}").status for client in (ben, login(ben))] == [200, 200]


def test_a_disabled_login_and_a_missing_one_look_the_same(admin, world, ben):
    disable(admin, ben)
    answers = [login(ben), login(ben, "wrong"), ben.speaking(**basic(f"dora@{world.host}", PASSWORD))]
    said = [client.get("/projects") for client in answers]
    assert {(each.status, *each.errors) for each in said} == {(401, "Wrong login or password")}


@pytest.mark.matrix("databases")
def test_the_login_of_a_removed_person_can_be_disabled_and_enabled(admin, ben, roof):
    assert admin.delete(f"/people/{ben.user_id}").status == 200
    assert login(ben).get("/profile").status == 200
    assert disable(admin, ben).status == 200
    assert login(ben).get("/profile").status == 401
    (removed,) = admin.get("/people/removed").items
    assert (removed["id"], removed["email"], removed["disabled"]) == (ben.user_id, ben.email, True)
    assert disable(admin, ben, disabled=False).status == 200
    assert login(ben).get("/profile").status == 200


def test_a_stranger_who_wrote_something_is_disabled_and_keeps_the_address(world, admin, ada, cy, roof):
    assert disable(admin, world.outsider("olga")).status == 404
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    assert cy.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Cheap sails"}}).status == 201
    made = disable(admin, cy).item
    assert (made["name"], made["email"], made["disabled"]) == ("Cy", "", True)
    assert cy.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Cheap sails"}}).status == 401


def test_a_login_can_be_disabled_in_one_account_only(world, admin, ben):
    other = build_world(world.instance, world.log, world.format)
    there = other.client(**basic(ben.email, PASSWORD))
    assert disable(admin, ben).status == 200
    assert (login(ben).get("/profile").status, there.get("/profile").status) == (401, 200)


def test_nobody_disables_an_owner_their_own_login_or_the_last_administrator(world, admin, ada, ben):
    olga = world.person("olga", "owner")
    assert disable(admin, olga).errors == ["Only an owner may do this to another owner"]
    assert disable(admin, ada).errors == ["You cannot disable your own login"]
    assert disable(login(ben), ada).status == 403
    assert disable(login(olga), ada).status == 200
    assert login(olga).put(f"/people/{olga.user_id}", {"person": {"role": "member"}}).status == 409


def test_a_token_disables_no_login(ada, ben):
    assert disable(ada, ben).errors == ["Tokens cannot be used for this; sign in with a password"]


def test_a_disabled_login_gets_no_link_and_makes_none(world, admin, ben, nobody):
    eve = world.person("eve", "administrator")
    into = login(eve).post("/invitations", {"invitation": {"email": f"d@{world.host}", "role": "member"}})
    anew = admin.post("/invitations", {"invitation": {"email": ben.email}})
    for client in (ben, eve):
        disable(admin, client)
    for made in (into, anew):
        assert nobody.get("/welcome/" + made.item["url"].rpartition("/")[2]).status == 404
    refused = admin.post("/invitations", {"invitation": {"email": ben.email}})
    assert (refused.status, refused.errors) == (409, [f"The login {ben.email} is disabled; enable it first"])
    admin.delete(f"/people/{ben.user_id}")
    again = admin.post("/invitations", {"invitation": {"email": ben.email, "role": "member"}})
    assert (again.status, again.errors) == (409, [f"The login {ben.email} is disabled; enable it first"])


def test_a_role_is_given_only_to_who_belongs_to_the_account(admin, ben):
    admin.delete(f"/people/{ben.user_id}")
    assert admin.put(f"/people/{ben.user_id}", {"person": {"role": "owner"}}).status == 404
    assert admin.put(f"/people/{ben.user_id}", {"person": {"role": "member"}}).status == 404
    assert admin.get("/people/removed").items[0]["role"] == ""
