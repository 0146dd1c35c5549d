"""The command line: every command, what it does to the service, and how it fails."""

import base64
import io
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from skerry import app, cli
from skerry.config import Settings
from skerry.store import projects
from skerry.web.log import Log
from tests import postgres
from tests.conftest import World

SETUP = ("init", "--account", "Lighthouse", "--email", "ada@example.org", "--name", "Ada")
PASSWORD = ("--password", "correct horse")
PROJECT = {"project": {"name": "Roof"}}


class Terminal:
    """Runs commands in this process and keeps what they say."""

    def __init__(self, folder, monkeypatch, capsys):
        self.folder, self.monkeypatch, self.capsys = folder, monkeypatch, capsys
        self.url = ""
        for name in ("SKERRY_DATA", "SKERRY_DATABASE_URL"):
            monkeypatch.setenv(name, "")  # so that what commands set is taken back

    def places(self):
        return ("--data", str(self.folder), *(("--database", self.url) if self.url else ()))

    def run(self, *words):
        """Run a command and give its exit code, output and error output."""
        self.monkeypatch.setattr(sys, "argv", ["skerry", *words])
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def good(self, *words):
        """Run a command on the test's own data that must succeed, and give its output."""
        code, said, errors = self.run(*self.places(), *words)
        assert (code, errors) == (0, ""), errors
        return said

    def bad(self, *words):
        """Run a command that must fail, and give its one sentence."""
        code, said, errors = self.run(*self.places(), *words)
        assert (code, said) == (1, "")
        assert errors.startswith("skerry: ")
        assert errors.count("\n") == 1, errors
        assert "Traceback" not in errors
        return errors.removeprefix("skerry: ").rstrip()


@pytest.fixture
def bare(tmp_path, monkeypatch, capsys):
    """A terminal with an empty data folder."""
    return Terminal(tmp_path / "data", monkeypatch, capsys)


@pytest.fixture
def terminal(bare):
    """A terminal with an account, Ada who administers it, and a project of hers."""
    bare.token = bare.good(*SETUP, *PASSWORD).split()[-1]
    with world(bare) as here:
        assert here.voice(**{"X-ServiceToken": bare.token}).post("/projects", PROJECT).status == 201
    return bare


@contextmanager
def world(terminal):
    """Open the service over the terminal's data for a while."""
    settings = Settings(data=terminal.folder, database_url=terminal.url)
    with app.build(settings, Log(stream=io.StringIO())) as house:
        yield World(house, io.StringIO(), 1, "any.example", "json")


def status(terminal, path="/projects", host="any.example", **headers):
    with world(terminal) as here:
        here.host = host
        return here.voice(**headers).get(path).status


def with_password(email, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{email}:{password}".encode()).decode()}


def with_token(token):
    return {"X-ServiceToken": token.strip()}


# --- init ------------------------------------------------------------------------------------------


def test_init_makes_the_account_its_administrator_and_a_token(bare):
    said = bare.good(*SETUP, *PASSWORD)
    assert said.splitlines()[0] == "Made the account Lighthouse and its administrator ada@example.org."
    assert said.splitlines()[1].startswith("Token, shown once: ")
    assert status(bare, **with_token(said.split()[-1])) == 200
    assert status(bare, **with_password("ada@example.org", "correct horse")) == 200
    assert bare.good("account", "list") == "1\t*\tLighthouse\n"
    assert bare.good("user", "list") == "1\towner\tada@example.org\tAda\n"


def test_init_a_second_time_is_refused_and_changes_nothing(terminal):
    assert terminal.bad(*SETUP, *PASSWORD) == "This data folder is set up already"
    assert terminal.good("account", "list") == "1\t*\tLighthouse\n"


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--email", "nobody", "Email must be an address such as ada@example.org"),
        ("--email", "a@b@c", "Email must be an address such as ada@example.org"),
        ("--name", "  ", "Name must have 1 to 255 printable characters"),
        ("--password", "short", "Password is too short (at least 8 characters)"),
        ("--password", "x" * 1025, "Password is too long (at most 1024 characters)"),
        ("--account", "", "Account name must have 1 to 255 printable characters"),
        ("--account", "x" * 256, "Account name must have 1 to 255 printable characters"),
    ],
)
def test_init_with_a_value_that_cannot_be_used_makes_nothing(bare, option, value, sentence):
    words = [*SETUP, *PASSWORD]
    words[words.index(option) + 1] = value
    assert bare.bad(*words) == sentence
    bare.good(*SETUP, *PASSWORD)


@pytest.mark.parametrize("option", ["--account", "--email", "--name", "--password"])
def test_init_needs_all_of_its_options(bare, option):
    words = [*SETUP, *PASSWORD]
    place = words.index(option)
    assert option in bare.bad(*words[:place], *words[place + 2 :])
    assert not bare.folder.exists()


# --- user ------------------------------------------------------------------------------------------


