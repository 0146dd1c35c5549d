"""Cross-origin requests: off by default, settable."""

import json
import re

import pytest

from skerry import app
from skerry.settings import Settings
from tests.conftest import build_world
from tests.support.client import FORM

ORIGIN = "https://tools.example"


@pytest.fixture
def open_world(instance_and_log, tmp_path):
    instance, log = instance_and_log
    settings = Settings(
        data=tmp_path, database_url=instance.settings.database, cors_origins=frozenset({ORIGIN})
    )
    with app.build(settings) as built:
        yield build_world(built, log)


def test_no_page_of_another_origin_may_read_an_answer_by_default(ada):
    answer = ada.get("/projects", Origin=ORIGIN)
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_an_allowed_origin_may_read_answers_and_their_headers(open_world):
    answer = open_world.people["ada"].get("/projects", Origin=ORIGIN)
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "X-Total-Count" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-credentials" not in answer.headers


def test_a_page_of_an_allowed_origin_sends_and_reads_every_header_of_the_interface(open_world):
    ada = open_world.people["ada"]
    described = json.loads(ada.get("/openapi.json").body)
    places = [json.dumps(each) for each in (described["paths"], described["components"]["responses"])]
    read = {"x-ignored-fields", "x-ratelimit-remaining", "x-request-id"}
    for place in places:
        for headers in re.findall(r'"headers": ({(?:[^{}]|{[^{}]*})*})', place):
            read |= {name.lower() for name in json.loads(headers)}
    parameters = described["components"]["parameters"].values()
    sent = {"if-unmodified-since"} | {each["name"].lower() for each in parameters if each["in"] == "header"}
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "PUT"}
    answer = ada.send("OPTIONS", "/projects", **asked)
    assert sent - set(answer.headers["access-control-allow-headers"].lower().split(", ")) == set()
    assert read - set(answer.headers["access-control-expose-headers"].lower().split(", ")) == set()


@pytest.mark.parametrize("path", ["/projects", "/nowhere", "/static/icon.svg!", "/projects!"])
def test_responses_vary_by_origin_if_origins_are_allowed(open_world, path):
    for origin in (ORIGIN, "https://evil.example"):
        vary = open_world.people["ada"].get(path, Origin=origin).headers["vary"].split(", ")
        assert {"Origin", "Accept-Encoding"} <= set(vary)


def test_an_origin_that_is_not_named_may_not(open_world):
    answer = open_world.people["ada"].get("/projects", Origin="https://evil.example")
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(("origin", "status"), [(ORIGIN, 201), ("https://evil.example", 403)])
def test_a_program_in_a_page_of_an_allowed_origin_may_change_something(open_world, origin, status):
    sent = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
    ada = open_world.people["ada"]
    assert ada.post("/projects", {"project": {"name": "Roof"}}, **sent).status == status


def test_only_our_own_pages_may_send_a_form_of_the_site(open_world):
    sent = {"raw": b"project[name]=Roof", "kind": FORM, "Accept": "text/html", "Origin": ORIGIN}
    ada = open_world.people["ada"]
    assert ada.send("POST", "/projects!", **sent).status == 403
    assert ada.get("/projects").items == []


def test_a_program_in_any_page_may_where_all_origins_are_allowed(instance_and_log, tmp_path):
    instance, log = instance_and_log
    settings = Settings(data=tmp_path, database_url=instance.settings.database, cors_origins=frozenset({"*"}))
    with app.build(settings) as built:
        ada = build_world(built, log).people["ada"]
        assert ada.post("/projects", {"project": {"name": "Roof"}}, Origin=ORIGIN).status == 201


def test_a_preflight_is_answered_without_credentials(open_world):
    answer = open_world.people["nobody"].send(
        "OPTIONS", "/projects", Origin=ORIGIN, Access_Control_Request_Method="POST"
    )
    assert answer.status == 204
    assert "X-ServiceToken" in answer.headers["access-control-allow-headers"]


def test_a_preflight_from_elsewhere_allows_nothing(open_world):
    answer = open_world.people["nobody"].send(
        "OPTIONS", "/projects", Origin="https://evil.example", Access_Control_Request_Method="POST"
    )
    assert not [name for name in answer.headers if name.startswith("access-control")]
