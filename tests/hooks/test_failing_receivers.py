"""Receivers that are slow, dead, wrong or hostile: nothing is lost, and others are not held up."""

import ssl
from ipaddress import ip_address
from threading import Event

import pytest
import trustme

from skerry.hooks import deliveries, payloads, schedule, worker
from skerry.hooks.transport import Transport
from tests.mail.mails import verify
from tests.support import mail_server
from tests.support.mail_server import Post
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
    with receiving() as receiver:
        at = hook(url=receiver.url)
        port = receiver.port
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


def test_an_event_that_is_refused_is_set_aside_after_ten_tries_within_an_hour(
    desk, hook, receiver, opened, state
):
    at = hook()
    receiver.answer = lambda request: 422 if request.data["ticket"]["title"] == "a" else 200
    opened("a", "b")
    for _ in range(60):
        desk.send(after=60)
    assert titles(receiver) == ["a"] * 10 + ["b"]
    assert state(at)[1]["event_type"] == "ticket.created"


def test_what_was_set_aside_is_sent_again_when_somebody_asks(ada, desk, hook, receiver, opened):
    at = hook()
    receiver.answer = lambda _request: 400
    opened("a")
    for _ in range(60):
        desk.send(after=60)
    (failed,) = ada.get(f"{at}/deliveries").items
    assert (failed["state"], failed["tries"]) == ("failed", 10)
    receiver.answer = lambda _request: 200
    assert ada.post(f"{at}/redeliver", {"since": "2026-01-01T00:00:00Z"}).item["count"] == 1
    desk.send()
    (again,) = ada.get(f"{at}/deliveries").items
    assert (again["state"], again["tries"]) == ("delivered", 11)
    assert len({request.message for request in receiver.received}) == 1
    ada.post(f"{at}/deliveries/{again['id']}/redeliver")
    desk.send()
    assert ada.get(f"{at}/deliveries").items[0]["tries"] == 12


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


@pytest.fixture
def post(world, ada, ben, monkeypatch):
    verify(world, ada, ben)
    with mail_server.running() as server:
        post = Post(world, server)
        monkeypatch.setattr(world.database, "mail", post.settings)
        yield post


def test_the_owner_of_a_hook_that_is_turned_off_is_told_by_mail(ada, post, desk, hook, receiver, opened):
    hook()
    receiver.answer = lambda _request: 410
    opened("a")
    desk.send()
    ((recipients, told),) = post.deliver()
    assert (recipients, told["subject"]) == ([ada.email], "A hook was turned off")
    assert "127.0.0.1: Turned off: the receiver answered 410 Gone" in told.get_body(("plain",)).get_content()


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
    monkeypatch.setattr(deliveries, "SECONDS", 0.3)
    with receiving() as slow:
        enough = Event()
        slow.answer = lambda _request: enough.wait(20) and 200
        at = hook(url=slow.url)
        hook()
        opened("a", "b")
        desk.send()
        enough.set()
        assert titles(receiver) == ["a", "b"]
        assert state(at)[0]["problem"] == "No answer within 0.3 seconds"


def test_of_a_huge_answer_only_the_beginning_is_read(desk, hook, receiver, opened, state):
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


def test_an_event_that_we_cannot_make_is_set_aside_told_and_others_go_on(
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


def test_a_receiver_that_breaks_our_client_is_treated_as_one_that_refuses(
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
    assert told == [ZeroDivisionError] * 10
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
    led = ip_address(addresses[-1])
    assert state(at)[0]["problem"] == f"receiver.example leads to {led}, which is not a public address"


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
def test_a_receiver_with_a_wrong_certificate_gets_nothing(desk, hook, opened, state, authority, names):
    if names:
        trusting(desk, authority)
    resolving(desk, ["127.0.0.1"])
    with receiving(certified(authority, *(names or ["receiver.example"]))) as receiver:
        at = hook(url=f"https://receiver.example:{receiver.port}/hook")
        opened("a")
        desk.send()
        assert receiver.received == []
    assert "certificate verify failed" in state(at)[0]["problem"]


def test_settings_of_proxies_are_not_heeded(desk, hook, receiver, opened, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    hook()
    opened("a")
    desk.send()
    assert titles(receiver) == ["a"]


def test_what_a_hook_may_not_have_any_more_is_not_sent_again(ada, roof, desk, hook, receiver):
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


def test_a_hook_that_wants_more_gets_nothing_of_what_happened_long_before(
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