def test_user_add_adds_a_member_or_an_administrator(terminal):
    said = terminal.good("user", "add", "--email", "Ben@Example.org", "--name", "Ben", *PASSWORD)
    assert said == "Added Ben@Example.org as user 2, member of the account.\n"
    terminal.good("user", "add", "--email", "dan@example.org", "--name", "Dan", *PASSWORD, "--admin")
    assert terminal.good("user", "list").splitlines() == [
        "1\towner\tada@example.org\tAda",
        "2\tmember\tben@example.org\tBen",
        "3\tadministrator\tdan@example.org\tDan",
    ]
    assert status(terminal, "/projects/1", **with_password("ben@example.org", "correct horse")) == 404
    assert status(terminal, "/projects/1", **with_password("dan@example.org", "correct horse")) == 200


def test_a_login_can_be_taken_only_once(terminal):
    sentence = terminal.bad("user", "add", "--email", "ADA@example.org", "--name", "A", *PASSWORD)
    assert sentence == "Email ADA@example.org is taken already"


def test_user_password_changes_the_password_at_once(terminal):
    said = terminal.good("user", "password", "--email", "ada@example.org", "--password", "another one")
    assert said == "Changed the password of ada@example.org.\n"
    assert status(terminal, **with_password("ada@example.org", "correct horse")) == 401
    assert status(terminal, **with_password("ada@example.org", "another one")) == 200


