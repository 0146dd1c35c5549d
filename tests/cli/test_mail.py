"""Mails that a mail server pipes into the command."""

import io
import os
import sys

import pytest

from skerry.store import accounts
from skerry.store.engine.database import Database
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
    with database.read() as transaction:
        transaction.account_id = accounts.list_all(transaction)[0].id
        address = project_address(transaction, 1, "tracker.example")
    database.close()
    return address


def test_a_mail_that_nobody_takes_is_sent_back(piped):
    code, said, errors = piped(b"From: dora@example.net\nTo: nobody@tracker.example\n\nWet\n")
    assert (code, said) == (os.EX_NOUSER, "")
    assert errors == "skerry: This mail has no recipient address that accepts mail\n"


def test_a_mail_that_is_refused_is_sent_back_with_the_reason(piped, address):
    envelope = ("--to", address, "--from", "dora@example.net")
    code, said, errors = piped(b"From: dora@example.net\n\nWet\n", *envelope)
    assert code == os.EX_NOPERM
    assert said == "refused: This project does not accept mail from this address\n"
    assert errors == "skerry: This project does not accept mail from this address\n"


def test_a_bounce_is_taken_and_does_nothing(piped, address):
    code, said, _ = piped(b"From: dora@example.net\n\nWet\n", "--to", address, "--from", "")
    assert (code, said) == (0, "ignored: The mail seems to have been sent by a program (empty return path)\n")


def test_the_mail_server_keeps_a_mail_while_there_is_no_database(bare, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"From: a@b.example\n\nWet\n")))
    code, _, errors = bare.run("--data", str(bare.folder / "elsewhere"), "mail")
    assert code == os.EX_TEMPFAIL
    assert errors.startswith("skerry: There is no database")
