"""Deliveries of hooks: events with their resources, signed, in order, each once."""

import pytest
from standardwebhooks import Webhook

from skerry.sealing.key_ring import KeyRing
from skerry.tracker.token_scopes import HOOKS_WRITE, TICKETS_READ
from tests.conftest import PASSWORD
from tests.support.client import basic

pytestmark = pytest.mark.matrix("databases")


@pytest.fixture
def opened(ada, tickets):
    """Return what opens tickets and gives their numbers."""
    return lambda *titles: [
        ada.post(tickets, {"ticket": {"title": title, "body": "Rain"}}).item["number"] for title in titles
    ]


def test_an_event_comes_with_its_resource_as_the_interface_shows_it(
    ada, desk, hook, receiver, opened, tickets
):
    hook()
    opened("Leak")
    desk.send()
    (request,) = receiver.received
    sent = request.data
    assert list(sent) == ["event", "ticket"]
    assert sent["event"]["type"] == "ticket.created"
    assert sent["event"]["url"] == f"https://tracker.example{tickets}/1"
    shown = ada.get(f"{tickets}/1").item
    same = {"number", "title", "state", "body", "creator_id", "created_at", "version", "watchers_ids"}
    assert {name: sent["ticket"][name] for name in same} == {name: shown[name] for name in same}
    assert [version["body"] for version in sent["ticket"]["versions"]] == ["Rain"]


def test_the_signature_is_that_of_standard_webhooks(desk, hook, receiver, opened, monkeypatch):
    hook()
    opened("Leak")
    monkeypatch.undo()
    desk.send()
    (request,) = receiver.received
    assert Webhook(hook.secret).verify(request.body, request.headers)["event"]["type"] == "ticket.created"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("Skerry/")


def test_while_a_secret_is_replaced_both_are_valid(ada, desk, hook, receiver, opened):
    at = hook()
    old, new = hook.secret, ada.post(f"{at}/secret").item["secret"]
    opened("Leak")
    desk.send()
    signatures = receiver.received[0].headers["webhook-signature"].split()
    opened("Damp")
    desk.send(after=25 * 3600)
    assert (len(signatures), len(receiver.received[1].headers["webhook-signature"].split())) == (2, 1)
    assert old != new


def test_without_the_key_of_its_secret_a_hook_waits_and_says_why(ada, desk, hook, receiver, opened, tmp_path):
    at = hook()
    opened("Leak")
    database = desk.world.instance.database
    keys, database.keys = database.keys, KeyRing(folder=tmp_path)
    try:
        desk.send()
    finally:
        database.keys = keys
    assert receiver.received == []
    assert "The key of stored secrets is missing" in ada.get(f"{at}/deliveries").items[0]["answer"]
    desk.send(after=3600)
    assert [request.data["ticket"]["title"] for request in receiver.received] == ["Leak"]


def test_events_come_in_order_and_once(desk, hook, receiver, opened):
    hook()
    opened(*"abcdef")
    for _ in range(3):
        desk.send()
        desk.restart()
    assert [request.data["ticket"]["title"] for request in receiver.received] == list("abcdef")
    assert receiver.numbers == sorted(set(receiver.numbers))
    assert len({request.message for request in receiver.received}) == 6


def test_only_the_types_that_are_wanted_are_sent(ada, desk, hook, receiver, opened, tickets):
    hook(events=["ticket.updated"])
    opened("Leak")
    ada.put(f"{tickets}/1", {"ticket": {"title": "Damp"}})
    desk.send()
    assert receiver.types == ["ticket.updated"]
    assert receiver.received[0].data["event"]["changes"] == {"title": ["Leak", "Damp"]}


def test_events_of_tickets_are_sent_if_they_match_the_query(ada, roof, desk, hook, receiver, opened, tickets):
    hook(query="importance:>5")
    opened("Leak")
    desk.send()
    ada.put(f"{tickets}/1", {"ticket": {"importance": 7}})
    ada.post(f"/projects/{roof}/messages", {"message": {"title": "News", "body": "Rain"}})
    desk.send()
    assert receiver.types == ["ticket.updated", "message.created"]


