"""The log of security events on the command line: verified, exported, followed and erased."""

import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from skerry.cli import audit
from skerry.database.database import Database
from skerry.database.transactions import DAY
from skerry.tracker.audit.audit import Kind
from tests.cli.terminal import PASSWORD

GUIDE = Path(__file__).parents[2] / "docs" / "audit.md"

ADA = ("--email", "ada@example.org")


def exported(terminal, *words):
    return [json.loads(line) for line in terminal.good("audit", "export", *words).splitlines()]


def kinds(terminal):
    return [each["kind"] for each in exported(terminal)]


def sql(terminal, statement):
    with sqlite3.connect(terminal.folder / "skerry.sqlite3") as connection:
        connection.execute(statement)
    connection.close()


def test_what_commands_do_is_recorded(terminal, tmp_path):
    terminal.good("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD)
    token = terminal.good("token", "add", *ADA).strip()
    terminal.good("token", "revoke", token)
    terminal.good("user", "password", *ADA, *PASSWORD, "--revoke-tokens")
    terminal.good("user", "email", *ADA, "--new", "ada@example.net")
    terminal.good("user", "disable", "ben@example.org")
    terminal.good("user", "enable", "ben@example.org")
    terminal.good("account", "renew-mail-addresses")
    terminal.good("sending", "pause")
    terminal.good("backup", str(tmp_path / "backup.tar"))
    terminal.good("export", str(tmp_path / "export.tar.gz"))
    written = exported(terminal)
    assert [each["kind"] for each in written[2:]] == [
        Kind.PROJECT_CREATED,
        Kind.PERSON_ADDED,
        Kind.TOKEN_CREATED,
        Kind.TOKEN_REVOKED,
        Kind.PASSWORD_CHANGED,
        Kind.TOKEN_REVOKED,
        Kind.PERSON_READDRESSED,
        Kind.PERSON_DISABLED,
        Kind.PERSON_ENABLED,
        Kind.MAIL_ADDRESSES_RENEWED,
        Kind.SENDING_UPDATED,
        Kind.BACKUP_MADE,
        Kind.EXPORT_MADE,
        Kind.EXPORT_MADE,
    ]
    assert {each["credential"] for each in written[3:]} == {"command"}
    assert "example.net" not in str(written)
    assert token not in str(written)


def test_an_unbroken_log_is_verified_and_has_an_anchor(terminal):
    last = exported(terminal)[-1]
    said = terminal.good("audit", "verify", "--anchor", f"{last['number']}:{last['hash']}")
    assert said.splitlines() == [
        f"Lighthouse: {last['number']} entries are as written.",
        f"Lighthouse: the anchor is {last['number']}:{last['hash']}",
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE audit_entries SET kind = 'x' WHERE number = 2", "entry 2 was changed"),
        ("DELETE FROM audit_entries WHERE number = 2", "entry 2 is missing"),
        ("UPDATE audit_entries SET details = x'ff' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE audit_entries SET personal = x'ff' WHERE number = 2", "what is personal in entry 2 was"),
        ("UPDATE audit_chains SET removed_entry = x'ff', removed_number = 1", "entry 1 was inserted"),
    ],
)
def test_what_was_changed_in_the_database_is_found(terminal, change, problem):
    exported(terminal)
    sql(terminal, change)
    code, said, errors = terminal.run(*terminal.places(), "audit", "verify")
    assert (code, errors) == (1, "skerry: The log of security events is not as it was written\n")
    assert said.startswith(f"Lighthouse: {problem}")


def test_an_anchor_that_differs_is_found(terminal):
    exported(terminal)
    code, said, _ = terminal.run(*terminal.places(), "audit", "verify", "--anchor", "1:abc")
    assert code == 1
    assert "entry 1 has the hash" in said
    assert "Must be a number and a hash" in terminal.bad("audit", "verify", "--anchor", "abc")


