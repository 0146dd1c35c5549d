"""Migrations of existing databases: copied before, atomic, and never backwards."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.engine.default import DefaultDialect

from skerry import cli
from skerry.database.database import Database
from skerry.database.statements import Statement
from skerry.store import accounts, schema
from tests.support import migrated_databases, postgres
from tests.support.processes import free_port

# What a program runs whose newest migration stops in the middle until something is typed.
PROGRAM = """
import sys
from pathlib import Path
from skerry.store import schema
from skerry.database.database import Database
schema._HOME = Path(sys.argv[1])
print(schema.migrate(Database(sys.argv[2])), flush=True)
"""

SLOW = """
from alembic import op
revision, down_revision = "0099", {last!r}
def upgrade():
    op.execute("UPDATE accounts SET name = 'Half'")
    op.execute("CREATE TABLE half (x INTEGER)")
    print("half", flush=True)
    input()
    op.execute("UPDATE accounts SET name = name || ' and half'")
"""


def set_up(address):
    """Put an account into a database; return its last migration."""
    with closing(Database(address)) as database, database.write() as transaction:
        accounts.add(transaction, "One", None)
        return transaction.value(
            Statement(text("SELECT version_num FROM alembic_version"), across_accounts=True)
        )


@pytest.fixture
def file(tmp_path):
    """The address of a database in a file, with the newest schema."""
    return migrated_databases.on_sqlite(tmp_path)


def names(address):
    with closing(Database(address)) as database, database.read() as transaction:
        return [account.name for account in accounts.list_all(transaction)]


def newer_program(folder, last):
    """Return the migrations of a program that has one more."""
    shutil.copytree(schema._HOME, folder)
    (folder / "versions" / "0099_slow.py").write_text(SLOW.format(last=last))
    return folder


def started(home, address):
    command = [sys.executable, "-c", PROGRAM, str(home), address]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def copies(folder):
    return sorted(path.name for path in (folder / "backups").glob("*"))


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.faults)])
def test_a_migration_killed_in_the_middle_is_done_at_the_next_start(kind, tmp_path, monkeypatch):
    address = migrated_databases.at(kind, tmp_path)
    home = newer_program(tmp_path / "home", set_up(address))
    with started(home, address) as first:
        assert first.stdout.readline() == "half\n"
        first.kill()
    assert names(address) == ["One"]
    monkeypatch.setattr("builtins.input", lambda: "")
    with closing(Database(address)) as database:
        assert schema.pending(database) == []
        monkeypatch.setattr(schema, "_HOME", home)
        assert schema.migrate(database) == ["0099"]
    assert names(address) == ["Half and half"]


COMMANDS = [
    ("serve", "--port", "{port}"),
    ("migrate",),
    ("check",),
    ("user", "list"),
    ("backup", "backup.tar"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_older_program_refuses_a_newer_schema_in_words(address, words, tmp_path, monkeypatch, capsys):
    set_up(address)
    change = Statement(text("UPDATE alembic_version SET version_num = '0099'"), across_accounts=True)
    with closing(Database(address)) as database, database.write() as transaction:
        transaction.run(change)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKERRY_DATA", str(tmp_path))
    monkeypatch.setenv("SKERRY_DATABASE_URL", address)
    monkeypatch.setattr(sys, "argv", ["skerry", *(word.format(port=free_port()) for word in words)])
    with pytest.raises(SystemExit) as end:
        cli.main()
    said = capsys.readouterr().err
    assert end.value.code == 1
    assert said.startswith("skerry: The database has schema 0099, which is newer than this program")
    assert said.endswith("; install a newer skerry\n")
    assert not (tmp_path / "backup.tar").exists()
    assert names(address) == ["One"]


# What there is of Citus for the migration: a list of the tables that are spread, and what spreads one.
SPREADING = (
    "CREATE TABLE pg_dist_partition (logicalrelid regclass, said text)",
    """
    CREATE FUNCTION create_distributed_table(which regclass, by text, colocate_with text) RETURNS void
    LANGUAGE sql AS $$
        INSERT INTO pg_dist_partition
        SELECT which, by || ' ' || colocate_with || ' ' || (
            SELECT count(*) FROM pg_constraint WHERE conrelid = which AND contype = 'f'
        )
    $$
    """,
)


@pytest.mark.parametrize("are_spread", [True, False])
def test_new_tables_are_spread_where_projects_are_before_they_refer_to_them(are_spread):
    url = postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    with closing(Database(url)) as database, schema.changing(database) as connection:
        schema.upgrade(connection, "0026")
        for statement in SPREADING:
            connection.execute(text(statement))
        if are_spread:
            connection.execute(text("INSERT INTO pg_dist_partition VALUES ('projects', '')"))
        schema.upgrade(connection)
        spread = "SELECT logicalrelid::text, said FROM pg_dist_partition WHERE said <> '' ORDER BY 1"
        tables = (
            "answered_challenges",
            "audit_chains",
            "audit_entries",
            "backlinks",
            "claims",
            "forges",
            "held_texts",
            "identities",
            "imports",
            "list_settings",
            "login_browsers",
            "message_texts",
            "moved_tickets",
        )
        tables += ("passkeys", "placeholder_members", "placeholders", "recovery_codes", "removed_files")
        tables += ("removed_things", "sign_in_steps", "sign_ups", "spam_removals", "ticket_links")
        tables += ("ticket_templates", "time_codes", "unfinished_imports", "version_texts")
        new = [(table, "account_id projects 0") for table in tables]
        assert connection.execute(text(spread)).all() == (new if are_spread else [])


def test_a_file_is_copied_before_it_is_migrated(tmp_path, file, monkeypatch):
    last = set_up(file)
    assert not (tmp_path / "backups").exists()
    monkeypatch.setattr(schema, "_HOME", newer_program(tmp_path / "home", last))
    monkeypatch.setattr("builtins.input", lambda: "")
    with closing(Database(file)) as database:
        assert schema.migrate(database) == ["0099"]
        assert schema.migrate(database) == []
    (copy,) = copies(tmp_path)
    assert copy.startswith("before-0099-")
    with closing(sqlite3.connect(tmp_path / "backups" / copy)) as old:
        assert old.execute("SELECT name FROM accounts").fetchall() == [("One",)]
        assert old.execute("SELECT version_num FROM alembic_version").fetchall() == [(last,)]
    assert copies(tmp_path) == [copy]


@pytest.mark.parametrize(
    ("of", "failing"), [(schema, "_copy_file"), (schema, "upgrade"), (DefaultDialect, "do_commit")]
)
def test_a_migration_that_fails_leaves_no_copy_in_the_way(tmp_path, file, monkeypatch, of, failing):
    last = set_up(file)
    monkeypatch.setattr(schema, "_HOME", newer_program(tmp_path / "home", last))

    def fill_the_disk(*given):
        if failing == "_copy_file":
            given[-1].write_bytes(b"half of it")
        raise OSError("no space left")

    monkeypatch.setattr(schema, "upgrade", lambda _connection: None)
    monkeypatch.setattr(of, failing, fill_the_disk)
    with closing(Database(file)) as database, pytest.raises(OSError, match="no space"):
        schema.migrate(database)
    assert copies(tmp_path) == []
    assert names(file) == ["One"]


def test_the_last_copies_are_kept_and_a_copy_that_was_not_finished_is_none(tmp_path, file, monkeypatch):
    last = set_up(file)
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in (
        "before-0002-20200101",
        "before-0004-20220101",
        "before-0003-20210101",
        "before-0005-20190101",
    ):
        (folder / f"{name}.sqlite3").touch()
    (folder / "copy.part").write_bytes(b"half of it")
    (folder / "mine.sqlite3").touch()
    monkeypatch.setattr(schema, "_HOME", newer_program(tmp_path / "home", last))
    monkeypatch.setattr("builtins.input", lambda: "")
    with closing(Database(file)) as database:
        schema.migrate(database)
    *rest, newest = sorted(copies(tmp_path), key=lambda name: name.startswith("before-0099-"))
    assert newest.startswith("before-0099-")
    assert rest == ["before-0003-20210101.sqlite3", "before-0004-20220101.sqlite3", "mine.sqlite3"]


def test_there_is_one_newest_migration():
    assert len(ScriptDirectory.from_config(schema._config()).get_heads()) == 1
