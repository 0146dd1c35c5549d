"""Slow, failing and hostile receivers: nothing is lost, and other hooks are not delayed."""

import re
import socket
import ssl
from ipaddress import ip_address, ip_network
from threading import Event, Thread

import pytest
import trustme

from skerry.hooks import deliveries, payloads, schedule, worker
from skerry.hooks.transport import Transport
from tests.hooks.conftest import LOOPBACK
from tests.mail.mails import verify
from tests.support import mail_server
from tests.support.mail_server import Post
from tests.support.processes import PATIENCE, free_port
from tests.support.receivers import certified, receiving

HOUR, DAY = 3600, 24 * 3600


@pytest.fixture
def opened(ada, tickets):
    return lambda *titles: [ada.post(tickets, {"ticket": {"title": title}}) for title in titles]


@pytest.fixture(autouse=True)
def no_jitter(monkeypatch):
    monkeypatch.setattr(schedule, "_JITTER", 0)


@pytest.fixture
def state(ada):
    """Return what a hook says of itself, and of its last delivery."""

    def look(at):
        return ada.get(at).item, ada.get(f"{at}/deliveries").items[0]

    return look


def titles(receiver):
    return [request.data["ticket"]["title"] for request in receiver.received]


def test_a_receiver_that_fails_once_gets_the_same_message_again(desk, hook, receiver, opened, state):
    at = hook()
    receiver.then(500, 200)
    opened("a", "b")
    desk.send()
    waiting, delivery = state(at)
    assert (waiting["active"], waiting["problem"]) == (True, "HTTP/1.1 500 Internal Server Error")
    assert (delivery["state"], delivery["status"], delivery["next_try_at"]) == (
        "waiting",
        500,
        waiting["next_try_at"],
    )
    desk.send(after=4)
    assert titles(receiver) == ["a"]
    desk.send(after=1)
    assert titles(receiver) == ["a", "a", "b"]
    assert receiver.received[0].message == receiver.received[1].message
    settled, last = state(at)
    assert (settled["failing_since"], settled["problem"], last["state"]) == (None, "", "delivered")


def test_a_receiver_that_is_down_for_an_hour_gets_everything_in_order(desk, hook, opened, ada):
    port = free_port()
    at = hook(url=f"http://127.0.0.1:{port}/hook")
    for minute in range(60):
        if minute % 10 == 0:
            opened(f"{minute}")
        desk.send(after=60)
        desk.restart()
    assert ada.get(at).item["failing_since"]
    with receiving(port=port) as receiver:
        desk.send(after=HOUR)
        assert titles(receiver) == ["0", "10", "20", "30", "40", "50"]
    first = ada.get(f"{at}/deliveries").items[-1]
    assert (first["state"], first["tries"]) == ("delivered", 6)


def test_the_pauses_are_those_that_are_promised(desk, hook, receiver, opened):
    hook()
    receiver.answer = lambda _request: 503
    opened("a")
    desk.send()
    pauses = (5, 30, 120, 600, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR)
    for pause in pauses:
        desk.send(after=pause - 1)
        before = len(receiver.received)
        desk.send(after=1)
        assert len(receiver.received) == before + 1


def test_after_five_days_of_failures_a_hook_is_turned_off_and_told(desk, hook, receiver, opened, state, ada):
    at = hook()
    receiver.answer = lambda _request: 503
    opened("a")
    for _ in range(6 * 24):
        desk.send(after=HOUR)
    turned_off, delivery = state(at)
    assert turned_off["active"] is False
    assert turned_off["problem"].startswith("Turned off after five days of failures")
    assert delivery["state"] == "failed"
    assert [sentence for sentence, _ in desk.said if "Turned off after five days" in sentence]
    receiver.answer = lambda _request: 200
    ada.put(at, {"hook": {"active": True}})
    desk.send()
    assert state(at)[1]["state"] == "delivered"


def refusing(title, status=422):
    """Return the answers of a receiver that refuses one ticket."""
    return lambda request: status if request.data["ticket"]["title"] == title else 200