def test_a_hook_gets_events_of_its_own_project_only_and_one_of_the_account_gets_all(
    world, ada, desk, hook, receiver, opened, roof
):
    hook()
    in_person = world.client(**basic(ada.email, PASSWORD))
    made = in_person.post("/hooks", {"hook": {"url": receiver.url, "events": ["ticket.created"]}})
    assert made.status == 201
    elsewhere = ada.post("/projects", {"project": {"name": "Elsewhere"}}).item["id"]
    ada.post(f"/projects/{elsewhere}/tickets", {"ticket": {"title": "There"}})
    opened("Here")
    desk.send()
    assert sorted(request.data["ticket"]["title"] for request in receiver.received) == [
        "Here",
        "Here",
        "There",
    ]


def test_a_deleted_ticket_is_not_sent(ada, desk, hook, receiver, opened, tickets):
    hook()
    opened("Leak")
    ada.delete(f"{tickets}/1")
    desk.send()
    assert [(request.type, list(request.data)) for request in receiver.received] == [
        ("ticket.created", ["event"]),
        ("ticket.deleted", ["event"]),
    ]


def test_views_that_are_not_shared_and_hooks_themselves_are_not_sent(ada, roof, desk, hook, receiver):
    at = hook()
    ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": "Mine", "query": "tagged:mine"}})
    ada.put(at, {"hook": {"note": "new"}})
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Dry"}})
    desk.send()
    assert receiver.types == ["milestone.created"]
    assert receiver.received[0].data["milestone"]["title"] == "Dry"


def test_a_hook_that_is_turned_off_gets_nothing_and_later_continues_where_it_stopped(
    ada, desk, hook, receiver, opened
):
    at = hook()
    ada.put(at, {"hook": {"active": False}})
    opened("Leak")
    desk.send()
    assert receiver.received == []
    ada.put(at, {"hook": {"active": True}})
    desk.send()
    assert receiver.types == ["ticket.created"]


def test_a_test_is_sent_once_even_to_a_hook_that_is_turned_off(ada, desk, hook, receiver):
    at = hook(active=False)
    delivery = ada.post(f"{at}/ping").item
    desk.send()
    desk.send()
    assert receiver.types == ["ping"]
    after = ada.get(f"{at}/deliveries/{delivery['id']}").item
    assert (after["state"], after["status"], after["tries"]) == ("delivered", 204, 1)
    assert after["delivered_at"]


def test_the_log_holds_the_beginning_of_request_and_answer(ada, desk, hook, receiver, opened):
    at = hook()
    receiver.headers = {"Set-Cookie": "a=secret", "X-Kind": "test"}
    receiver.answer = lambda _request: (200, b"thanks " * 1_000_000)
    opened("Leak")
    desk.send()
    (delivery,) = ada.get(f"{at}/deliveries").items
    assert delivery["request"].startswith("POST /hook HTTP/1.1\n")
    assert '"type":"ticket.created"' in delivery["request"]
    assert delivery["answer"].startswith("HTTP/1.1 200 OK\n")
    assert "x-kind: test" in delivery["answer"]
    assert "secret" not in delivery["answer"] + delivery["request"]
    assert max(len(delivery["answer"]), len(delivery["request"])) <= 4096
    assert (delivery["event_type"], delivery["status"]) == ("ticket.created", 200)


def test_chats_are_sent_one_message_of_text(ada, desk, hook, receiver, tickets):
    hook(format="slack")
    hook(format="discord")
    ada.post(tickets, {"ticket": {"title": "<Leak> *now*"}})
    desk.send()
    slack, discord = sorted(
        (request.data for request in receiver.received), key=lambda sent: "text" not in sent
    )
    url = f"https://tracker.example{tickets}/1"
    assert slack["text"].startswith(f"Ada: ticket created <{url}|#1 &lt;Leak&gt; *now*>")
    assert discord["content"].startswith(f"Ada: ticket created [#1 <Leak\\> \\*now\\*]({url})")
    assert discord["allowed_mentions"] == {"parse": []}