def remove_old(terminal, *, kept=""):
    """Remove two entries because of their age; ``kept`` replaces what is kept of the last."""
    with closing(Database(f"sqlite:///{terminal.folder}/skerry.sqlite3")) as database:
        clock = database.clock
        database.clock = lambda: clock() - 400 * DAY
        with database.write(1) as transaction:
            for _ in range(2):
                audit.log.by_command(transaction, Kind.BACKUP_MADE)
        database.clock = clock
        audit.chain.seal_new(database)
        assert audit.chain.remove_old(database, 365) == 2
    if kept:
        sql(terminal, f"UPDATE audit_chains SET removed_entry = '{kept}'")


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ("", "after those until 20"),
        ("unknown", "An earlier version removed the others, and nothing proves how old they were."),
    ],
)
def test_where_the_log_begins_is_printed(terminal, kept, words):
    remove_old(terminal, kept=kept)
    said = terminal.good("audit", "verify")
    assert "Lighthouse: the log begins with entry 3" in said
    assert words in said


def test_a_log_that_is_kept_for_longer_than_before_is_verified_for_the_earlier_time(terminal, monkeypatch):
    remove_old(terminal)
    monkeypatch.setenv("SKERRY_AUDIT_DAYS", "500")
    code, said, _ = terminal.run(*terminal.places(), "audit", "verify")
    assert (code, "was removed, although the log is kept for 500 days" in said) == (1, True)
    monkeypatch.setenv("SKERRY_AUDIT_DAYS", "365")
    terminal.good("audit", "verify")


@pytest.mark.parametrize("is_cut", [False, True])
def test_others_can_compute_the_chain_from_an_export_as_the_documentation_says(terminal, is_cut):
    if is_cut:
        remove_old(terminal)
    (script,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    lines = terminal.good("audit", "export")
    done = subprocess.run(
        [sys.executable, "-c", script], input=lines, capture_output=True, text=True, check=True
    )
    last = json.loads(lines.splitlines()[-1])
    assert done.stdout == f"unbroken, the last hash is {last['hash']}\n"


def test_the_documentation_names_every_kind():
    guide = GUIDE.read_text()
    nouns = set(re.findall(r"`([a-z_]+)\.…`", guide))
    assert [kind for kind in Kind if f"`{kind}`" not in guide and kind.partition(".")[0] not in nouns] == []


def test_an_export_begins_after_a_number(terminal):
    numbers = [each["number"] for each in exported(terminal, "--after", "2")]
    assert numbers == list(range(3, numbers[-1] + 1))


def test_follow_prints_what_is_new_until_it_is_stopped(terminal, monkeypatch):
    rounds = []

    def rest(_seconds):
        if rounds:
            raise KeyboardInterrupt
        rounds.append(1)
        with audit.ready() as database, database.write(1) as transaction:
            audit.log.by_command(transaction, Kind.LOG_ERASED)

    exported(terminal)
    monkeypatch.setattr(audit, "sleep", rest)
    (line,) = terminal.good("audit", "follow").splitlines()
    assert json.loads(line)["kind"] == Kind.LOG_ERASED


def test_what_is_personal_is_erased_and_that_is_recorded(terminal):
    terminal.good("audit", "erase", "ada@example.org")
    written = exported(terminal)
    assert [each["personal"] for each in written if each["user_id"] == 1] == [None]
    assert Kind.LOG_ERASED in kinds(terminal)
    assert (
        terminal.good("audit", "verify").splitlines()[-1] == "Lighthouse: 1 entry without what was personal."
    )


def test_a_backup_keeps_the_log_and_its_chain(terminal, tmp_path):
    exported(terminal)
    terminal.good("backup", str(tmp_path / "backup.tar"))
    before = kinds(terminal)
    terminal.good("restore", str(tmp_path / "backup.tar"), "--force")
    after = kinds(terminal)
    assert after[: len(before) - 2] == before[:-2]
    assert Kind.BACKUP_RESTORED in after
    assert "as written" in terminal.good("audit", "verify")
