"""Tokens on the command line: made, listed and revoked."""

import os
import sys
from datetime import UTC, datetime, timedelta
from errno import ENOSPC

import click
import pytest

from skerry.database.transactions import DAY
from skerry.store.auth import tokens
from skerry.tracker.secrets import hash_token
from tests.cli.terminal import PASSWORD, PROJECT, status, with_token, world


def test_token_add_prints_the_token_and_nothing_else(terminal):
    said = terminal.good("token", "add", "--email", "ada@example.org")
    assert len(said) == 41
    assert status(terminal, "/projects/1", **with_token(said)) == 200


def test_tokens_may_open_one_project_and_may_only_read(terminal):
    made = terminal.good(
        "token",
        "add",
        "--email",
        "ada@example.org",
        "--project",
        "1",
        "--read-only",
        "--note",
        "for the build",
    )
    with world(terminal) as here:
        client = here.client(**with_token(made))
        assert client.get("/projects/1").status == 200
        assert client.post("/projects/1/tickets", {"ticket": {"title": "T"}}).status == 403
        assert client.post("/projects", PROJECT).status == 403
    assert (
        terminal.good("token", "list").splitlines()[-1] == "2\t1\tproject 1\tread-only\tvalid\tfor the build"
    )


def ends(terminal, *words):
    """Return the days from now on until a new token ends."""
    token = terminal.good("token", "add", "--email", "ada@example.org", *words)
    assert status(terminal, "/projects/1", **with_token(token)) == 200
    with world(terminal) as here, here.write() as transaction:
        kept, *_ = tokens.with_hash(transaction, hash_token(token.strip()))
        return kept.expires_at and (kept.expires_at - transaction.now) / DAY


def test_a_token_may_end_at_a_date_or_after_some_days(terminal):
    assert ends(terminal) is None
    assert 89.9 < ends(terminal, "--expires", "90") <= 90
    week = datetime.now(UTC).date() + timedelta(days=7)
    for said in (f"{week}", f"{week}T00:00Z", f"{week} 02:00+02:00"):
        assert 5.9 < ends(terminal, "--expires", said) <= 7


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("soon", "'--expires': Must be a date such as 2027-01-31, or a number of days"),
        ("-1", "'--expires': Must be a date such as 2027-01-31, or a number of days"),
        ("2020-01-31", "Expires at must be in the future"),
        ("0", "Days must be a whole number from 1 to 3650"),
        ("9" * 30, "Days must be a whole number from 1 to 3650"),
    ],
)
def test_an_impossible_expiry_is_refused(terminal, said, sentence):
    code, printed, errors = terminal.run(
        *terminal.places(), "token", "add", "--email", "ada@example.org", "--expires", said
    )
    assert (code in (1, 2), printed, sentence in errors) == (True, "", True)
    assert len(terminal.good("token", "list").splitlines()) == 1


def test_a_token_that_cannot_be_printed_is_revoked(terminal, monkeypatch):
    def full(_text):
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(sys.stdout, "write", full)
        assert terminal.bad("token", "add", "--email", "ada@example.org") == "No space left on device"
    assert terminal.good("token", "list").splitlines()[-1] == "2\t1\taccount\tfull\trevoked\t"


def test_token_revoke_takes_the_value_or_the_id(terminal):
    made = terminal.good("token", "add", "--email", "ada@example.org")
    assert terminal.good("token", "revoke", made.strip()) == "The token is revoked.\n"
    assert terminal.good("token", "revoke", "1") == "The token is revoked.\n"
    assert status(terminal, **with_token(made)) == 401
    assert status(terminal, **with_token(terminal.token)) == 401
    states = [line.split("\t")[4] for line in terminal.good("token", "list").splitlines()]
    assert states == ["revoked", "revoked"]


def test_an_expired_token_is_not_listed_as_valid(terminal):
    with world(terminal) as here:
        here.token(1, expires_at=1)
    listed = terminal.good("token", "list").splitlines()
    assert [line.split("\t")[4] for line in listed] == ["valid", "over"]


@pytest.mark.parametrize("kind", ["user", "token", "account"])
def test_a_slow_reader_of_a_list_does_not_delay_writers(terminal, monkeypatch, kind):
    monkeypatch.setattr("skerry.database.writer_locks.TIMEOUT_SECONDS", 0.1)
    answers = []

    def read_slowly(_line):
        with world(terminal) as here:
            answers.append(here.client(**with_token(terminal.token)).post("/projects", PROJECT).status)

    monkeypatch.setattr(click, "echo", read_slowly)
    terminal.good(kind, "list")
    assert answers == [201]


@pytest.mark.parametrize("which", ["1" * 40, "99", "0", "x", "9" * 30, "\u0663", ""])
def test_a_token_that_is_not_there_cannot_be_revoked(terminal, which):
    assert terminal.bad("token", "revoke", which) == "There is no such token, or it is already revoked"


def test_token_add_fails_with_a_sentence(terminal):
    terminal.good("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD)
    ben, ada = ("--email", "ben@example.org"), ("--email", "ada@example.org")
    assert "not a member of project 1" in terminal.bad("token", "add", *ben, "--project", "1")
    assert terminal.bad("token", "add", *ada, "--project", "9") == "There is no project 9"
    assert terminal.bad("token", "add", *ada, "--note", "a\tb").startswith("Note must have")
    assert "nobody" in terminal.bad("token", "add", "--email", "who@example.org")
