"""The address of agents: who gets in, and what else is refused."""

import json

import pytest

pytestmark = pytest.mark.matrix("formats")

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def test_only_a_token_gets_in(world, ada, nobody, roof):
    for client in (nobody, world.client(**{"X-ServiceToken": "0" * 40})):
        assert (
            client.send("POST", "/mcp!", raw=json.dumps(HELLO).encode(), kind="application/json").status
            == 401
        )
    assert ada.get("/mcp!").status == 405


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
