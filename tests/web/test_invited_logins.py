"""Logins of invited people: valid in one account alone until the address is proven."""

import pytest

from skerry.store.people import people
from tests.conftest import PASSWORD
from tests.support.client import basic

pytestmark = pytest.mark.matrix("both")

NEW, OTHER = "a shed full of rope", "a boat full of sails"


def invite(world, email, **fields):
    """Return the path of the link that Ada makes."""
    ada = world.client(**basic(world.people["ada"].email, PASSWORD))
    made = ada.post("/invitations", {"invitation": {"email": email, **fields}})
    assert made.status == 201
    return "/welcome/" + made.item["url"].rpartition("/")[2]


def accept(client, path, password=NEW, **fields):
    return client.post(path, {"welcome": {"name": "Dora", "password": password, **fields}})


def status(world, email, password):
    return world.client(**basic(email, password)).get("/profile").status


def test_an_invited_login_opens_the_inviting_account_alone(world, other, nobody):
    email = f"dora@{world.host}"
    assert accept(nobody, invite(world, email, role="member")).status == 200
    assert [status(each, email, NEW) for each in (world, other)] == [200, 401]


def test_each_account_has_its_own_password_for_an_invited_address(world, other, nobody):
    email = f"dora@{world.host}"
    for each, password in ((world, NEW), (other, OTHER)):
        assert accept(each.client(), invite(each, email, role="member"), password).status == 200
    assert [status(world, email, each) for each in (NEW, OTHER)] == [200, 401]
    assert [status(other, email, each) for each in (NEW, OTHER)] == [401, 200]


@pytest.mark.parametrize("name", ["ben", "dora"])
def test_inviters_do_not_learn_whether_an_address_has_a_login_elsewhere(world, other, nobody, name):
    email = f"{name}@{other.host}"
    path = invite(world, email, role="member")
    seen = nobody.get(path).item
    assert (seen["email"], seen["tokens_count"]) == (email, 0)
    assert accept(nobody, path).item["name"] == "Dora"
    assert accept(nobody, path).status == 404
    assert [status(world, email, each) for each in (NEW, PASSWORD)] == [200, 401]
    assert status(other, email, PASSWORD) == (200 if name == "ben" else 401)
    again = accept(nobody, invite(world, email), OTHER)
    assert (again.status, status(world, email, OTHER)) == (200, 200)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_new_password_by_a_shown_link_is_valid_in_the_inviting_account_alone(
    world, other, ben, nobody, elsewhere
):
    if elsewhere:
        with other.write() as transaction:
            people.join_account(transaction, ben.user_id, "member")
    assert accept(nobody, invite(world, ben.email)).status == 200
    assert [status(world, ben.email, each) for each in (NEW, PASSWORD)] == [200, 401]
    assert [status(other, ben.email, each) for each in (NEW, PASSWORD)] == [401, 200]


def test_a_password_of_one_account_is_changed_there_by_its_owner(world, other, ben, nobody):
    accept(nobody, invite(world, ben.email))
    here = world.client(**basic(ben.email, NEW))
    changed = here.put("/profile/password", {"password": {"present": NEW, "new": OTHER}})
    assert (changed.status, status(world, ben.email, OTHER)) == (200, 200)
    assert [status(other, ben.email, each) for each in (OTHER, PASSWORD)] == [401, 200]


def test_a_password_of_one_account_gives_no_access_to_others(world, other, ben, nobody):
    with other.write() as transaction:
        people.join_account(transaction, ben.user_id, "member")
    there = other.client(**{"X-ServiceToken": other.token(ben.user_id)})
    accept(nobody, invite(world, ben.email), revoke_tokens=True)
    here = world.client(**basic(ben.email, NEW))
    feed = here.post("/profile/feeds", {"feed": {"kind": "activity"}}).item["url"].partition("/feeds/")[2]
    assert nobody.get(f"/feeds/{feed}").status == 200
    change = {"present": NEW, "new": OTHER, "revoke_tokens": True}
    assert here.put("/profile/password", {"password": change}).item["tokens_count"] == 0
    assert nobody.get(f"/feeds/{feed}").status == 404
    here = world.client(**basic(ben.email, OTHER))
    refused = here.put(f"/users/{ben.user_id}", {"user": {"name": "Ada"}})
    assert (refused.status, "other accounts" in refused.errors[0]) == (403, True)
    assert here.put("/profile/preferences", {"preferences": {"language": "de"}}).status == 403
    assert there.get("/profile").item["name"] == "Ben"


def test_a_removed_person_returns_with_the_same_login(world, ben, nobody):
    world.client(**basic(world.people["ada"].email, PASSWORD)).delete(f"/people/{ben.user_id}")
    path = invite(world, ben.email, role="member")
    refused = accept(nobody, path)
    assert (refused.status, "Sign in with it" in refused.errors[0]) == (409, True)
    assert world.client(**basic(ben.email, PASSWORD)).post(path, {"welcome": {}}).item["name"] == "Ben"
