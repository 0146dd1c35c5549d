"""Logins on the command line: disabled and enabled, on the whole server or in one account."""

import io
import sqlite3
import sys
from contextlib import closing

import pytest

from tests.cli.terminal import status, with_token
from tests.support import loops, own_provider
from tests.support.client import basic
from tests.support.processes import free_port

ADA = basic("ada@example.org", "correct horse")


def test_user_disable_stops_a_login_on_the_whole_server_until_it_is_enabled(terminal):
    token = terminal.good("token", "add", "--email", "ada@example.org")
    assert status(terminal, "/profile", **ADA) == 200
    said = terminal.good("user", "disable", "ada@example.org")
    assert said == "ada@example.org can no longer sign in on this server.\n"
    assert [status(terminal, "/profile", **sent) for sent in (ADA, with_token(token))] == [401, 401]
    assert terminal.good("user", "list") == "1\towner\tada@example.org\tAda\tdisabled\n"
    said = terminal.good("user", "enable", "ada@example.org")
    assert said == "ada@example.org can sign in on this server again.\n"
    assert [status(terminal, "/profile", **sent) for sent in (ADA, with_token(token))] == [200, 200]


def test_a_login_that_an_account_has_disabled_is_enabled_there(terminal):
    terminal.good("user", "disable", "ada@example.org", "--account", "Lighthouse")
    said = terminal.good("user", "enable", "ada@example.org").splitlines()
    assert said[1] == "It stays disabled in the account Lighthouse; use --account to enable it there."
    assert status(terminal, "/profile", **ADA) == 401
    terminal.good("user", "enable", "ada@example.org", "--account", "Lighthouse")
    assert status(terminal, "/profile", **ADA) == 200


def test_user_password_says_which_tokens_stay_and_ends_them_on_demand(terminal):
    token = with_token(terminal.good("token", "add", "--email", "ada@example.org"))
    change = ("user", "password", "--email", "ada@example.org", "--password", "another long one")
    # Another one was made with the account.
    left = "They still have 2 valid tokens; use --revoke-tokens to revoke them, too."
    assert terminal.good(*change).splitlines()[1:] == [left]
    assert status(terminal, "/profile", **token) == 200
    assert terminal.good(*change, "--revoke-tokens").splitlines()[1:] == ["Revoked 2 tokens."]
    assert status(terminal, "/profile", **token) == 401


def test_user_password_asks_at_a_terminal_whether_tokens_end(terminal, monkeypatch):
    token = with_token(terminal.good("token", "add", "--email", "ada@example.org"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    change = ("user", "password", "--email", "ada@example.org", "--password", "another long one")
    code, _, asked = terminal.run(*terminal.places(), *change)
    assert (code, asked) == (0, "They have 2 valid tokens. Revoke them? [y/N]: ")
    assert status(terminal, "/profile", **token) == 401


@pytest.mark.parametrize("command", ["disable", "enable"])
def test_a_missing_person_cannot_be_disabled(terminal, command):
    said = terminal.bad("user", command, "eve@example.org")
    assert said == "There is nobody with the e-mail address eve@example.org"


def test_an_account_does_not_enable_what_the_server_has_disabled(terminal):
    terminal.good("user", "disable", "ada@example.org")
    said = terminal.bad("user", "enable", "ada@example.org", "--account", "Lighthouse")
    assert said == "This login is disabled on the whole server; enable it there with 'skerry user enable'"


def test_links_to_providers_are_bound_once_at_a_start_and_those_of_others_are_counted(terminal, monkeypatch):
    monkeypatch.setattr("skerry.server.become", lambda *_, **__: None)
    monkeypatch.setenv("SKERRY_OIDC_CORP_CLIENT_ID", "skerry")
    with closing(sqlite3.connect(terminal.folder / "skerry.sqlite3")) as connection, connection:
        connection.execute("INSERT INTO identities VALUES (1, 1, 1, 'corp', '1', '', 1, 1, '')")
    with own_provider.running(own_provider.Provider()) as provider:
        for issuer in ("https://login.example", provider.base):
            monkeypatch.setenv("SKERRY_OIDC_CORP_ISSUER", issuer)
            assert terminal.run(*terminal.places(), "serve", "--port", str(free_port()))[0] == 0
        said = loops.on_a_thread(lambda: terminal.good("check"))
    assert "1 link with corp signs nobody in; the issuer was https://login.example before" in said


def test_the_command_line_is_the_way_back_in_where_a_provider_is_demanded(terminal):
    back = "Members of this account can sign in with passwords already"
    assert terminal.bad("account", "allow-passwords") == back
    with closing(sqlite3.connect(terminal.folder / "skerry.sqlite3")) as connection, connection:
        connection.execute("UPDATE accounts SET single_sign_on = 1")
    assert status(terminal, "/profile", **ADA) == 401
    code, _, errors = terminal.run(*terminal.places(), "check")
    assert code == 1
    assert "let passwords work again: skerry account allow-passwords --account Lighthouse" in errors
    said = terminal.good("account", "allow-passwords")
    assert said == "Members of Lighthouse can sign in with passwords again.\n"
    assert status(terminal, "/profile", **ADA) == 200
    assert '"single_sign_on":[true,false]' in terminal.good("audit", "export").replace(" ", "")
