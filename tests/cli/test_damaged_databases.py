"""Databases damaged by the disk: error messages on the command line and over HTTP."""

import sqlite3
from contextlib import closing

import pytest

from skerry.errors import Unavailable
from tests.cli.terminal import PASSWORD, SETUP, with_token, world


def test_a_damaged_database_is_reported_in_words(bare):
    bare.folder.mkdir()
    (bare.folder / "skerry.sqlite3").write_bytes(b"this is no database, but long enough to be one " * 50)
    for words in (("migrate",), ("user", "list"), (*SETUP, *PASSWORD)):
        assert bare.bad(*words) == "The database does not respond: file is not a database"


def damage(file, table="projects"):
    with closing(sqlite3.connect(file)) as database:
        pages = database.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name = ?", (table,)).fetchall()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    with file.open("r+b") as written:
        for (page,) in pages:
            written.seek((page - 1) * size)
            written.write(b"\xaa" * size)


@pytest.mark.parametrize("table", ["projects", "bins"])
def test_a_request_that_meets_damage_in_the_database_says_so(terminal, table):
    damage(terminal.folder / "skerry.sqlite3", table)
    for words in (("check", "--deep"), ("backup", str(terminal.folder / "backup.tar"))):
        code, _, errors = terminal.run(*terminal.places(), *words)
        assert code == 1
        assert errors == "skerry: The database does not respond: database disk image is malformed\n"


@pytest.mark.parametrize("form", ["json", "xml"])
def test_a_request_to_a_damaged_database_may_be_retried(terminal, form):
    damage(terminal.folder / "skerry.sqlite3")
    with world(terminal) as here:
        here.form = form
        answer = here.client(**with_token(terminal.token)).get("/projects")
        assert (answer.status, answer.errors) == (503, [Unavailable.default])
        assert answer.headers["retry-after"] == "5"
