"""The address of agents: who gets in, and what else is refused."""

import json
import threading
from dataclasses import replace

import pytest

from skerry import app
from skerry.tracker.secrets import PasswordCheck
from skerry.web.log import Log
from tests.conftest import PASSWORD
from tests.support.client import basic

pytestmark = pytest.mark.matrix("formats")

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def test_only_a_token_gets_in(world, ada, nobody, roof):
    by_password = world.client(**basic(ada.email, PASSWORD))
    assert by_password.get("/profile").status == 200
    for client in (nobody, world.client(**{"X-ServiceToken": "0" * 40}), by_password):
        assert (
            client.send("POST", "/mcp!", raw=json.dumps(HELLO).encode(), kind="application/json").status
            == 401
        )
    assert ada.get("/mcp!").status == 405


def test_a_wrong_password_is_compared_on_the_thread_for_that(world, ada, monkeypatch):
    threads, client = [], world.client(**basic(ada.email, "not the password"))

    def compare(*_):
        threads.append(threading.current_thread().name.rstrip("0123456789"))

    monkeypatch.setattr(PasswordCheck, "is_right", compare)
    assert client.get("/profile").status == 401
    refused = client.send("POST", "/mcp!", raw=json.dumps(HELLO).encode(), kind="application/json")
    assert (refused.status, len(threads), len(set(threads))) == (401, 2, 1)


def test_a_page_of_another_site_gets_nothing(ada, roof):
    raw = json.dumps(HELLO).encode()
    sent = ada.send("POST", "/mcp!", raw=raw, kind="application/json", Origin="https://evil.example")
    assert sent.status == 403


def test_a_message_that_is_none_is_refused(ada, roof):
    for raw, kind, status in (
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"x=1", "text/plain", 415),
        (b" " * (1 << 20) + b"{}", "application/json", 413),
    ):
        answer = ada.send("POST", "/mcp!", raw=raw, kind=kind, Accept="application/json")
        assert answer.status == status, (raw[:10], answer.body)


def test_a_server_that_only_shows_what_it_has_offers_and_does_nothing_else(
    instance_and_log, agent, ada, roof
):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "It leaks"}})
    instance, log = instance_and_log
    settings = replace(instance.settings, read_only=True)
    with app.build(settings, Log(stream=log)) as museum:
        tools = agent.at(museum).tools()
        assert "create_ticket" not in tools
        assert agent.data("read_ticket", project=str(roof), number=1)["title"] == "It leaks"
        agent.refusal("comment_on_ticket", project=str(roof), number=1, body="Mended")
    assert ada.get(f"/projects/{roof}/tickets/1").item["version"] == 1
