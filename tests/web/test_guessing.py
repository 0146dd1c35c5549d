"""Limits on guessing passwords over HTTP, which do not affect other people."""

import io
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from skerry import app
from skerry.database.transactions import DAY
from skerry.settings import Settings
from skerry.store.auth.recent_sign_ins import NETWORKS
from skerry.tracker import secrets
from skerry.tracker.secrets import AT_ONCE
from skerry.web.auth import credentials
from skerry.web.log import Log
from tests.conftest import PASSWORD, build_world
from tests.support.browser_client import WebClient
from tests.support.client import basic, call, parse
from tests.support.processes import until

PROXY = "10.9.9.9"


class Clock:
    """A clock that tests put forward."""

    seconds = 1000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    kept = credentials.Credentials.__init__

    def with_clock(self, *counts):
        kept(self, *counts, clock)

    monkeypatch.setattr(credentials.Credentials, "__init__", with_clock)
    monkeypatch.setattr(
        credentials.PasswordCheck, "is_right", lambda _self, password, _stored: password == PASSWORD
    )
    monkeypatch.setattr(credentials.PasswordCheck, "remembers", lambda *_arguments: False)
    return clock


@pytest.fixture
def small(clock, data):
    """A world in an instance of its own, whose clock the test puts forward."""
    log = io.StringIO()
    settings = Settings(data=data, trusted_proxies=frozenset({PROXY}))
    instance = app.build(settings, Log(stream=log))
    yield build_world(instance, log)
    instance.database.close()
    assert "Traceback" not in log.getvalue()


def guess(world, email, password=None, address="10.0.0.1", path="/projects.json", **more):
    headers = {"Host": world.host, **basic(email, password or "wrong"), **more}
    return call(world.instance.application, "GET", path, headers=headers, address=address)


def test_repeated_failures_must_wait(small, clock):
    email = small.people["ada"].email
    assert {guess(small, email).status for _ in range(10)} == {401}
    answer = guess(small, email)
    assert (answer.status, answer.headers["retry-after"]) == (429, "61")
    assert parse(answer.body) == {"errors": ["Too many failed sign-ins; try again in 61 s"]}
    assert guess(small, email, PASSWORD).status == 429


def test_a_failed_sign_in_on_a_page_counts_once(small, clock):
    email = small.people["ada"].email
    assert [guess(small, email, path="/projects").status for _ in range(11)] == [401] * 10 + [429]


def test_after_the_wait_the_right_password_is_taken(small, clock):
    email = small.people["ada"].email
    for _ in range(11):
        guess(small, email)
    clock.seconds += float(guess(small, email).headers["retry-after"])
    assert guess(small, email, PASSWORD).status == 200


def test_failures_of_one_caller_do_not_lock_out_others(small, clock):
    ada, ben = small.people["ada"].email, small.people["ben"].email
    for _ in range(11):
        guess(small, ada)
    assert guess(small, ben, PASSWORD).status == 200
    assert guess(small, ada, PASSWORD, address="10.0.0.2").status == 200


def test_right_passwords_are_not_counted(small, clock):
    email = small.people["ada"].email
    assert {guess(small, email, PASSWORD).status for _ in range(60)} == {200}


def test_an_address_that_tries_many_logins_must_wait(small, clock):
    answers = [guess(small, f"who{number}@x.example").status for number in range(51)]
    assert (set(answers[:50]), answers[50]) == ({401}, 429)
    assert guess(small, "other@x.example", address="10.0.0.2").status == 401


def lock(world, email):
    """Fail from so many addresses that the login is locked for others."""
    for number in range(100):
        guess(world, email, address=f"10.0.2.{number // 10}")
    assert guess(world, email, PASSWORD, address="10.0.3.1").status == 429


def test_failures_elsewhere_do_not_lock_a_login_on_a_network_where_it_succeeded_recently(small, clock):
    email = small.people["ada"].email
    assert guess(small, email, PASSWORD).status == 200
    small.instance.last_used.write(small.database)
    lock(small, email)
    assert guess(small, email, PASSWORD).status == 200
    # From there it is guessed no faster than before.
    assert [guess(small, email).status for _ in range(11)] == [401] * 10 + [429]
    assert guess(small, email, PASSWORD).status == 429


def test_a_login_is_not_locked_where_a_page_signed_it_in(small, clock):
    email = small.people["ada"].email
    WebClient(small.instance.application, small.host).sign_in(email, PASSWORD)
    lock(small, email)
    assert guess(small, email, PASSWORD, address=small.host).status == 200


