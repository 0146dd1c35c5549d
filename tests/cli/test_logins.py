"""Logins on the command line: disabled and enabled, on the whole server or in one account."""

import pytest

from tests.cli.terminal import status, with_token
from tests.speaking import basic

ADA = basic("ada@example.org", "correct horse")


def test_user_disable_stops_a_login_on_the_whole_server_until_it_is_enabled(terminal):
    token = terminal.good("token", "add", "--email", "ada@example.org")
    assert status(terminal, "/profile", **ADA) == 200
    said = terminal.good("user", "disable", "ada@example.org")
    assert said == "ada@example.org cannot sign in on this server any more.\n"
    assert [status(terminal, "/profile", **sent) for sent in (ADA, with_token(token))] == [401, 401]
    assert terminal.good("user", "list") == "1\towner\tada@example.org\tAda\tdisabled\n"
    said = terminal.good("user", "enable", "ada@example.org")
    assert said == "ada@example.org can sign in on this server again.\n"
    assert [status(terminal, "/profile", **sent) for sent in (ADA, with_token(token))] == [200, 200]


def test_a_login_that_an_account_has_disabled_is_enabled_there(terminal):
    terminal.good("user", "disable", "ada@example.org", "--account", "Lighthouse")
    said = terminal.good("user", "enable", "ada@example.org").splitlines()
    assert said[1] == "It stays disabled in the account Lighthouse; --account enables it there."
    assert status(terminal, "/profile", **ADA) == 401
    terminal.good("user", "enable", "ada@example.org", "--account", "Lighthouse")
    assert status(terminal, "/profile", **ADA) == 200


@pytest.mark.parametrize("command", ["disable", "enable"])
def test_nobody_is_disabled_who_is_not_there(terminal, command):
    said = terminal.bad("user", command, "eve@example.org")
    assert said == "There is nobody with the e-mail address eve@example.org"


def test_an_account_does_not_enable_what_the_server_has_disabled(terminal):
    terminal.good("user", "disable", "ada@example.org")
    said = terminal.bad("user", "enable", "ada@example.org", "--account", "Lighthouse")
    assert said == "This login is disabled on the whole server; there 'skerry user enable' enables it"
