"""The command line: migrating, checking, settings that cannot be used, options, help, and processes."""

import pytest

from tests.cli.terminal import PASSWORD, SETUP
from tests.programs import skerry

# --- migrate and check -----------------------------------------------------------------------------


def test_migrate_brings_the_database_to_the_newest_schema(bare):
    assert bare.good("migrate").startswith("Migrated: 0001")
    assert bare.good("migrate") == "The schema is the newest.\n"


def test_check_says_what_is_good(terminal):
    lines = terminal.good("check").splitlines()
    assert lines[0] == "settings: good"
    assert lines[-2:] == ["database: answers", "schema: the newest"]


def test_check_says_what_is_wrong(bare):
    code, _, errors = bare.run(*bare.places(), "check")
    assert (code, errors.startswith(f"skerry: The data folder {bare.folder} ")) == (1, True)
    bare.folder.mkdir()
    code, said, errors = bare.run(*bare.places(), "check")
    assert (code, said.splitlines()[-1]) == (1, "database: answers")
    assert "lacks the migrations 0001" in errors
    assert "run 'skerry migrate'" in errors
    # It has not become a tracker by being looked at.
    assert bare.bad("user", "list").startswith("There is no tracker at ")


def test_a_database_that_does_not_answer_is_said_in_words(bare):
    bare.folder.mkdir()
    bare.url = "postgresql://skerry:geheim@127.0.0.1:1/nothing"
    for words in (("migrate",), ("user", "list"), (*SETUP, *PASSWORD)):
        sentence = bare.bad(*words)
        assert sentence.startswith("The database does not answer: ")
        assert "geheim" not in sentence


def test_a_damaged_database_is_said_in_words(bare):
    bare.folder.mkdir()
    (bare.folder / "skerry.sqlite3").write_bytes(b"this is no database, but long enough to be one " * 50)
    for words in (("migrate",), ("user", "list"), (*SETUP, *PASSWORD)):
        assert bare.bad(*words) == "The database does not answer: file is not a database"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x/y",
        "nonsense",
        "postgresql://a:b@c:port/d",
        "postgresql:",
        "sqlite:/x",
        "sqlite://host/x",
        "://",
    ],
)
def test_a_database_address_that_is_none_is_said_in_words(bare, url):
    bare.folder.mkdir()
    bare.url = url
    assert "SKERRY_DATABASE_URL" in bare.bad("migrate")


def test_a_data_folder_that_cannot_be_made_is_said_in_words(bare):
    bare.folder.parent.joinpath("file").write_text("")
    bare.folder = bare.folder.parent / "file" / "data"
    for words in (("migrate",), ("user", "list"), (*SETUP, *PASSWORD)):
        assert "file" in bare.bad(*words)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SKERRY_DIALECT", "latin"),
        ("SKERRY_LOG", "xml"),
        ("SKERRY_BODY_LIMIT", "10 MB"),
        ("SKERRY_UPLOAD_LIMIT", "0"),
        ("SKERRY_BASE_URL", "tracker.example"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(bare, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    for words in (("check",), ("migrate",)):
        assert bare.bad(*words).startswith(f"{name} must be ")


# --- Options and help ------------------------------------------------------------------------------


def test_data_and_database_stand_before_the_command_or_after_it(terminal, tmp_path):
    listed = "1\towner\tada@example.org\tAda\n"
    data, other = ("--data", str(terminal.folder)), ("--data", str(tmp_path / "other"))
    file = ("--database", f"sqlite:///{terminal.folder}/skerry.sqlite3")
    for words in (
        (*data, "user", "list"),
        ("user", "list", *data),
        (*other, "user", "list", *data),
        (*other, *file, "user", "list"),
        (*other, "user", "list", *file),
    ):
        code, said, errors = terminal.run(*words)
        assert (code, said, errors) == (0, listed, ""), words


def test_the_environment_names_the_places_too(terminal, monkeypatch):
    monkeypatch.setenv("SKERRY_DATA", str(terminal.folder))
    assert terminal.run("user", "list")[:2] == (0, "1\towner\tada@example.org\tAda\n")


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("user", "nonsense"),
        ("--nonsense",),
        ("check", "--nonsense"),
        ("token", "revoke"),
        ("check", "more"),
    ],
)
def test_what_is_no_command_fails_with_a_sentence(bare, words):
    assert bare.bad(*words)


def test_help_is_given_for_every_command(bare):
    for words in ((), ("serve",), ("user", "add"), ("token",), ("check",)):
        for sign in ("--help", "-h"):
            code, said, errors = bare.run(*words, sign)
            assert (code, errors) == (0, "")
            assert said.startswith("Usage: skerry")


def test_a_group_alone_shows_its_commands(bare):
    for words in ((), ("user",), ("token",)):
        code, said, errors = bare.run(*words)
        assert code == 1
        assert (said + errors).startswith("Usage: skerry")


def test_the_version_is_told(bare):
    code, said, _ = bare.run("--version")
    assert (code, said.startswith("skerry, version ")) == (0, True)


# --- As a process of its own -----------------------------------------------------------------------


def test_as_a_process_it_ends_with_0_and_its_output(tmp_path):
    done = skerry("--data", str(tmp_path), *SETUP, *PASSWORD)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Token, shown once" in done.stdout
    done = skerry("user", "list", "--data", str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\towner\tada@example.org\tAda\n", "")


def test_as_a_process_it_fails_with_1_and_a_sentence(tmp_path):
    skerry("--data", str(tmp_path), *SETUP, *PASSWORD)
    done = skerry("token", "revoke", "7", "--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "skerry: There is no such token, or it is revoked already\n"