@pytest.mark.parametrize("status", [301, 400, 401, 404, 409, 422, 500, 501])
def test_an_event_that_is_refused_alone_holds_up_the_others_for_three_tries(
    desk, hook, receiver, opened, ada, status
):
    at = hook()
    receiver.answer = refusing("a", status)
    opened("a", "b", "c")
    for seconds in (0, 5, 30):
        desk.send(after=seconds)
    assert titles(receiver) == ["a", "a", "a", "b", "c"]
    assert ada.get(at).item["failing_since"] is None
    *_, refused = ada.get(f"{at}/deliveries").items
    assert (refused["state"], refused["tries"]) == ("waiting", 3)
    receiver.answer = lambda _request: 200
    desk.restart()
    desk.send(after=119)
    desk.send(after=1)
    assert titles(receiver)[5:] == ["a"]
    *_, taken = ada.get(f"{at}/deliveries").items
    assert (taken["state"], taken["tries"], taken["next_try_at"]) == ("delivered", 4, None)


@pytest.mark.parametrize("status", [302, 401, 404, 429, 500, 503])
def test_a_receiver_that_refuses_everything_for_hours_gets_everything_in_order(
    desk, hook, receiver, opened, ada, status
):
    at = hook()
    receiver.answer = lambda _request: status
    for hour in "abcdef":
        opened(hour)
        for _ in range(20):
            desk.send(after=180)
    assert set(titles(receiver)) == {"a", "b"} if status not in (429, 503) else {"a"}
    tried = len(receiver.received)
    assert tried <= 20
    receiver.answer = lambda _request: 200
    desk.restart()
    desk.send(after=6 * HOUR)
    assert titles(receiver)[tried:] == list("abcdef")
    assert {delivery["state"] for delivery in ada.get(f"{at}/deliveries").items} == {"delivered"}


def test_an_event_that_was_refused_is_passed_as_soon_as_another_one_is_taken(desk, hook, receiver, opened):
    hook()
    receiver.answer = refusing("a")
    opened("a")
    for _ in range(10):
        desk.send(after=HOUR)
    tried = len(receiver.received)
    opened("b")
    desk.send(after=1)
    assert titles(receiver)[tried:] == ["a", "b"]


def test_an_event_that_is_refused_for_too_long_is_given_up_and_can_be_sent_again(
    ada, desk, hook, receiver, opened
):
    at = hook()
    receiver.answer = refusing("a", 400)
    opened("a", "b")
    for _ in range(5 * 24):
        desk.send(after=HOUR)
    *_, failed = ada.get(f"{at}/deliveries").items
    assert (failed["state"], failed["tries"], ada.get(at).item["active"]) == ("failed", 11, True)
    receiver.answer = lambda _request: 200
    assert ada.post(f"{at}/redeliver", {"since": "2026-01-01T00:00:00Z"}).item["count"] == 1
    desk.send()
    *_, again = ada.get(f"{at}/deliveries").items
    assert (again["state"], again["tries"]) == ("delivered", 12)
    assert len({request.message for request in receiver.received}) == 2


def test_an_event_that_is_refused_alone_after_a_long_outage_is_tried_again(ada, desk, hook, receiver, opened):
    at = hook()
    opened("a", "b")
    receiver.answer = lambda _request: 503
    for hours in (0, 1, 1, 1, 1, 1, 3, 6):
        desk.send(after=hours * HOUR)
    receiver.answer = refusing("a")
    for hours in (12, 24, 48):
        desk.send(after=hours * HOUR)
    taken, refused = ada.get(f"{at}/deliveries").items
    assert (taken["state"], refused["state"], refused["tries"]) == ("delivered", "waiting", 11)
    receiver.answer = lambda _request: 200
    desk.send(after=48 * HOUR)
    assert ada.get(f"{at}/deliveries/{refused['id']}").item["state"] == "delivered"


