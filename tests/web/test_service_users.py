"""Service users: programs of the account, with tokens and without a login."""

import pytest

from skerry.store.auth import tokens
from skerry.tracker.audit import chain
from tests.conftest import PASSWORD
from tests.support.client import basic
from tests.support.readers import read_events

pytestmark = pytest.mark.matrix("both")

PLACE = "/people/service-users"


def in_person(client):
    return client.speaking(**basic(client.email, PASSWORD))


@pytest.fixture
def robot(ada):
    """Return a service user that is a member of the account."""
    return in_person(ada).post(PLACE, {"service_user": {"name": "Robot"}}).item


def key_of(ada, robot, **fields):
    """Return a client with a new token of a service user."""
    made = in_person(ada).post(f"{PLACE}/{robot['id']}/tokens", {"token": fields})
    assert made.status == 201, made.errors
    return ada.speaking(**{"X-ServiceToken": made.item["token"]})


def test_a_service_user_works_with_its_token(ada, robot, roof):
    assert (robot["role"], robot["tokens_count"]) == ("member", 0)
    key = key_of(ada, robot, scopes="tickets:write")
    assert key.get("/profile").item["service"] is True
    ticket = f"/projects/{roof}/tickets"
    assert key.post(ticket, {"ticket": {"title": "It leaks"}}).status == 404
    ada.post(f"/projects/{roof}/memberships", {"membership": {"user_id": robot["id"]}})
    made = key.post(ticket, {"ticket": {"title": "It leaks", "assigned_user_id": robot["id"]}})
    assert (made.status, made.item["creator_name"], made.item["assigned_user_name"]) == (
        201,
        "Robot",
        "Robot",
    )
    assert ada.get(f"{PLACE}/{robot['id']}").item["tokens_count"] == 1


def test_a_service_user_is_marked_among_people(ada, ben, robot, roof):
    ada.post(f"/projects/{roof}/memberships", {"membership": {"user_id": robot["id"]}})
    members = ben.get(f"/projects/{roof}/memberships").items
    assert {each["user"]["name"]: each["user"].get("service", False) for each in members} == {
        "Ada": False,
        "Ben": False,
        "Robot": True,
    }
    (found,) = [each for each in ada.get("/people").items if each["service"]]
    assert (found["id"], found["email"], found["role"]) == (robot["id"], "", "member")
    assert ben.get(f"/users/{robot['id']}").item["service"] is True


def test_only_administrators_in_person_make_service_users_and_their_tokens(ada, ben, robot):
    draft, place = {"service_user": {"name": "Other"}}, f"{PLACE}/{robot['id']}/tokens"
    assert [ben.get(PLACE).status, ben.get(place).status] == [403, 403]
    assert [in_person(ben).post(each, {}).status for each in (PLACE, place)] == [403, 403]
    sentence = ["Tokens cannot be used for this; sign in with a password"]
    assert [ada.post(PLACE, draft).errors, ada.post(place, {}).errors] == [sentence, sentence]


def test_a_token_of_a_service_user_makes_no_others_even_as_administrator(ada, robot):
    in_person(ada).put(f"{PLACE}/{robot['id']}", {"service_user": {"role": "administrator"}})
    key = key_of(ada, robot)
    assert key.get("/people").status == 200
    assert key.post(f"{PLACE}/{robot['id']}/tokens", {"token": {}}).status == 403
    assert key.post("/profile/tokens", {"token": {}}).status == 403


def test_tokens_of_a_service_user_are_replaced_and_revoked(ada, robot):
    key, admin, place = key_of(ada, robot, note="build"), in_person(ada), f"{PLACE}/{robot['id']}/tokens"
    (kept,) = admin.get(place).items
    assert (kept["note"], kept["token"]) == ("build", "")
    new = admin.post(f"{place}/{kept['id']}/replace", {"overlap_hours": 0}).item
    assert (key.get("/profile").status, new["note"]) == (401, "build")
    key = ada.speaking(**{"X-ServiceToken": new["token"]})
    assert key.get("/profile").status == 200
    assert admin.delete(f"{place}/{new['id']}").status == 200
    assert (key.get("/profile").status, admin.get(place).items) == (401, [])


