"""The command line: every command that sets the service up, what it does, and how it fails."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from skerry.store import projects
from tests.cli.terminal import PASSWORD, SETUP, status, with_token, world
from tests.support import postgres
from tests.support.client import basic
from tests.support.processes import free_port

ROOT = Path(__file__).parents[2]

# --- init ------------------------------------------------------------------------------------------


def test_init_makes_the_account_its_administrator_and_a_token(bare):
    said = bare.good(*SETUP, *PASSWORD)
    assert said.splitlines()[0] == "Created the account Lighthouse and its administrator ada@example.org."
    assert said.splitlines()[1].startswith("Token, shown once: ")
    assert status(bare, **with_token(said.split()[-1])) == 200
    assert status(bare, **basic("ada@example.org", "correct horse")) == 200
    assert bare.good("account", "list") == "1\t*\tLighthouse\n"
    assert bare.good("user", "list") == "1\towner\tada@example.org\tAda\n"


@pytest.mark.parametrize(
    "words",
    [
        ("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD),
        ("user", "list"),
        ("member", "add", "--email", "ben@example.org", "--project", "1"),
        ("token", "list"),
        ("account", "add", "Harbour", "--host", "harbour.example"),
        ("account", "list"),
        ("reindex",),
        ("rerender",),
    ],
    ids=" ".join,
)
def test_commands_fail_in_a_folder_without_a_tracker_and_create_none(bare, words):
    file = bare.folder / "skerry.sqlite3"
    sentence = f"There is no database at {file}; create one with 'skerry serve', or check --data"
    assert bare.bad(*words) == sentence
    assert not bare.folder.exists()


def test_a_file_where_the_data_folder_should_be_is_named(bare):
    bare.folder.write_text("mine")
    setup = (*SETUP, *PASSWORD)
    assert bare.bad(*setup) == f"{bare.folder}: File exists"
    assert bare.folder.read_text() == "mine"


@pytest.mark.parametrize("version", ["3.38.5", "3.39.4"])
def test_a_start_on_an_sqlite_that_is_older_than_those_known_to_be_good_says_so(
    terminal, version, monkeypatch
):
    monkeypatch.setattr("skerry.server.become", lambda *_, **__: None)
    monkeypatch.setattr("sqlite3.sqlite_version", version)
    monkeypatch.setattr("sqlite3.sqlite_version_info", tuple(map(int, version.split("."))))
    code, _, errors = terminal.run(*terminal.places(), "serve", "--port", str(free_port()))
    said = f"warning='SQLite {version} is older than 3.39.4, the oldest version known to be good'"
    assert (code, said in errors) == (0, version == "3.38.5"), errors


def test_a_second_init_is_refused_and_changes_nothing(terminal):
    assert terminal.bad(*SETUP, *PASSWORD) == "This data folder is already set up"
    assert terminal.good("account", "list") == "1\t*\tLighthouse\n"


def test_init_with_a_value_that_cannot_be_used_makes_nothing(bare):
    for option, value, sentence in (
        ("--email", "nobody", "Email must be an address such as ada@example.org"),
        ("--email", "a@b@c", "Email must be an address such as ada@example.org"),
        ("--name", "  ", "Name can't be blank"),
        ("--password", "short", "Password is too short (at least 12 characters)"),
        ("--password", "x" * 1025, "Password is too long (at most 1024 characters)"),
        ("--account", "", "Account name must have 1 to 255 printable characters"),
        ("--account", "x" * 256, "Account name must have 1 to 255 printable characters"),
    ):
        words = [*SETUP, *PASSWORD]
        words[words.index(option) + 1] = value
        assert bare.bad(*words) == sentence
    bare.good(*SETUP, *PASSWORD)


def test_init_gives_an_account_that_is_there_already_no_name_that_none_can_have(bare):
    bare.good("migrate")
    for name in ("", "two\nlines", "x" * 256):
        said = bare.bad(*SETUP, *PASSWORD, "--account", name)
        assert said == "Account name must have 1 to 255 printable characters"
        assert bare.good("account", "list") == "1\t*\tSkerry\n"
    bare.good(*SETUP, *PASSWORD)
    assert bare.good("account", "list") == "1\t*\tLighthouse\n"


@pytest.mark.parametrize("option", ["--account", "--email", "--name", "--password"])
def test_init_needs_all_of_its_options(bare, monkeypatch, option):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
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
    assert status(terminal, "/projects/1", **basic("ben@example.org", "correct horse")) == 404
    assert status(terminal, "/projects/1", **basic("dan@example.org", "correct horse")) == 200


def test_a_login_can_be_taken_only_once(terminal):
    sentence = terminal.bad("user", "add", "--email", "ADA@example.org", "--name", "A", *PASSWORD)
    assert sentence == "Email ada@example.org is already taken"


def test_a_removed_person_can_be_invited_again_and_keeps_the_login(terminal):
    terminal.good("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD)
    ada, ben = basic("ada@example.org", "correct horse"), basic("ben@example.org", "correct horse")
    join = ("user", "join", "--email", "ben@example.org")
    assert terminal.bad(*join) == "ben@example.org already belongs to the account"
    with world(terminal) as here:
        assert here.client(**ada).delete("/people/2").status == 200
    assert status(terminal, "/projects/new", **ben) == 403
    assert terminal.good(*join) == "ben@example.org is now member of the account.\n"
    assert status(terminal, "/projects/new", **ben) == 200


def test_user_password_changes_the_password_at_once(terminal):
    said = terminal.good("user", "password", "--email", "ada@example.org", "--password", "another long one")
    assert said.startswith("Changed the password of ada@example.org.\n")
    assert status(terminal, **basic("ada@example.org", "correct horse")) == 401
    assert status(terminal, **basic("ada@example.org", "another long one")) == 200


def test_user_email_changes_the_login(terminal):
    said = terminal.good("user", "email", "--email", "Ada@example.org", "--new", "ada@other.example")
    assert said == "Ada@example.org now signs in as ada@other.example.\n"
    assert status(terminal, **basic("ada@example.org", "correct horse")) == 401
    assert status(terminal, **basic("ada@other.example", "correct horse")) == 200


def test_user_email_fails_with_a_sentence(terminal):
    change = ("user", "email", "--email", "ada@example.org", "--new")
    assert terminal.bad(*change, "nobody") == "Email must be an address such as ada@example.org"
    assert terminal.bad(*change, "ADA@example.org") == "Email ada@example.org is already taken"
    assert "nobody with the e-mail" in terminal.bad("user", "email", "--email", "x@y", "--new", "z@y")


@pytest.mark.parametrize("option", [(), ("--password-stdin",)])
def test_user_password_may_be_given_on_standard_input(terminal, monkeypatch, option):
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a long pipe\n"))
    code, said, _ = terminal.run(
        *terminal.places(), "user", "password", "--email", "ada@example.org", *option
    )
    assert (code, said.splitlines()[0]) == (0, "Changed the password of ada@example.org.")
    assert status(terminal, **basic("ada@example.org", "from a long pipe")) == 200


@pytest.mark.parametrize(
    "words", [(*SETUP,), ("user", "add", "--email", "ada@example.org", "--name", "Ada", "--admin")]
)
def test_the_first_passwords_may_be_given_on_standard_input_too(bare, monkeypatch, words):
    bare.good("migrate")
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a long pipe\r\nignored\n"))
    bare.good(*words, "--password-stdin")
    assert status(bare, **basic("ada@example.org", "from a long pipe")) == 200
    assert "correct horse" not in " ".join(sys.argv)


def test_a_terminal_is_asked_twice_for_a_password_that_it_does_not_show(terminal, monkeypatch):
    typed, prompts = ["one of these", "another long one", "one of these", "one of these"], []
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda prompt, **_: prompts.append(prompt) or typed.pop(0))
    terminal.run(*terminal.places(), "user", "add", "--email", "ben@example.org", "--name", "Ben")
    assert len(prompts) == 4
    assert status(terminal, "/profile", **basic("ben@example.org", "one of these")) == 200


def test_a_password_comes_from_one_place(terminal, monkeypatch):
    command = ("user", "password", "--email", "ada@example.org", "--password-stdin")
    assert terminal.bad(*command, *PASSWORD) == "Use either --password or --password-stdin"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"gr\xfcn wie Gras\n"), "utf-8"))
    assert terminal.bad(*command) == "The password on standard input is not UTF-8"


def test_user_password_fails_with_a_sentence(terminal, monkeypatch):
    command = ("user", "password", "--email")
    who = "There is nobody with the e-mail address who@example.org"
    assert terminal.bad(*command, "who@example.org", *PASSWORD) == who
    assert terminal.bad(*command, "ada@example.org", "--password", "short").startswith(
        "Password is too short"
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    said = terminal.bad(*command, "ada@example.org")
    assert said == "There is no password on standard input; use --password-stdin or --password"
    assert status(terminal, **basic("ada@example.org", "correct horse")) == 200


# --- member ----------------------------------------------------------------------------------------


def test_member_add_and_remove_open_and_close_a_project(terminal):
    terminal.good("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD)
    ben = basic("ben@example.org", "correct horse")
    who = ("--project", "1", "--email", "ben@example.org")
    assert status(terminal, "/projects/1", **ben) == 404
    assert terminal.good("member", "add", *who) == "ben@example.org is now a member of project 1.\n"
    assert terminal.good("member", "add", *who) == "ben@example.org is already a member of project 1.\n"
    assert status(terminal, "/projects/1", **ben) == 200
    assert terminal.good("member", "remove", *who) == "ben@example.org is no longer a member of project 1.\n"
    assert status(terminal, "/projects/1", **ben) == 404
    assert terminal.bad("member", "remove", *who) == "ben@example.org is not a member of project 1"


def test_member_add_fails_with_a_sentence(terminal):
    ada = ("--email", "ada@example.org")
    assert terminal.bad("member", "add", "--project", "9", *ada) == "There is no project 9"
    assert "nobody" in terminal.bad("member", "add", "--project", "1", "--email", "who@example.org")
    assert "--project" in terminal.bad("member", "add", *ada)
    assert "'roof'" in terminal.bad("member", "add", "--project", "roof", *ada)
    for command in (("member", "add"), ("member", "remove"), ("token", "add")):
        assert "'--project'" in terminal.bad(*command, "--project", "9" * 20, *ada)


# --- account ---------------------------------------------------------------------------------------


def test_account_add_makes_another_account_at_its_host(terminal):
    assert terminal.good("account", "add", "Harbour", "--host", "Harbour.example") == (
        "Created account 2, Harbour, at harbour.example.\n"
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
def test_an_invalid_host_is_refused(terminal, host):
    assert "is not a host name" in terminal.bad("account", "add", "Harbour", "--host", host)
    assert terminal.good("account", "list") == "1\t*\tLighthouse\n"


def test_account_add_fails_with_a_sentence(terminal):
    terminal.good("account", "add", "Harbour", "--host", "harbour.example")
    taken = "Host HARBOUR.example already belongs to another account"
    assert terminal.bad("account", "add", "Pier", "--host", "HARBOUR.example") == taken
    named = "An account called Harbour already exists"
    assert terminal.bad("account", "add", "Harbour", "--host", "pier.example") == named
    assert terminal.bad("user", "list", "--account", "Pier") == "There is no account called Pier"


# --- On PostgreSQL ---------------------------------------------------------------------------------


def test_everything_is_the_same_on_postgresql(bare):
    if postgres.url() is None:
        pytest.skip(postgres.reason())
    bare.url = postgres.fresh().replace("postgresql+psycopg://", "postgres://")
    said = bare.good(*SETUP, *PASSWORD)
    assert bare.bad(*SETUP, *PASSWORD) == "This data folder is already set up"
    bare.good("user", "add", "--email", "ben@example.org", "--name", "Ben", *PASSWORD)
    assert len(bare.good("user", "list").splitlines()) == 2
    bare.good("account", "add", "Harbour", "--host", "harbour.example")
    assert "schema: up to date\n" in bare.good("check")
    assert bare.good("migrate") == "The schema is up to date.\n"
    bare.url = bare.url.replace("postgres://", "postgresql+psycopg://")
    assert status(bare, **with_token(said.split()[-1])) == 200
    assert not (bare.folder / "skerry.sqlite3").exists()


def test_the_folder_is_taken_wherever_it_stands(terminal):
    place = terminal.places()
    for words in (
        (*place, "user", "list"),
        ("user", *place, "list"),
        ("user", "list", *place),
        ("member", *place, "add", "--project", "1", "--email", "ada@example.org"),
        ("token", *place, "list"),
        ("account", *place, "list"),
        ("backup", str(terminal.folder / "all.tar"), *place),
        ("check", *place, "--deep"),
    ):
        code, _, errors = terminal.run(*words)
        assert (code, errors) == (0, ""), words


# --- Start ------------------------------------------------------------------------------------------


def test_a_command_loads_no_other():
    words = "import sys; from skerry.cli import commands; commands(sys.argv[1:], standalone_mode=False)"
    seen = "print(*sorted(name for name in sys.modules if name.startswith('skerry.cli.')))"
    command = [sys.executable, "-c", f"{words}; {seen}", "token", "list", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "skerry.cli.options skerry.cli.tokens"