def test_an_event_that_waits_alone_stays_while_its_hook_is_off(ada, desk, hook, receiver, opened):
    at = hook()
    receiver.answer = refusing("a")
    opened("a", "b")
    for seconds in (0, 5, 30):
        desk.send(after=seconds)
    ada.put(at, {"hook": {"active": False}})
    desk.send(after=HOUR)
    assert titles(receiver).count("a") == 3
    ada.put(at, {"hook": {"active": True}})
    receiver.answer = lambda _request: 200
    desk.send()
    assert titles(receiver).count("a") == 4


def test_a_requested_redelivery_does_not_end_the_schedule_of_an_event(ada, desk, hook, receiver, opened):
    at = hook()
    receiver.answer = refusing("a")
    opened("a", "b")
    for seconds in (0, 5, 30):
        desk.send(after=seconds)
    *_, refused = ada.get(f"{at}/deliveries").items
    ada.post(f"{at}/deliveries/{refused['id']}/redeliver")
    desk.send()
    after = ada.get(f"{at}/deliveries/{refused['id']}").item
    assert (after["state"], after["tries"], bool(after["next_try_at"])) == ("waiting", 4, True)


def test_a_receiver_that_is_gone_turns_its_hook_off(desk, hook, receiver, opened, state):
    at = hook()
    receiver.answer = lambda _request: 410
    opened("a", "b")
    desk.send()
    desk.send(after=DAY)
    assert titles(receiver) == ["a"]
    assert (state(at)[0]["active"], state(at)[0]["problem"]) == (
        False,
        "Turned off: the receiver answered 410 Gone",
    )


def test_a_redelivery_that_arrives_leaves_a_hook_off_that_was_turned_off(
    ada, desk, hook, receiver, opened, state
):
    at = hook()
    receiver.then(410, 200)
    opened("a")
    desk.send()
    ada.post(f"{at}/deliveries/{state(at)[1]['id']}/redeliver")
    desk.send()
    turned_off, delivery = state(at)
    assert (turned_off["active"], delivery["state"]) == (False, "delivered")
    assert turned_off["problem"] == "Turned off: the receiver answered 410 Gone"


def test_redeliveries_end_at_the_first_one_that_reaches_nobody(ada, desk, hook, opened):
    port = free_port()
    at = hook(url=f"http://127.0.0.1:{port}/hook")
    opened("a", "b")
    with receiving(port=port):
        desk.send()
    for delivery in reversed(ada.get(f"{at}/deliveries").items):
        ada.post(f"{at}/deliveries/{delivery['id']}/redeliver")
    desk.send()
    later, earlier = ada.get(f"{at}/deliveries").items
    assert [(each["state"], each["tries"]) for each in (earlier, later)] == [("failed", 2), ("failed", 1)]
    with receiving(port=port) as receiver:
        desk.send(after=DAY)
        assert receiver.received == []


@pytest.fixture
def post(world, ada, ben, monkeypatch):
    verify(world, ada, ben)
    with mail_server.running() as server:
        post = Post(world, server)
        monkeypatch.setattr(world.database, "mail", post.settings)
        yield post


def test_the_owner_of_a_hook_that_is_turned_off_is_told_by_mail(ada, post, desk, hook, receiver, opened):
    path = hook()
    ada.put(path, {"hook": {"note": "Chat of the crew"}})
    receiver.answer = lambda _request: 410
    opened("a")
    desk.send()
    ((recipients, told),) = post.deliver()
    assert (recipients, told["subject"]) == ([ada.email], "A hook was turned off")
    text = " ".join(told.get_body(("plain",)).get_content().split())
    assert re.search(
        r"Chat of the crew http://127\.0\.0\.1:\d+/\S*: Turned off: the receiver answered 410", text
    )
    assert f"Open the hook: {mail_server.BASE}{path}" in text


