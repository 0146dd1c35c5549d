"""Requests repeated with an Idempotency-Key are carried out once and get the first response."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import bindparam, select

from skerry import app
from skerry.database.statements import Statement
from skerry.store import tables
from skerry.store.auth import idempotency
from tests.conftest import PASSWORD
from tests.support.client import Client, basic

pytestmark = pytest.mark.matrix("formats")

TICKET = {"ticket": {"title": "Leak"}}
KEYS = Statement(select(tables.repeats.c.key).where(tables.repeats.c.account_id == bindparam("account_id")))


def titles(client, project_id):
    return [ticket["title"] for ticket in client.get(f"/projects/{project_id}/tickets").items]


def test_the_same_key_and_body_make_one_thing_and_give_the_first_answer(ada, roof):
    longest = "x" * 255
    first = ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key=longest)
    again = ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key=longest)
    assert first.status == 201
    assert (again.status, again.body) == (first.status, first.body)
    assert again.headers["location"] == first.headers["location"]
    assert titles(ada, roof) == ["Leak"]


def test_the_same_key_with_another_body_is_refused(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key="k1")
    other = ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Other"}}, Idempotency_Key="k1")
    assert other.status == 422
    assert "Idempotency-Key" in other.errors[0]
    assert titles(ada, roof) == ["Leak"]


def test_the_same_key_at_another_address_or_with_another_method_is_refused(ada, roof, harbour):
    for project_id, status in ((roof, 201), (harbour, 422)):
        made = ada.post(
            f"/projects/{project_id}/messages", {"message": {"title": "News"}}, Idempotency_Key="k1"
        )
        assert made.status == status
    message = f"/projects/{roof}/messages/{ada.get(f'/projects/{roof}/messages').items[0]['id']}"
    sent = {"message": {"body": "Rain"}}
    assert ada.put(message, sent, Idempotency_Key="k2").status == 200
    assert ada.post(f"{message}?_method=delete", sent, Idempotency_Key="k2").status == 422
    assert ada.get(message).status == 200


def test_the_same_key_with_other_watchers_in_the_address_is_refused(ada, ben, roof):
    tickets, watchers = f"/projects/{roof}/tickets", [ada.user_id, f"{ada.user_id}+{ben.user_id}"]
    first, again, other = (
        ada.post(f"{tickets}?multiple_watchers={who}", TICKET, Idempotency_Key="k1")
        for who in (watchers[0], watchers[0], watchers[1])
    )
    assert (first.status, again.status, other.status) == (201, 201, 422)
    assert again.body == first.body
    assert "Idempotency-Key" in other.errors[0]


def test_the_same_key_with_another_format_of_the_answer_is_refused(ada, tickets):
    asked = [f"{tickets}.{form}" for form in ("json", "xml", "json")]
    answers = [ada.post(path, TICKET, Idempotency_Key="k1") for path in asked]
    assert [answer.status for answer in answers] == [201, 422, 201]
    assert answers[0].body == answers[2].body


def test_a_key_belongs_to_one_person(ada, ben, roof):
    for client in (ada, ben):
        assert client.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key="k1").status == 201
    assert titles(ada, roof) == ["Leak", "Leak"]


def test_a_refused_request_is_not_stored_under_its_key(ada, roof):
    bad = {"ticket": {"title": " "}}
    assert ada.post(f"/projects/{roof}/tickets", bad, Idempotency_Key="k1").status == 422
    assert ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key="k1").status == 201


def test_a_repeated_comment_is_added_once(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    for _ in range(2):
        answer = ada.post(
            f"/projects/{roof}/tickets/1/versions", {"version": {"body": "Yes"}}, Idempotency_Key="c"
        )
        assert answer.status == 201
    assert [version["version"] for version in ada.get(f"/projects/{roof}/tickets/1").item["versions"]] == [
        1,
        2,
    ]


def test_a_change_of_a_ticket_that_comes_again_leaves_one_version(ada, ben, tickets):
    ada.post(tickets, TICKET)
    comment = {"ticket": {"body": "Yes", "state": "open"}}
    first = ada.put(f"{tickets}/1", comment, Idempotency_Key="old-1-1")
    ben.put(f"{tickets}/1", {"ticket": {"state": "hold"}})
    again = ada.put(f"{tickets}/1", comment, Idempotency_Key="old-1-1")
    assert (again.status, again.body) == (first.status, first.body) == (200, first.body)
    item = ada.get(f"{tickets}/1").item
    assert (item["state"], [version["body"] for version in item["versions"]]) == ("hold", ["", "Yes", ""])
    other = ada.put(f"{tickets}/1", {"ticket": {"body": "No"}}, Idempotency_Key="old-1-1")
    assert other.status == 422


def test_no_stored_response_helps_to_guess_a_password(world, ada):
    sent = {"password": {"present": PASSWORD, "new": "a shed full of rope"}}
    ada.headers = basic(ada.email, PASSWORD)
    assert ada.put("/profile/password", sent, Idempotency_Key="k1").status == 200
    assert keys(world) == set()


def test_the_password_of_an_invited_person_is_not_stored_with_the_response(world, ada):
    ada.headers = basic(ada.email, PASSWORD)
    invited = ada.post("/invitations", {"invitation": {"email": f"dora@{world.host}", "role": "member"}})
    welcome = {"welcome": {"name": "Dora", "password": "a shed full of rope"}}
    path = "/welcome/" + invited.item["url"].rpartition("/")[2]
    assert ada.post(path, welcome, Idempotency_Key="k1").status == 200
    assert keys(world) == set()


@pytest.mark.parametrize("key", ["", "x" * 256, "caf\u00e9", "a\tb"])
def test_a_key_that_cannot_be_used_is_refused(ada, roof, key):
    assert ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key=key).status == 422
    assert titles(ada, roof) == []


def test_a_key_matters_only_where_a_repetition_would_do_something_twice(ada, tickets):
    ada.post(tickets, TICKET, Idempotency_Key="k1")
    for key in ("k1", "x" * 256):
        assert [ada.get(tickets, Idempotency_Key=key).status for _ in range(2)] == [200, 200]
    ada.put(f"{tickets}/1", {"ticket": {"title": "Drip"}})
    assert ada.get(f"{tickets}/1", Idempotency_Key="k1").item["title"] == "Drip"
    assert [ada.delete(f"{tickets}/1", Idempotency_Key="k1").status for _ in range(2)] == [200, 404]


def test_a_key_is_forgotten_after_a_day_however_many_are_older(ada, roof, monkeypatch):
    monkeypatch.setattr(idempotency, "FEW", 1)
    for key in ("k0", "k1"):
        ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key=key)
    monkeypatch.setattr(idempotency, "DAY", -1_000_000)
    assert ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key="k1").status == 201
    assert titles(ada, roof) == ["Leak"] * 3


def test_answers_that_are_old_are_forgotten_some_at_a_time(world, ada, roof, monkeypatch):
    monkeypatch.setattr(idempotency, "FEW", 2)
    for key in "abcde":
        ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key=key)
    monkeypatch.setattr(idempotency, "DAY", -1_000_000)
    ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key="f")
    assert keys(world) == {"c", "d", "e", "f"}


def test_the_cleanup_removes_old_responses(world, ada, roof, monkeypatch):
    monkeypatch.setattr(idempotency, "SOME", 2)
    for key in "abcde":
        ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key=key)
    world.instance.clean_up()
    assert keys(world) == set("abcde")
    monkeypatch.setattr(idempotency, "DAY", -1_000_000)
    world.instance.clean_up()
    assert keys(world) == set()


def keys(world):
    with world.database.read(world.account_id) as transaction:
        return {key for (key,) in transaction.all(KEYS)}


def test_another_process_knows_the_key(world, ada, roof):
    first = ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key="k1")
    with app.build(world.instance.settings) as second:
        elsewhere = Client(second.application, ada.host, ada.format, ada.headers)
        again = elsewhere.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key="k1")
    assert again.body == first.body
    assert titles(ada, roof) == ["Leak"]


def test_the_same_request_twice_at_once_is_done_once(ada, roof):
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(lambda _: ada.post(f"/projects/{roof}/tickets", TICKET, Idempotency_Key="k1"), range(4))
        )
    assert {(answer.status, answer.body) for answer in answers} == {(201, answers[0].body)}
    assert titles(ada, roof) == ["Leak"]
