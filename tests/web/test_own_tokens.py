"""Tokens that people create and revoke themselves, and the limits of tokens."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from skerry.database.transactions import Lifetimes
from skerry.store.auth import logins
from skerry.tracker import secrets
from tests.conftest import PASSWORD, build_world
from tests.support.client import basic
from tests.support.processes import PATIENCE

pytestmark = pytest.mark.matrix("formats")


def in_person(client):
    """Return a person with a password instead of a token."""
    return client.speaking(**basic(client.email, PASSWORD))


def make(client, **fields):
    return client.post("/profile/tokens", {"token": fields})


def test_a_token_is_shown_once_and_opens_what_it_was_made_for(ben, roof, harbour):
    made = make(in_person(ben), note="build", project_id=roof)
    assert made.status == 201
    key = ben.speaking(**{"X-ServiceToken": made.item["token"]})
    assert key.get(f"/projects/{roof}").status == 200
    assert key.get(f"/projects/{harbour}").status == 404
    (listed,) = [each for each in in_person(ben).get("/profile/tokens").items if each["note"] == "build"]
    assert (listed["token"], listed["id"]) == ("", made.item["id"])
    assert in_person(ben).get(f"/profile/tokens/{made.item['id']}").item["token"] == ""


def test_a_revoked_token_opens_nothing_from_now_on(ben):
    made = make(in_person(ben)).item
    key = ben.speaking(**{"X-ServiceToken": made["token"]})
    assert key.get("/profile").status == 200
    assert in_person(ben).delete(f"/profile/tokens/{made['id']}").status == 200
    assert key.get("/profile").status == 401


def replaced(client, made, **fields):
    return in_person(client).post(f"/profile/tokens/{made['id']}/replace", fields or None)


def test_a_replaced_token_works_for_a_day_beside_its_successor(world, ben, roof, monkeypatch):
    made = make(in_person(ben), note="build", project_id=roof, scopes="tickets:read").item
    new = replaced(ben, made).item
    assert [new[name] for name in ("note", "project_id", "scopes")] == ["build", roof, "tickets:read"]
    old, key = (ben.speaking(**{"X-ServiceToken": each["token"]}) for each in (made, new))
    assert (old.get("/profile").status, key.get("/profile").status) == (200, 200)
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 25 * 3_600_000_000)
    assert (old.get("/profile").status, key.get("/profile").status) == (401, 200)


def test_a_token_is_replaced_at_once_without_an_overlap(ben):
    made = make(in_person(ben)).item
    assert replaced(ben, made, overlap_hours=0).status == 201
    assert ben.speaking(**{"X-ServiceToken": made["token"]}).get("/profile").status == 401
    again = replaced(ben, make(in_person(ben)).item, overlap_hours=721)
    assert again.errors == ["Overlap hours must be a whole number from 0 to 720"]


def test_all_tokens_are_revoked_together(ben, ada):
    made = [make(in_person(ben)).item for _ in range(2)]
    assert in_person(ben).delete("/profile/tokens").status == 200
    assert [ben.speaking(**{"X-ServiceToken": each["token"]}).get("/profile").status for each in made] == [
        401,
        401,
    ]
    assert in_person(ben).get("/profile/tokens").items == []
    assert ada.get("/profile").status == 200


def test_a_server_can_demand_that_tokens_expire(world, ben, monkeypatch):
    monkeypatch.setattr(world.database, "lifetimes", Lifetimes(token_days=7))
    assert make(in_person(ben)).item["expires_at"] is not None
    assert make(in_person(ben), days=7).status == 201
    assert make(in_person(ben), days=8).errors == ["A token must expire within 7 days"]


def test_a_token_ends_when_the_server_says_although_another_clock_is_late(world, ben, monkeypatch):
    monkeypatch.setattr(world.database, "lifetimes", Lifetimes(token_days=7))
    monkeypatch.setattr(world.database, "clock", lambda: 1_900_000_000_000_000)
    last, late = (datetime.fromtimestamp(1_900_000_000 + 7 * 86_400 + more, UTC) for more in (0, 59))
    made = make(in_person(ben), expires_at=late.isoformat()).item
    assert made["expires_at"] == f"{last:%Y-%m-%dT%H:%M:%SZ}"


def test_a_token_is_replaced_for_as_long_as_the_server_allows_by_now(world, ben, monkeypatch):
    made = make(in_person(ben), days=30).item
    monkeypatch.setattr(world.database, "lifetimes", Lifetimes(token_days=7))
    new = replaced(ben, made).item
    assert new["expires_at"] < made["expires_at"]


def test_a_token_shows_from_where_it_was_used(world, ben):
    made = make(in_person(ben)).item
    assert made["address"] == ""
    ben.speaking(**{"X-ServiceToken": made["token"]}).get("/profile")
    world.instance.last_used.write(world.database)
    assert in_person(ben).get(f"/profile/tokens/{made['id']}").item["address"] != ""


def test_a_token_ends_on_its_day(world, ben, monkeypatch):
    made = make(in_person(ben), days=30).item
    key = ben.speaking(**{"X-ServiceToken": made["token"]})
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 29 * 86_400_000_000)
    assert key.get("/profile").status == 200
    monkeypatch.setattr(world.database, "clock", lambda: now + 31 * 86_400_000_000)
    assert key.get("/profile").status == 401


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"expires_at": "2007-01-15"}, "Expires at must be in the future"),
        ({"days": 0}, "Days must be a whole number from 1 to 3650"),
        ({"days": 3651}, "Days must be a whole number from 1 to 3650"),
        ({"note": "x" * 256}, "Note is too long (at most 255 characters)"),
    ],
)
def test_a_token_that_cannot_be_made_is_explained(ben, fields, sentence):
    answer = make(in_person(ben), **fields)
    assert (answer.status, answer.errors) == (422, [sentence])


def test_a_token_lasts_for_ten_years_at_most(ben):
    assert make(in_person(ben), days=3650).status == 201


def test_a_token_for_a_project_requires_membership(cy, harbour):
    assert make(in_person(cy), project_id=harbour).status == 422


def test_a_token_cannot_be_limited_to_a_hidden_project(cy, roof):
    hidden, missing = (make(in_person(cy), project_id=each) for each in (roof, 999))
    assert (hidden.status, hidden.errors) == (404, ["There is no such project"])
    assert (missing.status, missing.errors) == (hidden.status, hidden.errors)


def test_no_token_makes_another_or_ends_a_session(ben):
    sentence = ["Tokens cannot be used for this; sign in with a password"]
    assert make(ben).errors == sentence
    assert ben.delete("/profile/sessions").errors == sentence
    password = {"password": {"present": PASSWORD, "new": "a shed full of rope"}}
    assert ben.put("/profile/password", password).errors == sentence


def test_the_token_of_somebody_else_is_not_found(ada, ben):
    made = make(in_person(ben)).item
    assert in_person(ada).delete(f"/profile/tokens/{made['id']}").status == 404


def test_no_answer_with_a_token_is_kept_for_those_who_ask_again(world, ben):
    client = in_person(ben)
    token = {"token": {"note": "x"}}
    made = [client.post("/profile/tokens", token, **{"Idempotency-Key": "one"}).item for _ in range(2)]
    assert made[0]["token"] != made[1]["token"]
    assert not any(each["token"] in world.log.getvalue() for each in made)


@pytest.mark.parametrize("revoke", [False, True])
def test_with_a_new_password_tokens_stay_unless_they_are_revoked(world, ben, revoke):
    other = build_world(world.instance, world.log, world.format)
    elsewhere = other.client(**{"X-ServiceToken": other.token(ben.user_id)})
    draft = {"present": PASSWORD, "new": "a shed full of rope", "revoke_tokens": revoke}
    changed = in_person(ben).put("/profile/password", {"password": draft})
    assert changed.item == {"tokens_count": 0 if revoke else 2}
    expected = 401 if revoke else 200
    assert [client.get("/profile").status for client in (ben, elsewhere)] == [expected] * 2


def test_a_new_password_needs_the_present_one_and_ends_the_old(ben):
    client = in_person(ben)
    wrong = {"password": {"present": "wrong horse", "new": "a shed full of rope"}}
    assert client.put("/profile/password", wrong).errors == ["The current password is wrong"]
    assert client.put("/profile/password", {"password": {"present": PASSWORD, "new": "short"}}).status == 422
    right = {"password": {"present": PASSWORD, "new": "a shed full of rope"}}
    assert client.put("/profile/password", right).status == 200
    assert client.get("/profile").status == 401


def test_one_of_two_concurrent_new_passwords_is_kept(world, ben, monkeypatch):
    first, second = "a shed full of rope", "a boat full of rope"
    statuses, make = [], secrets.hash_password

    def change(new):
        return in_person(ben).put("/profile/password", {"password": {"present": PASSWORD, "new": new}})

    def overtaken(password, *rest):
        if password == second:
            with ThreadPoolExecutor(1) as thread:
                statuses.append(thread.submit(change, first).result(PATIENCE).status)
        return make(password, *rest)

    monkeypatch.setattr(secrets, "hash_password", overtaken)
    assert change(second).errors == ["Wrong login or password"]
    assert statuses == [200]
    with world.database.read() as transaction:
        assert secrets.is_password(first, logins.with_email(transaction, ben.email).password_hash)