def test_only_the_login_that_succeeded_on_a_network_is_exempt_there(small, clock):
    ada, ben = small.people["ada"].email, small.people["ben"].email
    assert guess(small, ben, PASSWORD).status == 200
    small.instance.last_used.write(small.database)
    lock(small, ada)
    assert guess(small, ada, PASSWORD).status == 429


def test_a_network_is_forgotten_when_it_was_not_used_for_long(small, clock, monkeypatch):
    email, now = small.people["ada"].email, small.database.clock()
    assert guess(small, email, PASSWORD).status == 200
    small.instance.last_used.write(small.database)
    monkeypatch.setattr(small.database, "clock", lambda: now + NETWORKS.lifetime + DAY)
    lock(small, email)
    assert guess(small, email, PASSWORD).status == 429
    assert small.instance.clean_up() >= 1


def test_only_a_few_networks_are_kept_for_each_login(world, ben):
    networks = [f"10.0.0.{number}" for number in range(NETWORKS.most + 5)]
    with world.write() as transaction:
        for later, network in enumerate(networks):
            NETWORKS.use(transaction, ben.user_id, network, transaction.now + later)
        NETWORKS.use(transaction, ben.user_id, networks[0], transaction.now - 1)
        known = NETWORKS.known(transaction, ben.user_id)
    assert known == set(networks[5:])


def test_addresses_of_one_network_share_a_limit_of_guesses(small, clock):
    ada = small.people["ada"].email
    inside = [f"2001:db8:1:2::{number:x}" for number in range(1, 52)]
    assert [guess(small, ada, address=address).status for address in inside[:11]] == [401] * 10 + [429]
    assert guess(small, ada, PASSWORD, address="2001:db8:1:3::1").status == 200
    for number, address in enumerate(inside):
        answer = guess(small, f"who{number}@x.example", address=address)
    assert answer.status == 429
    old = [f"::ffff:10.0.1.{number}" for number in range(11)]
    assert {guess(small, "who@x.example", address=address).status for address in old} == {401}


@pytest.mark.parametrize("said", ["192.0.2.7:{}", "[2001:db8::7]:{}", "[2001:db8::{}]", "2001:db8::{}"])
def test_the_port_that_a_proxy_adds_does_not_make_another_guesser(small, clock, said):
    ada = small.people["ada"].email
    # What the client itself sends before that does not count either.
    named = [
        {"X-Forwarded-For": f"198.51.100.{port - 4000}, {said.format(port)}"} for port in range(4000, 4011)
    ]
    answers = [guess(small, ada, address=PROXY, **each) for each in named]
    assert [answer.status for answer in answers] == [401] * 10 + [429]


def test_tokens_are_not_slowed_down_by_guesses_of_passwords(small, clock):
    for number in range(60):
        guess(small, f"who{number}@x.example")
    headers = {"Host": small.host, **small.people["ada"].headers}
    answer = call(small.instance.application, "GET", "/projects.json", headers=headers, address="10.0.0.1")
    assert answer.status == 200


def test_passwords_that_are_sent_at_once_are_tried_a_few_at_a_time(small, clock, monkeypatch):
    busy, most, go = [], [], Event()

    def compare(_self, password, _stored):
        busy.append(password)
        most.append(len(busy))
        go.wait()
        busy.remove(password)
        return False

    monkeypatch.setattr(credentials.PasswordCheck, "is_right", compare)
    with ThreadPoolExecutor(60) as crowd:
        answers = [crowd.submit(guess, small, f"who{number}@x.example") for number in range(60)]
        until(lambda: len(busy) == AT_ONCE, "as many as may be tried at once to be tried")
        go.set()
        statuses = Counter(answer.result().status for answer in answers)
    assert max(most) == AT_ONCE
    assert 50 <= statuses[401] < 50 + AT_ONCE
    assert statuses[401] + statuses[429] == 60


def test_present_passwords_that_are_sent_at_once_are_no_more_tries(small, clock, monkeypatch):
    client = small.client(**basic(small.people["ada"].email, PASSWORD))
    monkeypatch.setattr(secrets, "is_password", lambda *_: False)
    # Who is signed in already needs no turn for that.
    monkeypatch.setattr(credentials.PasswordCheck, "remembers", lambda *_: True)

    def change(_number):
        draft = {"password": {"present": "wrong", "new": "a long new one"}}
        return client.put("/profile/password", draft).status

    with ThreadPoolExecutor(30) as crowd:
        assert Counter(crowd.map(change, range(30))) == {429: 20, 422: 10}


def test_right_present_passwords_are_no_failures(small, clock):
    client = small.client(**basic(small.people["ada"].email, PASSWORD))
    draft = {"password": {"present": PASSWORD, "new": PASSWORD}}
    assert {client.put("/profile/password", draft).status for _ in range(12)} == {200}