def test_administrators_are_told_of_the_hook_of_somebody_who_has_left(
    ada, ben, post, desk, hook, receiver, opened
):
    project = hook(ben).partition("/hooks")[0]
    members = ada.get(f"{project}/memberships").items
    (at,) = [each["id"] for each in members if each["user_id"] == ben.user_id]
    ada.delete(f"{project}/memberships/{at}")
    receiver.answer = lambda _request: 410
    opened("a")
    desk.send()
    assert [recipients for recipients, _ in post.deliver()] == [[ada.email]]


def test_a_slow_receiver_is_given_up_and_holds_up_nobody(desk, hook, receiver, opened, state, monkeypatch):
    # The other one has as long.
    monkeypatch.setattr(deliveries, "SECONDS", 2)
    with receiving() as slow:
        enough = Event()
        slow.answer = lambda _request: enough.wait(PATIENCE) and 200
        at = hook(url=slow.url)
        hook()
        opened("a", "b")
        desk.send()
        enough.set()
        assert titles(receiver) == ["a", "b"]
        assert state(at)[0]["problem"] == "No answer within 2 seconds"


def test_only_the_beginning_of_a_huge_answer_is_read(desk, hook, receiver, opened, state):
    at = hook()
    receiver.answer = lambda _request: (200, b"x" * 50_000_000)
    opened("a", "b")
    desk.send()
    assert titles(receiver) == ["a", "b"]
    assert len(state(at)[1]["answer"]) <= deliveries.KEPT


def test_redirects_are_not_followed(desk, hook, receiver, opened, state):
    at = hook()
    with receiving() as elsewhere:
        receiver.headers = {"Location": elsewhere.url}
        receiver.answer = lambda _request: 302
        opened("a")
        desk.send()
        assert elsewhere.received == []
    assert state(at)[1]["status"] == 302


def test_an_event_that_cannot_be_built_is_set_aside_and_reported(
    desk, hook, receiver, opened, state, monkeypatch
):
    at, make = hook(), payloads.event

    def fail(transaction, project_id, named):
        if named.event.subject_id == "1":
            raise ZeroDivisionError
        return make(transaction, project_id, named)

    monkeypatch.setattr(payloads, "event", fail)
    opened("a", "b")
    for _ in range(60):
        desk.send(after=60)
    assert titles(receiver) == ["b"]
    assert [error for sentence, error in desk.said if "is set aside" in sentence] == [ZeroDivisionError]
    assert state(at)[0]["active"] is True


def test_a_receiver_that_crashes_our_client_delays_only_that_event(
    desk, hook, receiver, opened, state, monkeypatch
):
    at, send = hook(), Transport.handle_async_request

    async def fail(transport, request):
        if b'"title":"a"' in request.content:
            raise ZeroDivisionError
        return await send(transport, request)

    monkeypatch.setattr(Transport, "handle_async_request", fail)
    opened("a", "b")
    for _ in range(60):
        desk.send(after=60)
    assert titles(receiver) == ["b"]
    told = [error for sentence, error in desk.said if "could not be sent" in sentence]
    assert told == [ZeroDivisionError] * 5
    assert state(at)[0]["active"] is True


# --- Addresses -------------------------------------------------------------------------------------


def resolving(desk, *answers):
    """Let names be looked up as a test says, and return the questions."""
    asked, left = [], list(answers)

    async def resolve(host, _port):
        asked.append(host)
        return [ip_address(each) for each in (left.pop(0) if len(left) > 1 else left[0])]

    desk.options["resolve"] = resolve
    desk.restart()
    return asked


def test_a_name_is_looked_up_once_and_connected_to_where_that_led(desk, hook, receiver, opened):
    asked = resolving(desk, ["127.0.0.1"], ["127.0.0.9"])
    hook(url=f"http://receiver.example:{receiver.port}/hook")
    opened("a")
    desk.send()
    assert asked == ["receiver.example"]
    assert receiver.received[0].headers["host"] == f"receiver.example:{receiver.port}"