def test_tokens_of_people_are_no_tokens_of_service_users(world, ada, ben, robot):
    admin = in_person(ada)
    with world.database.read() as transaction:
        transaction.account_id = world.account_id
        token_id = tokens.of_user(transaction, ben.user_id)[0].id
    assert admin.post(f"{PLACE}/{ben.user_id}/tokens", {"token": {"note": "as Ben"}}).status == 404
    assert admin.delete(f"{PLACE}/{robot['id']}/tokens/{token_id}").status == 404
    assert ben.get("/profile").status == 200


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "Robot", "role": "owner"}, "Role is not one of member, administrator"),
        ({"name": " "}, "Name can't be blank"),
        ({"name": "\u200b"}, "Name can't be blank"),
        ({"name": "x" * 256}, "Name is too long (at most 255 characters)"),
    ],
)
def test_a_service_user_that_cannot_be_made_is_explained(ada, fields, sentence):
    assert in_person(ada).post(PLACE, {"service_user": fields}).errors == [sentence]


def test_a_service_user_is_never_the_owner_or_the_last_administrator(ada, robot, world):
    olga = world.person("olga", "owner")
    person = {"person": {"role": "owner"}}
    refused = in_person(olga).put(f"/people/{robot['id']}", person)
    assert refused.errors == ["A service user cannot be an owner"]
    in_person(ada).put(f"{PLACE}/{robot['id']}", {"service_user": {"role": "administrator"}})
    assert in_person(olga).put(f"/people/{ada.user_id}", {"person": {"role": "member"}}).status == 200
    last = in_person(olga).put(f"/people/{olga.user_id}", {"person": {"role": "member"}})
    assert last.errors == ["An account needs at least one administrator"]


def test_a_disabled_or_removed_service_user_is_out(ada, robot):
    key, admin, person = key_of(ada, robot), in_person(ada), f"/people/{robot['id']}"
    admin.put(person, {"person": {"disabled": True}})
    assert (key.get("/profile").status, admin.get(f"{PLACE}/{robot['id']}").item["disabled"]) == (401, True)
    admin.put(person, {"person": {"disabled": False}})
    assert key.get("/profile").status == 200
    assert admin.delete(person).status == 200
    assert (key.get("/profile").status, admin.get(PLACE).items) == (401, [])
    (removed,) = admin.get("/people/removed").items
    assert (removed["service"], removed["id"]) == (True, robot["id"])
    assert admin.post(f"{person}/restore").status == 200
    assert [each["id"] for each in admin.get(PLACE).items] == [robot["id"]]
    assert key.get("/profile").status == 401


def test_a_service_user_is_told_nothing(world, ada, ben, robot, roof):
    for user_id in (robot["id"], ben.user_id):
        ada.post(f"/projects/{roof}/memberships", {"membership": {"user_id": user_id}})
    key = key_of(ada, robot)
    for user_id in (robot["id"], ben.user_id):
        draft = {"title": "It leaks", "assigned_user_id": user_id, "body": "for @Robot and @Ben"}
        ada.post(f"/projects/{roof}/tickets", {"ticket": draft})
    read_events(world)
    assert (len(ben.get("/notifications").items), key.get("/notifications").items) == (2, [])


def test_the_log_says_who_made_a_token_for_whom(world, ada, robot):
    key_of(ada, robot)
    chain.seal_new(world.database)
    entries = ada.get("/administration/audit?kind=token.created").items
    assert (entries[0]["user_id"], entries[0]["details"]) == (ada.user_id, {"user_id": [None, robot["id"]]})
    (added,) = ada.get("/administration/audit?kind=person.added").items
    assert (added["subject_id"], added["details"]["service"]) == (str(robot["id"]), [None, True])


def test_a_service_user_of_another_account_is_not_there(world, ada, robot, cy):
    assert cy.get(f"/users/{robot['id']}").status == 404
    assert in_person(ada).get(f"{PLACE}/{ada.user_id}").status == 404
