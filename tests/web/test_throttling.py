"""The rate limit of each caller."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry import app
from skerry.errors import TooManyRequests
from skerry.settings import Settings
from skerry.web.auth.authentication import Throttle
from skerry.web.counts import Counts
from skerry.web.log import Log
from skerry.web.middleware import ALLOWANCE
from tests.conftest import build_world
from tests.support.client import call


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture(params=["xml", "json"])
def slow(request, data):
    """An instance in which everybody may ask three times a minute."""
    settings = Settings(data=data, requests_per_minute=3, durability="normal")
    with app.build(settings, Log(stream=io.StringIO())) as instance:
        yield build_world(instance, None, request.param)


def test_every_answer_says_what_is_left_and_the_fourth_that_it_is_too_much(slow):
    ada = slow.people["ada"]
    answers = [ada.get("/projects"), ada.post("/projects", {"project": {"name": ""}}), ada.get("/projects/9")]
    assert [answer.status for answer in answers] == [200, 422, 404]
    assert [answer.headers["x-ratelimit-remaining"] for answer in answers] == ["2", "1", "0"]
    assert {answer.headers["x-ratelimit-limit"] for answer in answers} == {"3"}
    refused = ada.get("/projects")
    assert refused.status == 429
    wait = int(refused.headers["retry-after"])
    assert refused.headers["x-rate-limit-retry-after"] == str(wait)
    assert refused.errors == [f"Too many requests (at most 3 a minute); try again in {wait} s"]
    assert 1 <= wait <= 20
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert 40 <= int(refused.headers["x-ratelimit-reset"]) <= 60


def test_texts_that_are_only_shown_count_as_well(slow):
    ada = slow.people["ada"]
    roof = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    shown = [ada.post(f"/projects/{roof}/preview", {"preview": {"body": "x" * 5000}}) for _ in range(3)]
    assert [answer.status for answer in shown] == [200, 200, 429]


def test_a_304_counts_as_a_request_too(slow):
    ada = slow.people["ada"]
    etag = ada.get("/projects").headers["etag"]
    answers = [ada.get("/projects", If_None_Match=etag) for _ in range(3)]
    assert [answer.status for answer in answers] == [304, 304, 429]
    assert [answer.headers["x-ratelimit-remaining"] for answer in answers] == ["1", "0", "0"]
    assert answers[2].errors[0].startswith("Too many requests (at most 3 a minute); try again in ")


def test_a_page_that_says_what_is_wrong_counts_once(slow):
    ada = slow.people["ada"]
    pages = [ada.get(path, Accept="text/html") for path in ("/projects/9!", "/projects/x!", "/nowhere!")]
    assert [page.status for page in pages] == [404, 404, 404]
    assert [page.headers["x-ratelimit-remaining"] for page in pages] == ["2", "1", "0"]
    refused = ada.get("/projects/9!", Accept="text/html", Accept_Language="de")
    assert f"bitte in {refused.headers['retry-after']} s noch einmal" in refused.body.decode()


def test_anonymous_callers_are_told_apart_by_network(slow):
    def status(address):
        headers = {"Host": slow.host}
        return call(slow.instance.application, "GET", "/projects", headers=headers, address=address).status

    assert [status(f"2001:db8::{number}") == 429 for number in range(4)] == [False, False, False, True]
    assert status("2001:db8:0:1::") != 429


def test_invented_tokens_are_counted_by_network(slow):
    made_up = [slow.client(**{"X-ServiceToken": f"{number:040}"}) for number in range(4)]
    assert [client.get("/projects").status for client in made_up] == [401, 401, 401, 429]
    assert slow.people["ada"].get("/projects").status == 200


def test_callers_have_separate_allowances(slow):
    for _ in range(4):
        slow.people["ada"].get("/projects")
    assert slow.people["ben"].get("/projects").status == 200
    assert (
        slow.client(**{"X-ServiceToken": slow.token(slow.people["ada"].user_id)}).get("/projects").status
        == 200
    )


def test_a_token_does_not_use_up_what_another_one_of_the_same_person_has_in_another_account(slow):
    ada, other = slow.people["ada"].user_id, build_world(slow.instance, None)
    # Both are the fourth token of their account.
    here = slow.client(**{"X-ServiceToken": slow.token(ada)})
    there = other.client(**{"X-ServiceToken": other.token(ada)})
    assert [here.get("/projects").status for _ in range(4)] == [200, 200, 200, 429]
    assert there.get("/projects").status == 200


def test_anonymous_requests_are_counted_by_address(slow):
    assert [slow.people["nobody"].get("/projects").status for _ in range(4)] == [401, 401, 401, 429]


def test_a_program_has_no_second_allowance(slow):
    ada = slow.people["ada"]
    assert [ada.get("/projects", Purpose="prefetch").status for _ in range(4)] == [200, 200, 200, 429]


def test_a_different_way_to_send_a_token_is_the_same_token(slow):
    ada = slow.people["ada"]
    bearer = ada.speaking(Authorization=f"Bearer {ada.headers['X-ServiceToken']}")
    assert [client.get("/projects").status for client in (ada, bearer, ada, bearer)] == [200, 200, 200, 429]


def test_without_the_setting_there_are_no_such_headers(ada):
    assert not [name for name in ada.get("/projects").headers if name.startswith("x-ratelimit")]


def test_after_the_time_that_was_named_a_request_is_let_through():
    clock = Clock()
    throttle = Throttle(2, Counts(8), clock)
    throttle.count({}, "ada")
    throttle.count({}, "ada")
    with pytest.raises(TooManyRequests) as refused:
        throttle.count({}, "ada")
    clock.now += refused.value.retry_after
    throttle.count({}, "ada")
    clock.now += 3600
    environment = {}
    throttle.count(environment, "ada")
    assert environment[ALLOWANCE][1:] == (("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "30"))


@given(st.integers(1, 50), st.lists(st.floats(0, 30), max_size=200))
@settings(deadline=None)
def test_nobody_gets_more_than_two_minutes_worth_in_a_minute(allowed, pauses):
    clock, through = Clock(), []
    throttle = Throttle(allowed, Counts(8), clock)
    for pause in pauses:
        clock.now += pause
        try:
            throttle.count({}, "ada")
        except TooManyRequests:
            continue
        through.append(clock.now)
    for timestamp in through:
        assert sum(timestamp <= other <= timestamp + 60 for other in through) <= 2 * allowed


def test_each_change_counts_for_the_token_that_it_comes_with(slow):
    ada, nobody = slow.people["ada"], slow.people["nobody"]
    home = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    other = slow.token(ada.user_id)
    path, ticket = f"/projects/{home}/tickets?_token=", {"ticket": {"title": "Leak"}}
    keys = [ada.headers["X-ServiceToken"], ada.headers["X-ServiceToken"], other, other, other, other]
    answers = [nobody.post(f"{path}{key}", ticket) for key in keys]
    assert [answer.headers["x-ratelimit-remaining"] for answer in answers] == ["1", "0", "2", "1", "0", "0"]
    assert [answer.status for answer in answers] == [201] * 5 + [429]
