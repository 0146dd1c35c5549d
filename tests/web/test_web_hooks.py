"""Hooks of projects and of the account, as they are made and changed; what they send is in test_sending."""

import pytest

from tests.conftest import PASSWORD
from tests.support.client import basic

NO_TYPE = "there is no such event type"
URL = "https://receiver.example/hook"


@pytest.fixture
def hooks(roof):
    return f"/projects/{roof}/hooks"


@pytest.fixture
def in_person(world, ada):
    """Ada with her password, as tokens do not administer."""
    return world.client(**basic(ada.email, PASSWORD))


@pytest.mark.matrix("both")
def test_a_member_makes_changes_and_removes_a_hook(ben, hooks, roof):
    made = ben.post(hooks, {"hook": {"url": URL, "note": "chat"}})
    assert made.status == 201
    hook = {name: value for name, value in made.item.items() if name != "secret"}
    assert hook["events"] == ["*"]
    assert (hook["format"], hook["active"], hook["project_id"], hook["user_id"]) == (
        "skerry",
        True,
        roof,
        ben.user_id,
    )
    at = f"{hooks}/{hook['id']}"
    assert ben.get(at).item == hook
    assert ben.get(hooks).items == [hook]
    wanted = {"events": ["ticket.updated", "ticket.created"], "query": "state:open", "active": False}
    changed = ben.put(at, {"hook": wanted}).item
    assert {name: changed[name] for name in wanted} == {
        **wanted,
        "events": ["ticket.created", "ticket.updated"],
    }
    assert (ben.delete(at).status, ben.get(at).status) == (200, 404)


def test_the_secret_stands_only_in_the_answers_that_make_it(ada, hooks):
    made = ada.post(hooks, {"hook": {"url": URL}}).item
    at = f"{hooks}/{made['id']}"
    assert made["secret"].startswith("whsec_")
    for answer in (ada.get(at).item, ada.get(hooks).items[0], ada.put(at, {"hook": {"note": "x"}}).item):
        assert "secret" not in answer
    replaced = ada.post(f"{at}/secret").item["secret"]
    assert replaced.startswith("whsec_")
    assert replaced != made["secret"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"url": ""}, "Url can't be blank"),
        ({"url": "receiver.example"}, "Url must be an address such as https://example.org/hook"),
        ({"url": "ftp://receiver.example/"}, "Url must be an address such as https://example.org/hook"),
        (
            {"url": "https://receiver.example:99999/"},
            "Url must be an address such as https://example.org/hook",
        ),
        ({"url": "http://receiver.example/"}, "Url must begin with https://"),
        ({"url": "https://ada:x@receiver.example/"}, "Url must not contain a user name or password"),
        ({"url": "https://10.0.0.1/"}, "Url must not lead to 10.0.0.1, which is not a public address"),
        ({"events": ["ticket.eaten"]}, "Events must not contain 'ticket.eaten': there is no such event type"),
        (
            {"events": ["token.created"]},
            "Events must not contain 'token.created': there is no such event type",
        ),
        ({"format": "teams"}, "Format must be one of skerry, slack, discord"),
        ({"note": "n" * 256}, "Note is too long (at most 255 characters)"),
    ],
)
def test_what_cannot_be_used_is_refused_and_named(ada, hooks, fields, sentence):
    refused = ada.post(hooks, {"hook": {"url": URL, **fields}})
    assert (refused.status, refused.errors) == (422, [sentence])
    assert ada.get(hooks).items == []


def test_a_mistake_in_the_query_is_told_with_its_place(ada, hooks):
    refused = ada.post(hooks, {"hook": {"url": URL, "query": "state:open importance:much"}})
    assert refused.status == 422
    assert refused.errors == ["Query: Cannot read 'much' at 23 as a number"]