@pytest.mark.parametrize(
    "addresses",
    [
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["::1"],
        ["::ffff:10.0.0.1"],
        ["64:ff9b::a9fe:a9fe"],
        ["fe80::1"],
        ["0.0.0.0"],  # noqa: S104 - no server here listens
        ["224.0.0.1"],
        ["93.184.215.14", "192.168.0.1"],
    ],
)
def test_a_name_that_leads_to_a_forbidden_address_is_not_connected_to(desk, hook, opened, state, addresses):
    desk.allowed = ()
    resolving(desk, addresses)
    at = hook(url="https://receiver.example/hook")
    opened("a")
    desk.send()
    assert state(at)[0]["problem"] == "receiver.example is not a public address"


@pytest.mark.parametrize("first", ["127.0.0.2", "::1", "127.0.0.1"])
def test_the_next_address_is_tried_if_one_does_not_respond(desk, hook, receiver, opened, first):
    desk.allowed = (*LOOPBACK, ip_network("::1/128"))
    resolving(desk, [first, "127.0.0.1", "127.0.0.3"])
    hook(url=f"http://receiver.example:{receiver.port}/hook")
    opened("a")
    desk.send()
    assert titles(receiver) == ["a"]


def test_each_of_several_addresses_is_checked_before_any_is_tried(desk, hook, receiver, opened, state):
    resolving(desk, ["127.0.0.1", "10.0.0.1"])
    at = hook(url=f"http://receiver.example:{receiver.port}/hook")
    opened("a")
    desk.send()
    assert (receiver.received, state(at)[0]["problem"]) == ([], "receiver.example is not a public address")


def unknown_host(_host, _port):
    raise socket.gaierror(-2, "Name or service not known")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "The connection was refused"),
        (b"bytes that are no HTTP\r\n\r\n", "The receiver gave no valid HTTP response"),
        (b"", "The receiver gave no valid HTTP response"),
    ],
)
def test_failures_are_reported_in_words(desk, hook, opened, state, answer, sentence):
    port = free_port()
    if answer is not None:
        server = socket.create_server(("127.0.0.1", port))
        Thread(target=answering, args=(server, answer), daemon=True).start()
    at = hook(url=f"http://127.0.0.1:{port}/hook")
    opened("a")
    desk.send()
    hooked, delivery = state(at)
    assert (hooked["problem"], delivery["answer"]) == (sentence, sentence)


@pytest.mark.parametrize("head", [b"Content-Length: 50", b"Transfer-Encoding: chunked"])
def test_a_status_counts_if_the_connection_breaks_within_the_body(desk, hook, opened, state, head):
    port = free_port()
    server = socket.create_server(("127.0.0.1", port))
    answer = b"HTTP/1.1 200 OK\r\n%s\r\n\r\n5\r\nhello" % head
    Thread(target=answering, args=(server, answer), daemon=True).start()
    at = hook(url=f"http://127.0.0.1:{port}/hook")
    opened("a")
    desk.send()
    hooked, delivery = state(at)
    assert (hooked["problem"], delivery["status"], delivery["next_try_at"]) == ("", 200, None)
    assert delivery["answer"].endswith("hello")


def answering(server, answer):
    with server:
        connection, _ = server.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(answer)


def test_a_missing_host_is_reported_with_a_sentence(desk, hook, opened, state):
    desk.options["resolve"] = unknown_host
    desk.restart()
    at = hook(url="https://receiver.example/hook")
    opened("a")
    desk.send()
    assert state(at)[0]["problem"] == "The host name was not found"


def test_http_is_used_in_networks_that_the_settings_name_alone(desk, hook, opened, state):
    resolving(desk, ["93.184.215.14"])
    at = hook(url="http://receiver.example/hook")
    opened("a")
    desk.send()
    assert state(at)[0]["problem"] == "Only https is allowed outside the networks in SKERRY_HOOKS_ALLOW"


@pytest.fixture
def authority():
    return trustme.CA()


def trusting(desk, authority):
    def verify():
        context = ssl.create_default_context()
        authority.configure_trust(context)
        return context

    desk.options["verify"] = verify


