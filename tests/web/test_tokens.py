"""Tokens over HTTP: what a token tells its owner about itself."""

import pytest

from skerry.tracker.auth import tokens
from tests.conftest import PASSWORD, build_world
from tests.support.client import basic

pytestmark = pytest.mark.matrix("formats")


def test_a_token_tells_its_owner_every_field(world, ben, roof):
    token = world.token(ben.user_id, project_id=roof, read_only=True)
    item = ben.get(f"/tokens/{token}").item
    assert list(item) == ["created_at", "note", "project_id", "read_only", "token", "user_id", "account"]
    assert item.pop("created_at") > "2024"
    assert item == {
        "note": "",
        "project_id": roof,
        "read_only": True,
        "token": token,
        "user_id": ben.user_id,
        "account": f"http://{ben.host}",
    }


def test_the_bytes_of_both_formats_are_those_that_clients_know(ben):
    token = ben.headers["X-ServiceToken"]
    answer = ben.get(f"/tokens/{token}")
    timestamp, base = answer.item["created_at"], f"http://{ben.host}"
    expected = {
        "xml": '<?xml version="1.0" encoding="UTF-8"?><token>'
        f'<created-at type="datetime">{timestamp}</created-at>'
        '<note/><project-id type="integer" nil="true"/><read-only type="boolean">false</read-only>'
        f'<token>{token}</token><user-id type="integer">{ben.user_id}</user-id>'
        f"<account>{base}</account></token>",
        "json": f'{{"token":{{"created_at":"{timestamp}","note":"","project_id":null,"read_only":false,'
        f'"token":"{token}","user_id":{ben.user_id},"account":"{base}"}}}}',
    }
    assert answer.body.decode() == expected[ben.format]


def test_only_its_owner_finds_a_token(ada, cy, nobody, ben):
    address = f"/tokens/{ben.headers['X-ServiceToken']}"
    assert [client.get(address).status for client in (ada, cy, nobody)] == [404, 404, 401]


def test_the_owner_finds_it_with_a_password_too(ben):
    login = ben.speaking(**basic(ben.email, PASSWORD))
    assert login.get(f"/tokens/{ben.headers['X-ServiceToken']}").status == 200


def test_a_revoked_an_unknown_and_an_unreadable_token_look_the_same(world, ben):
    revoked = world.token(ben.user_id)
    with world.write() as transaction:
        tokens.revoke(transaction, revoked)
    answers = [ben.get(f"/tokens/{value}") for value in (revoked, "0" * 40, "x", "%F0%9F%98%80")]
    assert [answer.status for answer in answers] == [404] * 4
    assert len({tuple(answer.errors) for answer in answers}) == 1


def test_a_token_of_another_account_is_not_found(world, ben):
    other = build_world(world.instance, world.log, world.format)
    assert ben.get(f"/tokens/{other.people['ben'].headers['X-ServiceToken']}").status == 404
    assert ben.get(f"/tokens/{other.token(ben.user_id)}").status == 404


def test_the_token_of_a_project_finds_itself_and_no_key_to_more(world, ben, roof, harbour):
    own = world.token(ben.user_id, project_id=roof)
    key = ben.speaking(**{"X-ServiceToken": own})
    assert key.get(f"/tokens/{own}").item["project_id"] == roof
    assert key.get(f"/tokens/{world.token(ben.user_id, project_id=harbour)}").status == 404
    assert key.get(f"/tokens/{ben.headers['X-ServiceToken']}").status == 404


def test_a_read_only_token_may_look_itself_up(world, ben):
    token = world.token(ben.user_id, read_only=True)
    assert ben.speaking(**{"X-ServiceToken": token}).get(f"/tokens/{token}").item["read_only"] is True


def test_no_token_stands_in_the_log(world, ben):
    token = ben.headers["X-ServiceToken"]
    ben.get(f"/tokens/{token}?_token={token}")
    assert "/tokens/[hidden]" in world.log.getvalue()
    assert token not in world.log.getvalue()


def test_tokens_are_not_made_changed_or_revoked_here(ben):
    address = f"/tokens/{ben.headers['X-ServiceToken']}"
    for method in ("POST", "PUT", "DELETE"):
        answer = ben.send(method, address, {"token": {"note": "x"}})
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    assert ben.get("/tokens").status == 404