@pytest.mark.parametrize("query", ["watched:Me", "state:open or not-responsible:(ben,me)"])
def test_nobody_is_meant_by_me_in_a_query(ada, hooks, query):
    refused = ada.post(hooks, {"hook": {"url": URL, "query": query}})
    at = query.casefold().rindex("me") + 1
    assert refused.errors == [f"Query: Nobody asks in a hook, so 'me' at {at} is nobody"]
    assert ada.post(hooks, {"hook": {"url": URL, "query": "me title:me"}}).status == 201


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "a.localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "0.0.0.0",  # noqa: S104 - no server here listens
        "169.254.169.254",
        "100.64.0.1",
        "192.168.0.1",
        "172.16.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[::ffff:10.0.0.1]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::a00:1]",
        "[2002:a00:1::]",
        "[::10.0.0.1]",
        "192.88.99.1",
        "[3fff::1]",
        "[fec0::1]",
    ],
)
def test_what_is_plainly_no_public_address_is_refused(ada, hooks, host):
    refused = ada.post(hooks, {"hook": {"url": f"https://{host}/hook"}})
    assert refused.status == 422
    assert "not a public address" in refused.errors[0]


@pytest.mark.parametrize("host", ["[v1.x]", "[vf.127.0.0.1]"])
def test_what_is_in_brackets_must_be_an_address(ada, hooks, host):
    refused = ada.post(hooks, {"hook": {"url": f"https://{host}/hook"}})
    assert refused.errors == ["Url must be an address such as https://example.org/hook"]


def test_a_project_has_a_limited_number_of_hooks(ada, hooks, monkeypatch):
    monkeypatch.setattr("skerry.tracker.sending.hooks.MAX", 1)
    assert ada.post(hooks, {"hook": {"url": URL}}).status == 201
    refused = ada.post(hooks, {"hook": {"url": URL}})
    assert (refused.status, len(ada.get(hooks).items)) == (409, 1)


@pytest.mark.matrix("both")
def test_hooks_of_the_account_are_apart_from_those_of_projects(in_person, ada, hooks):
    made = in_person.post("/hooks", {"hook": {"url": URL}})
    assert (made.status, made.item["project_id"]) == (201, None)
    ada.post(hooks, {"hook": {"url": URL}})
    assert [hook["id"] for hook in in_person.get("/hooks").items] == [made.item["id"]]
    assert ada.get(f"{hooks}/{made.item['id']}").status == 404
    assert in_person.put(f"/hooks/{made.item['id']}", {"hook": {"active": False}}).item["active"] is False


@pytest.mark.matrix("both")
def test_a_hook_that_was_changed_meanwhile_is_not_changed(ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    seen = ada.get(at).headers["etag"]
    assert ada.put(at, {"hook": {"note": "one"}}, **{"If-Match": seen}).status == 200
    assert ada.put(at, {"hook": {"note": "two"}}, **{"If-Match": seen}).status == 412


def test_a_test_is_a_delivery_that_waits(ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    pinged = ada.post(f"{at}/ping")
    assert (pinged.status, pinged.item["event_type"], pinged.item["state"]) == (201, "ping", "waiting")
    assert ada.get(f"{at}/deliveries").items == [pinged.item]
    assert ada.get(f"{at}/deliveries/{pinged.item['id']}").item == pinged.item


@pytest.mark.matrix("both")
def test_what_failed_is_asked_for_again_one_by_one_or_since_a_moment(ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    delivery = ada.post(f"{at}/ping").item
    assert ada.post(f"{at}/deliveries/{delivery['id']}/redeliver").item["state"] == "waiting"
    assert ada.post(f"{at}/redeliver", {"redelivery": {"since": "2026-01-01T00:00:00Z"}}).item["count"] == 0
    assert ada.post(f"{at}/redeliver", {"since": "2026-01-01T00:00:00Z"}).item["count"] == 0
    assert ada.post(f"{at}/redeliver", {"redelivery": {}}).status == 422


def test_an_event_about_a_hook_does_not_tell_its_address(world, ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    ada.put(at, {"hook": {"url": f"{URL}/2", "note": "new"}})
    with world.database.read(world.account_id) as transaction:
        rows = transaction.sql(
            "SELECT changes FROM events WHERE account_id = ? AND type = ?", [world.account_id, "hook.updated"]
        )
    assert rows == [('{"note": ["", "new"], "url": null}',)]
