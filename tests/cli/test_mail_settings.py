"""Settings of mail, and what ``skerry check`` says about the mail server."""

from urllib.parse import quote

import pytest

from skerry import mail_settings, settings
from skerry.failures import Failures
from skerry.files import folder_lock
from skerry.settings import SettingError
from tests.support import imap_server, mail_server
from tests.support.processes import free_port

FROM = {"SKERRY_MAIL_FROM": "Skerry <skerry@example.org>"}


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://localhost", ("localhost", 25, "none", "", "")),
        ("smtp://relay:2525", ("relay", 2525, "none", "", "")),
        ("smtp://host?starttls=yes", ("host", 587, "starttls", "", "")),
        ("smtps://me%40host:a%40b%3A%2F@host", ("host", 465, "tls", "me@host", "a@b:/")),
        ("smtp://me:pw@127.0.0.1", ("127.0.0.1", 25, "none", "me", "pw")),
    ],
)
def test_a_url_names_the_server(url, server):
    found = mail_settings.smtp_server(url)
    assert (found.host, found.port, found.security, found.user, found.password) == server


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://host", "must be smtp://host"),
        ("smtp://", "must be smtp://host"),
        ("smtp://host:0", "must be smtp://host"),
        ("smtp://host:x", "must be smtp://host"),
        ("smtp://host/path", "must be smtp://host"),
        ("smtps://host?starttls=yes", "must be smtp://host"),
        ("smtp://host?starttls=maybe", "must be smtp://host"),
        ("smtp://me@host", "both a user and a password"),
        ("smtps://me@host:geheim@host", "as %40"),
        ("smtp://me:geheim@host", "would send the password unencrypted"),
    ],
)
def test_an_invalid_mail_server_is_refused_without_showing_the_password(url, said):
    with pytest.raises(SettingError) as refused:
        settings.load({"SKERRY_SMTP_URL": url, **FROM})
    assert said in str(refused.value)
    assert "geheim" not in str(refused.value)


@pytest.mark.parametrize("sender", ["", "nobody", "Skerry <a@b\r\nBcc: c@d>", "ä@example.org", "a@b, c@d"])
def test_an_invalid_sender_is_refused(sender):
    with pytest.raises(SettingError, match="SKERRY_MAIL_FROM"):
        settings.load({"SKERRY_SMTP_URL": "smtp://localhost", "SKERRY_MAIL_FROM": sender})


def test_a_server_that_only_shows_what_it_has_takes_no_mail():
    with pytest.raises(SettingError, match="SKERRY_MAIL_IN cannot be set if SKERRY_READ_ONLY is yes"):
        settings.load({"SKERRY_READ_ONLY": "yes", "SKERRY_MAIL_IN": "lmtp://127.0.0.1:2424"})


def test_the_password_stands_in_no_representation():
    loaded = settings.load({"SKERRY_SMTP_URL": "smtps://me:geheim@host", **FROM})
    assert "geheim" not in f"{loaded!r}{loaded.mail!r}"


def test_the_check_connects_to_the_mail_server(terminal, monkeypatch):
    monkeypatch.setenv("SKERRY_MAIL_FROM", FROM["SKERRY_MAIL_FROM"])
    port = free_port()
    monkeypatch.setenv("SKERRY_SMTP_URL", f"smtp://localhost:{port}")
    code, _, errors = terminal.run(*terminal.places(), "check")
    assert (code, "does not accept mails: " in errors) == (1, True)
    with mail_server.running(port) as server:
        assert f"mail: localhost:{port} accepts mails" in terminal.good("check")
        assert server.messages == []


