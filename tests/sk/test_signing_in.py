"""Signing in to servers, and what is kept of it."""

import json
import sys
from functools import partial
from types import ModuleType

import pytest

from skerry.store.auth import tokens


def token_of(client):
    return client.headers["X-ServiceToken"]


@pytest.fixture
def kept(shell):
    """The file with the servers."""
    return shell.folder / "skerry" / "servers.json"


def test_a_token_is_kept_where_nobody_else_can_read_it(shell, server, ada, roof, kept):
    said = shell.good("login", server.address, read=f"{token_of(ada)}\n")
    assert said == f"Signed in to {server.address[7:]} as Ada; the token is in {kept}\n"
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert f"{roof}\tRoof" in shell.good("projects")
    assert shell.good("login", f" {server.address}/ ", read=f"{token_of(ada)}\n") == said


def test_a_wrong_token_is_not_kept(shell, server, kept):
    assert shell.bad("login", server.address, read="0000\n")[0] == 4
    assert shell.bad("login", server.address, read="") == (2, "There is no token on standard input")
    assert not kept.exists()


def test_one_of_several_servers_is_used(shell, server, original, ada):
    shell.good("login", server.address, read=token_of(ada))
    shell.good("login", original.url, read="T")
    first, second = server.address[7:], original.url[7:]
    rows = [line.split("\t") for line in shell.good("servers").splitlines()]
    assert rows == [[first, "Ada", ""], [second, "Ben Roe", "used"]]
    assert json.loads(shell.good("api", "GET", "/profile", "--server", first))["user"]["name"] == "Ada"
    assert json.loads(shell.good("servers", first, "--json"))[0]["used"]
    assert json.loads(shell.good("api", "GET", "/profile"))["user"]["name"] == "Ada"
    assert shell.bad("list", "--server", "nowhere") == (2, "There is no server nowhere; see: sk servers")


def test_a_refused_token_of_the_environment_is_named_because_it_wins_over_a_kept_one(
    shell, server, ada, roof
):
    shell.good("login", server.address, read=token_of(ada))
    shell.monkeypatch.setenv("SKERRY_TOKEN", "wrong")
    code, sentence = shell.bad("list")
    hint = f"set SKERRY_TOKEN to another one, or unset it and sign in with: sk login {server.address}"
    assert (code, sentence) == (4, f"The token is not valid here; {hint}")


@pytest.mark.parametrize("end", [tokens.revoke, partial(tokens.limit, end=1)], ids=["revoked", "expired"])
def test_a_kept_token_that_is_no_longer_valid_says_how_to_sign_in(shell, server, ada, roof, end):
    token = server.token(ada.user_id, note="laptop")
    shell.good("login", server.address, read=token)
    with server.write() as transaction:
        end(transaction, max(each.id for each in tokens.of_user(transaction, ada.user_id)))
    assert shell.bad("list") == (4, f"The token is not valid here; sign in with: sk login {server.address}")


def test_a_token_of_the_environment_goes_to_no_server_that_an_option_names(shell, server, monkeypatch, ada):
    monkeypatch.setenv("SKERRY_TOKEN", token_of(ada))
    assert shell.bad("api", "GET", "/profile", "--server", server.address)[0] == 4
    monkeypatch.setenv("SKERRY_URL", server.address)
    assert shell.good("api", "GET", "/profile")


def test_after_signing_out_commands_are_refused(shell, server, ada):
    shell.good("login", server.address, read=token_of(ada))
    assert f"revoke it at {server.address}/profile/tokens" in shell.good("logout")
    assert shell.bad("list")[0] == shell.bad("logout")[0] == 4


def test_a_keyring_has_the_token_where_there_is_one(shell, server, ada, kept, monkeypatch):
    ring, errors, secrets = ModuleType("keyring"), ModuleType("keyring.errors"), {}
    errors.KeyringError = RuntimeError
    ring.set_password = lambda *words: secrets.update({words[:2]: words[2]})
    ring.get_password = lambda *words: secrets.get(words)
    ring.delete_password = lambda *words: secrets.pop(words)
    monkeypatch.setitem(sys.modules, "keyring", ring)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    said = shell.good("login", server.address, read=token_of(ada))
    assert said.endswith("the token is in the keyring\n")
    assert token_of(ada) not in kept.read_text()
    assert json.loads(shell.good("api", "GET", "/profile"))["user"]["name"] == "Ada"
    shell.good("logout")
    assert not secrets


def test_a_damaged_file_is_named(shell, kept):
    kept.parent.mkdir()
    kept.write_text('{"servers": 3}')
    assert shell.bad("list") == (1, f"{kept} is damaged; remove it and sign in again")