@pytest.mark.parametrize("changes", ["not json", '{"title": 5}'])
def test_an_event_that_cannot_be_read_is_passed_over(world, desk, hook, receiver, opened, changes):
    hook()
    opened("a", "b", "c")
    with world.write() as transaction:
        transaction.sql(
            "UPDATE events SET changes = ? WHERE account_id = ? AND type = 'ticket.created'"
            " AND subject_id = '2' RETURNING 1",
            [changes, world.account_id],
        )
    desk.send()
    assert [request.data["ticket"]["title"] for request in receiver.received] == ["a", "c"]


def test_the_log_does_not_hold_the_path_of_the_address(world, ada, desk, hook, receiver, opened):
    at = hook(url=receiver.url.replace("/hook", "/services/s3cr3ts3cr3t"))
    receiver.answer = lambda request: (404, f"Nothing at {request.path}".encode())
    opened("Leak")
    desk.send()
    listed = ada.get(f"{at}/deliveries")
    with world.database.read(world.account_id) as transaction:
        kept = "SELECT request, answer FROM deliveries WHERE account_id = ?"
        rows = [list(row) for row in transaction.sql(kept, [world.account_id])]
    assert "s3cr" not in str(rows)
    assert b"s3cr" not in listed.body + ada.get(f"{at}/deliveries/{listed.items[0]['id']}").body
    assert listed.items[0]["request"].startswith("POST /…cr3t HTTP/1.1\n")
    assert "Nothing at /…cr3t" in listed.items[0]["answer"]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ticket.commented", {"body": "Still wet"}),
        ("ticket.closed", {"state": "resolved"}),
        ("ticket.assigned", {"assigned_user_id": 1}),
    ],
)
def test_a_hook_may_want_comments_closings_or_assignments_only(
    ada, desk, hook, receiver, tickets, name, changes
):
    hook(events=[name])
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "Rain"}})
    ada.put(f"{tickets}/1", {"ticket": {"title": "Damp"}})
    desk.send()
    assert receiver.types == []
    sent = {each: ada.user_id if each == "assigned_user_id" else value for each, value in changes.items()}
    ada.put(f"{tickets}/1", {"ticket": sent})
    ada.put(f"{tickets}/1", {"ticket": {"tag": "wet"}})
    desk.send()
    assert receiver.types == ["ticket.updated"]
    assert list(receiver.received[0].data["event"]["changes"]) == list(changes)


def test_a_hook_may_want_the_newest_version_only_with_links_that_work_elsewhere(
    ada, desk, hook, receiver, opened, tickets
):
    hook(versions="newest")
    opened("Leak")
    ada.put(f"{tickets}/1", {"ticket": {"body": "See #1"}})
    desk.send()
    *_, last = [request.data["ticket"]["versions"] for request in receiver.received]
    assert [version["version"] for version in last] == [2]
    assert f'href="https://tracker.example{tickets}/1"' in last[0]["body_html"]


@pytest.mark.parametrize("form", ["skerry", "slack", "discord"])
def test_chats_are_not_told_of_an_update_that_changes_nothing(
    ada, desk, hook, receiver, opened, tickets, form
):
    opened("Leak")
    hook(format=form)
    ada.put(f"{tickets}/1", {"ticket": {"title": "Leak"}})
    ada.put(f"{tickets}/1", {"ticket": {"title": "Flood"}})
    desk.send()
    assert len(receiver.received) == (2 if form == "skerry" else 1)


@pytest.mark.matrix("both")
def test_only_tokens_for_tickets_see_what_was_sent(world, ada, desk, hook, receiver, opened):
    receiver.answer = lambda request: (200, request.body)
    at = hook()
    opened("Secret leak")
    desk.send()
    for scopes, is_shown in ((HOOKS_WRITE, False), (f"{HOOKS_WRITE} {TICKETS_READ}", True)):
        token = ada.speaking(**{"X-ServiceToken": world.token(ada.user_id, scopes=scopes)})
        (listed,) = token.get(f"{at}/deliveries").items
        read = token.get(f"{at}/deliveries/{listed['id']}").item
        again = token.post(f"{at}/deliveries/{listed['id']}/redeliver").item
        for each in (listed, read, again):
            assert each["event_type"] == "ticket.created"
            assert ["Secret leak" in each[name] for name in ("request", "answer")] == [is_shown, is_shown]