def test_user_password_may_be_given_on_standard_input(terminal, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a pipe\n"))
    code, said, _ = terminal.run(*terminal.places(), "user", "password", "--email", "ada@example.org")
    assert (code, said) == (0, "Changed the password of ada@example.org.\n")
    assert status(terminal, **with_password("ada@example.org", "from a pipe")) == 200


def test_user_password_fails_in_words(terminal, monkeypatch):
    command = ("user", "password", "--email")
    who = "There is nobody with the e-mail address who@example.org"
    assert terminal.bad(*command, "who@example.org", *PASSWORD) == who
    assert terminal.bad(*command, "ada@example.org", "--password", "short").startswith(
        "Password is too short"
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    code, _, errors = terminal.run(*terminal.places(), *command, "ada@example.org")
    assert (code, errors) == (1, "New password: \nskerry: Stopped\n")
    assert status(terminal, **with_password("ada@example.org", "correct horse")) == 200


# --- member ----------------------------------------------------------------------------------------


def test_member_add_and_remove_open_and_close_a_project(terminal):
    terminal.good("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD)
    ben = with_password("ben@example.org", "correct horse")
    who = ("--project", "1", "--email", "ben@example.org")
    assert status(terminal, "/projects/1", **ben) == 404
    assert terminal.good("member", "add", *who) == "ben@example.org is now a member of project 1.\n"
    assert terminal.good("member", "add", *who) == "ben@example.org is already a member of project 1.\n"
    assert status(terminal, "/projects/1", **ben) == 200
    assert terminal.good("member", "remove", *who) == "ben@example.org is no longer a member of project 1.\n"
    assert status(terminal, "/projects/1", **ben) == 404
    assert terminal.bad("member", "remove", *who) == "ben@example.org is not a member of project 1"


def test_member_add_fails_in_words(terminal):
    ada = ("--email", "ada@example.org")
    assert terminal.bad("member", "add", "--project", "9", *ada) == "There is no project 9"
    assert "nobody" in terminal.bad("member", "add", "--project", "1", "--email", "who@example.org")
    assert "--project" in terminal.bad("member", "add", *ada)
    assert "'roof'" in terminal.bad("member", "add", "--project", "roof", *ada)


# --- token -----------------------------------------------------------------------------------------


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
        voice = here.voice(**with_token(made))
        assert voice.get("/projects/1").status == 200
        assert voice.post("/projects/1/tickets", {"ticket": {"title": "T"}}).status == 403
        assert voice.post("/projects", PROJECT).status == 403
    assert (
        terminal.good("token", "list").splitlines()[-1] == "2\t1\tproject 1\tread-only\tvalid\tfor the build"
    )


def test_token_revoke_takes_the_value_or_the_id(terminal):
    made = terminal.good("token", "add", "--email", "ada@example.org")
    assert terminal.good("token", "revoke", made.strip()) == "The token is revoked.\n"
    assert terminal.good("token", "revoke", "1") == "The token is revoked.\n"
    assert status(terminal, **with_token(made)) == 401
    assert status(terminal, **with_token(terminal.token)) == 401
    states = [line.split("\t")[4] for line in terminal.good("token", "list").splitlines()]
    assert states == ["revoked", "revoked"]


@pytest.mark.parametrize("which", ["1" * 40, "99", "0", "x", "9" * 30, "\u0663", ""])
def test_a_token_that_is_not_there_cannot_be_revoked(terminal, which):
    assert terminal.bad("token", "revoke", which) == "There is no such token, or it is revoked already"


def test_token_add_fails_in_words(terminal):
    terminal.good("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD)
    ben, ada = ("--email", "ben@example.org"), ("--email", "ada@example.org")
    assert "not a member of project 1" in terminal.bad("token", "add", *ben, "--project", "1")
    assert terminal.bad("token", "add", *ada, "--project", "9") == "There is no project 9"
    assert terminal.bad("token", "add", *ada, "--note", "a\tb").startswith("Note must have")
    assert "nobody" in terminal.bad("token", "add", "--email", "who@example.org")


# --- account ---------------------------------------------------------------------------------------


def test_account_add_makes_another_account_at_its_host(terminal):
    assert terminal.good("account", "add", "Harbour", "--host", "Harbour.example") == (
        "Made account 2, Harbour, at harbour.example.\n"
    )
    assert terminal.good("account", "list") == "1\t*\tLighthouse\n2\tharbour.example\tHarbour\n"


def test_the_other_commands_take_the_account_by_name(terminal):
    terminal.good("account", "add", "Harbour", "--host", "harbour.example")
    there = ("--account", "Harbour")
    terminal.good("user", "add", "--email", "cy@example.org", "--name", "Cy", *PASSWORD, "--admin", *there)
    assert terminal.good("user", "list", *there) == "2\tadministrator\tcy@example.org\tCy\n"
    made = terminal.good("token", "add", "--email", "cy@example.org", *there)
    assert terminal.good("token", "list", *there) == "1\t2\taccount\tfull\tvalid\t\n"
    assert status(terminal, host="harbour.example", **with_token(made)) == 200
    assert status(terminal, host="any.example", **with_token(made)) == 401
    terminal.good("token", "revoke", "1", *there)
    assert status(terminal, host="harbour.example", **with_token(made)) == 401


def test_members_of_another_accounts_projects_are_changed_there(terminal):
    terminal.good("account", "add", "Harbour", "--host", "harbour.example")
    there = ("--account", "Harbour", "--email", "ada@example.org", "--project", "1")
    assert terminal.bad("member", "add", *there) == "There is no project 1"
    with world(terminal) as here:
        here.account_id = 2
        with here.write() as transaction:
            values = {"name": "Pier", "permalink": "pier", "archived": 0, "public": 0}
            states = {
                f"{kind}_states{tail}": "x/fff" for kind in ("open", "closed") for tail in ("", "_list")
            }
            projects.add(transaction, **values, **states)
    assert "is now a member" in terminal.good("member", "add", *there)
    assert "is no longer a member" in terminal.good("member", "remove", *there)


@pytest.mark.parametrize("host", ["", "a b", "http://a.example", "a.example:80", "-a", "a/b", "é.example"])
def test_a_host_that_is_none_is_refused(terminal, host):
    assert "is not a host name" in terminal.bad("account", "add", "Harbour", "--host", host)
    assert terminal.good("account", "list") == "1\t*\tLighthouse\n"


def test_account_add_fails_in_words(terminal):
    terminal.good("account", "add", "Harbour", "--host", "harbour.example")
    taken = "Host HARBOUR.example belongs to another account already"
    assert terminal.bad("account", "add", "Pier", "--host", "HARBOUR.example") == taken
    named = "There is an account called Harbour already"
    assert terminal.bad("account", "add", "Harbour", "--host", "pier.example") == named
    assert terminal.bad("user", "list", "--account", "Pier") == "There is no account called Pier"


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


def skerry(*words):
    root = str(Path(__file__).parents[2])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "skerry", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**environment, "PYTHONPATH": root},
        timeout=60,
    )


def test_as_a_process_it_ends_with_0_and_its_output(tmp_path):
    done = skerry("--data", str(tmp_path), *SETUP, *PASSWORD)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Token, shown once" in done.stdout
    done = skerry("user", "list", "--data", str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\towner\tada@example.org\tAda\n", "")


def test_as_a_process_it_fails_with_1_and_a_sentence(tmp_path):
    done = skerry("token", "revoke", "7", "--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "skerry: There is no such token, or it is revoked already\n"


# --- On PostgreSQL ---------------------------------------------------------------------------------


def test_on_postgresql_everything_is_the_same(bare):
    if postgres.url() is None:
        pytest.skip(postgres.reason())
    bare.url = postgres.fresh().replace("postgresql+psycopg://", "postgres://")
    said = bare.good(*SETUP, *PASSWORD)
    assert bare.bad(*SETUP, *PASSWORD) == "This data folder is set up already"
    bare.good("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD)
    assert len(bare.good("user", "list").splitlines()) == 2
    bare.good("account", "add", "Harbour", "--host", "harbour.example")
    assert bare.good("check").endswith("schema: the newest\n")
    assert bare.good("migrate") == "The schema is the newest.\n"
    bare.url = bare.url.replace("postgres://", "postgresql+psycopg://")
    assert status(bare, **with_token(said.split()[-1])) == 200
    assert not (bare.folder / "skerry.sqlite3").exists()
