"""Incoming mail through the command ``skerry mail``."""

import io
import os
import sys

import pytest

from skerry.database.database import Database
from skerry.sealing.key_ring import KeyRing
from skerry.store import accounts
from skerry.tracker.mail.reply_addresses import project_address


@pytest.fixture
def piped(terminal, monkeypatch):
    """Runs the command with a mail on its standard input, and gives its exit code and what it says."""

    def run(raw, *words):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        return terminal.run(*terminal.places(), "mail", *words)

    return run


@pytest.fixture
def address(terminal):
    """The address of the first project."""
    database = Database(f"sqlite:///{terminal.folder / 'skerry.sqlite3'}")
    database.keys = KeyRing("", terminal.folder)
    with database.read() as transaction:
        transaction.account_id = accounts.list_all(transaction)[0].id
        address = project_address(transaction, 1, "tracker.example")
    database.close()
    return address


def test_a_mail_that_cannot_be_delivered_bounces(piped):
    code, said, errors = piped(b"From: dora@example.net\nTo: nobody@tracker.example\n\nWet\n")
    assert (code, said) == (os.EX_NOUSER, "")
    assert errors == "skerry: This mail has no recipient address that accepts mail\n"


def test_a_mail_that_is_refused_is_sent_back_with_the_reason(piped, address):
    envelope = ("--to", address, "--from", "dora@example.net")
    code, said, errors = piped(b"From: dora@example.net\n\nWet\n", *envelope)
    assert code == os.EX_NOPERM
    sentence = said.removeprefix("refused: ")
    assert sentence.endswith("ask the operator to set SKERRY_MAIL_AUTHSERV\n")
    assert errors == f"skerry: {sentence}"


def test_a_bounce_is_taken_and_does_nothing(piped, address):
    code, said, _ = piped(b"From: dora@example.net\n\nWet\n", "--to", address, "--from", "")
    assert (code, said) == (0, "ignored: The mail seems to have been sent by a program (empty return path)\n")


def test_the_mail_server_keeps_a_mail_while_there_is_no_database(bare, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"From: a@b.example\n\nWet\n")))
    code, _, errors = bare.run("--data", str(bare.folder / "elsewhere"), "mail")
    assert code == os.EX_TEMPFAIL
    assert errors.startswith("skerry: There is no database")


def test_a_wrong_setting_or_option_lets_the_mail_server_keep_the_mail(piped, tmp_path, monkeypatch):
    raw = b"From: dora@example.net\n\nWet\n"
    assert piped(raw, "--nonsense")[0] == os.EX_TEMPFAIL
    code, _, errors = piped(raw, "--env-file", str(tmp_path / "missing"))
    assert (code, errors) == (os.EX_TEMPFAIL, f"skerry: {tmp_path / 'missing'}: No such file or directory\n")
    monkeypatch.setenv("SKERRY_MAIL_IN", "nonsense")
    assert piped(raw)[0] == os.EX_TEMPFAIL