def test_tls_is_checked_against_the_name_and_not_the_address(desk, hook, opened, authority):
    trusting(desk, authority)
    resolving(desk, ["127.0.0.1"])
    with receiving(certified(authority, "receiver.example")) as receiver:
        hook(url=f"https://receiver.example:{receiver.port}/hook")
        opened("a", "b")
        desk.send()
        assert titles(receiver) == ["a", "b"]


@pytest.mark.parametrize("names", [["other.example"], []])
def test_a_receiver_with_an_invalid_certificate_gets_nothing(desk, hook, opened, state, authority, names):
    if names:
        trusting(desk, authority)
    resolving(desk, ["127.0.0.1"])
    with receiving(certified(authority, *(names or ["receiver.example"]))) as receiver:
        at = hook(url=f"https://receiver.example:{receiver.port}/hook")
        opened("a")
        desk.send()
        assert receiver.received == []
    assert "certificate verify failed" in state(at)[0]["problem"]


def test_proxy_settings_of_the_environment_are_ignored(desk, hook, receiver, opened, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    hook()
    opened("a")
    desk.send()
    assert titles(receiver) == ["a"]


def test_an_event_that_a_hook_may_no_longer_get_is_not_redelivered(ada, roof, desk, hook, receiver):
    at = hook(events=["bin.created"])
    view = {"name": "Wet", "query": "tagged:wet", "shared": True}
    made = ada.post(f"/projects/{roof}/bins", {"ticket_bin": view}).item["id"]
    desk.send()
    ada.put(f"/projects/{roof}/bins/{made}", {"ticket_bin": {"shared": False}})
    desk.restart()
    ada.post(f"{at}/deliveries/1/redeliver")
    desk.send()
    (delivery,) = ada.get(f"{at}/deliveries").items
    assert (len(receiver.received), delivery["state"]) == (1, "failed")


def test_a_hook_that_selects_more_events_gets_none_from_long_ago(
    ada, desk, hook, receiver, opened, monkeypatch
):
    monkeypatch.setattr(worker, "RECORDED_SECONDS", 0)
    at = hook(events=["milestone.closed"])
    opened("a")
    desk.send()
    ada.put(at, {"hook": {"events": ["*"]}})
    desk.restart()
    opened("b")
    desk.send()
    assert titles(receiver) == ["b"]


def test_a_process_that_has_lost_the_account_records_nothing(ada, desk, hook, receiver, opened, world):
    at = hook()
    opened("Leak")
    with world.write() as transaction:
        transaction.sql(
            "UPDATE leases SET owner = 'another' WHERE account_id = ? RETURNING 1", [world.account_id]
        )
    desk.send()
    assert len(receiver.received) == 1
    assert ada.get(f"{at}/deliveries").items == []
    with world.write() as transaction:
        transaction.sql(
            "UPDATE leases SET owner = 'desk' WHERE account_id = ? RETURNING 1", [world.account_id]
        )
    desk.restart()
    desk.send()
    assert [each["status"] for each in ada.get(f"{at}/deliveries").items] == [204]


def test_every_attempt_is_listed_and_deliveries_are_found_by_what_happened(ada, desk, hook, receiver, opened):
    at = hook()
    receiver.then(503, 404, 200)
    opened("a", "b")
    for seconds in (0, 5, 30):
        desk.send(after=seconds)
    first = ada.get(f"{at}/deliveries?ticket=1").items
    assert [attempt["status"] for attempt in first[0]["attempts"]] == [503, 404, 200]
    assert [bool(attempt["problem"]) for attempt in first[0]["attempts"]] == [True, True, False]
    assert [
        delivery["ticket"] for delivery in ada.get(f"{at}/deliveries?status=200&state=delivered").items
    ] == [2, 1]
    assert ada.get(f"{at}/deliveries?type=ticket.updated").items == []
    assert ada.get(f"{at}/deliveries?state=eaten").status == 422
    assert ada.get(f"{at}/deliveries?ticket=x").status == 422
