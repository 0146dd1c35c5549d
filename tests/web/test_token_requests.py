"""A code stands for a token that only the program which asked for it can have, once and soon."""

import pytest

from skerry.database.transactions import DAY
from tests.conftest import PASSWORD
from tests.support.client import basic
from tests.support.resources import CHALLENGE, VERIFIER, token_code

pytestmark = pytest.mark.matrix("both")

MINUTE = DAY // 1440


@pytest.fixture
def code(world, ben):
    with world.write() as transaction:
        return token_code(transaction, ben.user_id, note="sk on lamp")


def exchange(client, code, verifier=VERIFIER):
    return client.post(f"/profile/token-requests/{code}", {"token_proof": {"verifier": verifier}})


def test_a_code_works_once(nobody, code):
    assert len(exchange(nobody, code).item["token"]) == 40
    again = exchange(nobody, code)
    assert (again.status, again.errors) == (404, ["This code was already used or has expired. Ask again"])


@pytest.mark.parametrize("verifier", ["", "x" * 43, CHALLENGE, VERIFIER[:-1], f"{VERIFIER}="])
def test_a_code_is_of_no_use_without_the_verifier(nobody, code, verifier):
    assert exchange(nobody, code, verifier).status == 404
    assert exchange(nobody, code).status == 200


def test_neither_the_code_nor_its_hash_is_a_token(world, code):
    for value in (code, f"{code}.{CHALLENGE}", f"code:{code}"):
        assert world.client(**{"X-ServiceToken": value}).get("/profile").status == 401


def test_a_code_ends_after_five_minutes_and_the_token_after_a_year(world, nobody, code, monkeypatch):
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 6 * MINUTE)
    assert exchange(nobody, code).status == 404
    monkeypatch.setattr(world.database, "clock", lambda: now)
    client = world.client(**{"X-ServiceToken": exchange(nobody, code).item["token"]})
    assert client.get("/profile").item["name"] == "Ben"
    monkeypatch.setattr(world.database, "clock", lambda: now + 366 * DAY)
    assert client.get("/profile").status == 401


def test_a_code_ends_when_its_token_is_revoked_or_its_owner_is_disabled(world, ben, ada, nobody, code):
    person = ben.speaking(**basic(ben.email, PASSWORD))
    (waiting,) = [each for each in person.get("/profile/tokens").items if each["note"] == "sk on lamp"]
    person.delete(f"/profile/tokens/{waiting['id']}")
    assert exchange(nobody, code).status == 404
    with world.write() as transaction:
        other = token_code(transaction, ben.user_id)
    administrator = ada.speaking(**basic(ada.email, PASSWORD))
    assert administrator.put(f"/people/{ben.user_id}", {"person": {"disabled": True}}).status == 200
    assert exchange(nobody, other).status == 404