def test_a_url_names_the_mailbox():
    found = mail_settings.mailbox("imaps://me%40host:a%40b@host/Work%20in")
    assert (found.host, found.port, found.security, found.user, found.password, found.folder) == (
        ("host", 993, "tls", "me@host", "a@b", "Work in")
    )
    assert mail_settings.mailbox("imap://me:pw@localhost").place == "INBOX at localhost:143"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("imaps://host", "must be lmtp:"),
        ("pop://me:geheim@host", "must be lmtp:"),
        ("imaps://me@host", "both a user and a password"),
        ("imap://me:geheim@host", "would send the password unencrypted"),
        ("imaps://me@host:geheim@host", "as %40"),
        ("imaps://me:geheim%C3%BC@host", "must use only ASCII"),
        ("imaps://me:geheim@host/In%0d%0aA1", "must use only ASCII"),
    ],
)
def test_an_invalid_mailbox_is_refused_without_showing_the_password(url, said):
    with pytest.raises(SettingError, match=said) as refused:
        settings.load({"SKERRY_MAIL_IN": url})
    assert "geheim" not in str(refused.value)
    assert "geheim" not in repr(settings.load({"SKERRY_MAIL_IN": "imaps://me:geheim@host"}).mailbox)


def test_the_check_reads_the_mailbox(terminal, monkeypatch):
    monkeypatch.setenv("SKERRY_MAIL_HOST", "tracker.example")
    with imap_server.running() as folder:
        login = f"{quote(imap_server.USER, '')}:{quote(imap_server.PASSWORD, '')}"
        monkeypatch.setenv("SKERRY_MAIL_IN", f"imap://{login}@localhost:{folder.port}")
        assert f"from INBOX at localhost:{folder.port}" in terminal.good("check")
    code, _, errors = terminal.run(*terminal.places(), "check")
    assert (code, f"fetched from INBOX at localhost:{folder.port}: " in errors) == (1, True)


def test_the_check_tries_everything_and_names_what_is_wrong(terminal, monkeypatch):
    here, there = free_port(), free_port()
    monkeypatch.setenv("SKERRY_MAIL_FROM", FROM["SKERRY_MAIL_FROM"])
    monkeypatch.setenv("SKERRY_SMTP_URL", f"smtp://localhost:{here}")
    monkeypatch.setenv("SKERRY_MAIL_IN", f"imap://me:geheim@localhost:{there}")
    code, said, errors = terminal.run(*terminal.places(), "check")
    assert (code, said.splitlines()[-4:]) == (
        1,
        ["mail: failed", "mail in: failed", "database: ok", "schema: up to date"],
    )
    assert f"localhost:{here} does not accept mails: " in errors
    assert f"fetched from INBOX at localhost:{there}: " in errors


def test_the_check_says_that_nobody_verifies_senders(terminal, monkeypatch):
    monkeypatch.setenv("SKERRY_MAIL_HOST", "tracker.example")
    warning = "mail in: members cannot open tickets by mail, because SKERRY_MAIL_AUTHSERV is not set"
    assert warning in terminal.good("check").splitlines()
    monkeypatch.setenv("SKERRY_MAIL_AUTHSERV", "mx.example.org")
    assert warning not in terminal.good("check").splitlines()


def test_the_check_connects_to_the_listener_of_a_running_server(terminal, monkeypatch):
    port = free_port()
    monkeypatch.setenv("SKERRY_MAIL_IN", f"lmtp:127.0.0.1:{port}")
    assert f"nobody listens at 127.0.0.1:{port}, because the server is not running" in terminal.good("check")
    monkeypatch.setattr(folder_lock, "is_held", lambda _data: True)
    code, _, errors = terminal.run(*terminal.places(), "check")
    assert (code, errors) == (1, f"skerry: Nobody receives mail at 127.0.0.1:{port}: Connection refused\n")
    Failures(terminal.folder).note("mail in", "Skerry cannot receive mail at x: y")
    assert terminal.run(*terminal.places(), "check")[2] == "skerry: Skerry cannot receive mail at x: y\n"


@pytest.mark.parametrize("port", ["0", "65536", "99999"])
def test_an_invalid_port_of_a_listener_is_refused(port):
    with pytest.raises(SettingError, match="must be lmtp:"):
        settings.load({"SKERRY_MAIL_IN": f"lmtp:127.0.0.1:{port}"})
