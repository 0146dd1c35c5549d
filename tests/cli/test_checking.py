"""The command line: migrating, checking, settings that cannot be used, options, help, and processes."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from skerry import settings as config
from tests.cli.terminal import PASSWORD, SETUP, status, with_token, world
from tests.support import loops, own_provider
from tests.support.instances import open_with_file
from tests.support.processes import PATIENCE, ROOT, free_port, skerry

# --- migrate and check -----------------------------------------------------------------------------


def test_migrate_brings_the_database_to_the_newest_schema(bare):
    assert bare.good("migrate").startswith("Migrated: 0026")
    assert bare.good("migrate") == "The schema is up to date.\n"


def test_check_reports_what_works(terminal):
    lines = terminal.good("check").splitlines()
    assert lines[0] == "settings: ok"
    assert lines[-4:-2] == ["database: ok", "schema: up to date"]


def test_check_asks_each_provider_of_single_sign_on(terminal, monkeypatch):
    with own_provider.running(own_provider.Provider()) as provider:
        monkeypatch.setenv("SKERRY_OIDC_CORP_ISSUER", provider.base)
        monkeypatch.setenv("SKERRY_OIDC_CORP_CLIENT_ID", "skerry")
        lines = loops.on_a_thread(lambda: terminal.good("check")).splitlines()
        assert f"sign-in with corp: {provider.base} has 1 key" in lines
        assert "sign-in with corp: it must know the address https://…/sign-in/with/corp/return" in lines
        provider.issuer = "https://other.example"
        code, said, errors = loops.on_a_thread(lambda: terminal.run(*terminal.places(), "check"))
    assert (code, "sign-in with corp: failed" in said) == (1, True)
    assert "It calls itself 'https://other.example'" in errors


def test_check_reports_what_does_not_work(bare):
    code, _, errors = bare.run(*bare.places(), "check")
    assert (code, errors.startswith(f"skerry: The data folder {bare.folder} ")) == (1, True)
    bare.folder.mkdir()
    code, said, errors = bare.run(*bare.places(), "check")
    assert (code, said.splitlines()[-1]) == (1, "database: failed")
    # A mistyped folder has not become a tracker by being looked at.
    assert errors.startswith(f"skerry: There is no database at {bare.folder}")
    with closing(sqlite3.connect(bare.folder / "skerry.sqlite3")) as empty:
        empty.execute("PRAGMA user_version = 1")
    code, said, errors = bare.run(*bare.places(), "check")
    assert (code, said.splitlines()[-2:]) == (1, ["database: ok", "schema: failed"])
    assert re.search(r"lacks \d+ migrations, up to \d{4}; start the server, or run 'skerry migrate'$", errors)


def test_a_database_that_does_not_respond_is_reported_in_words(bare):
    bare.folder.mkdir()
    bare.url = "postgresql://skerry:geheim@127.0.0.1:1/nothing"
    for words in (("migrate",), ("user", "list"), (*SETUP, *PASSWORD)):
        sentence = bare.bad(*words)
        assert sentence.startswith("The database does not respond: ")
        assert "geheim" not in sentence


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x/y",
        "nonsense",
        "postgresql://a:b@c:port/d",
        "postgresql:",
        "sqlite:/x",
        "sqlite://host/x",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///x?mode=ro",
        "postgresql://127.0.0.1:1/x?nonsense=1",
        "postgresql://127.0.0.1:1/x?connect_timeout=soon",
        "postgresql://first..example/x",
        "://",
    ],
)
def test_an_invalid_database_address_is_reported_in_words(bare, url):
    bare.folder.mkdir()
    bare.url = url
    assert "SKERRY_DATABASE_URL" in bare.bad("migrate")


@pytest.mark.parametrize("name", ["SKERRY_DATABASE_URL"])
@pytest.mark.parametrize(
    "password", ["correct@horse", "correct@horse/x", "correct@horse?x", "@horse", "a@horse@b"]
)
def test_a_piece_of_a_password_is_not_said_as_the_name_of_a_host(bare, monkeypatch, name, password):
    bare.folder.mkdir()
    monkeypatch.setenv("SKERRY_DATABASE_URL", "postgresql://a@b:geheim@127.0.0.1:1/x")
    monkeypatch.setenv(name, f"postgresql://skerry:{password}@127.0.0.1:1/x")
    for words in (("check",), ("migrate",)):
        assert bare.bad(*words) == f"{name} must encode an @ in the password as %40"


def test_a_data_folder_that_cannot_be_created_is_reported_in_words(bare):
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
        ("SKERRY_BODY_LIMIT", "9" * 5000),
        ("SKERRY_REQUESTS_PER_MINUTE", "9" * 5000),
        ("SKERRY_BLOBS", "s3://[::1"),
        ("SKERRY_UPLOAD_LIMIT", "0"),
        ("SKERRY_BASE_URL", "tracker.example"),
        ("SKERRY_BASE_URL", "https://tracker.example/projects"),
        ("SKERRY_BASE_URL", "https://tracker.example/a//b"),
        ("SKERRY_BASE_URL", "https://tracker.example/../b"),
        ("SKERRY_BASE_URL", "https://tracker.example/a;b"),
        ("SKERRY_BASE_URL", "https://tracker.example?"),
        ("SKERRY_BASE_URL", "https://tracker.example?x=1"),
        ("SKERRY_BASE_URL", "https://tr\u00e4cker.example"),
        ("SKERRY_BASE_URL", "http://[::1"),
        ("SKERRY_BASE_URL", "http://tracker.example:80000"),
        ("SKERRY_BODY_SECONDS", "86401"),
        ("SKERRY_THREADS", "65"),
        ("SKERRY_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8"),
        ("SKERRY_TRUSTED_PROXIES", "proxy.example"),
        ("SKERRY_MAIL_HOST", "mail@example.org"),
        ("SKERRY_MAIL_AUTHSERV", "mx.example.org; dmarc=pass"),
        ("SKERRY_MAIL_IN", "imap://example.org"),
        ("SKERRY_MAIL_IN", "lmtp:relative.sock"),
        ("SKERRY_CORS_ORIGINS", "https://pages.example/"),
        ("SKERRY_CORS_ORIGINS", "pages.example"),
        ("SKERRY_CORS_ORIGINS", "http://[::1"),
        ("SKERRY_CORS_ORIGINS", "https://pages.example:https"),
        ("SKERRY_CORS_ORIGINS", "https://t\u00e4cker.example"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(bare, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    for words in (("check",), ("migrate",)):
        assert bare.bad(*words).startswith(f"{name} must be ")


@pytest.mark.parametrize("endpoint", ["bucket.example:9000", "http://bucket.example:99999", ""])
@pytest.mark.parametrize("name", ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"])
def test_an_address_of_a_bucket_that_is_none_is_named(bare, monkeypatch, name, endpoint):
    monkeypatch.setenv("SKERRY_BLOBS", "s3://files/of/skerry")
    monkeypatch.setenv(name, endpoint)
    assert bare.bad("check").startswith(f"{name} must be ")


@pytest.mark.parametrize("place", ["s3://bucket/a//b", "s3://bucket:99999/x", "s3://a bucket", "s3://bucket"])
def test_an_unusable_bucket_is_reported_before_anything_is_created(bare, monkeypatch, place):
    monkeypatch.setenv("SKERRY_BLOBS", place)
    if place == "s3://bucket":
        monkeypatch.setenv("AWS_CONDITIONAL_PUT", "nonsense")
    sentence = bare.bad("serve", "--port", str(free_port()))
    assert sentence.startswith("SKERRY_BLOBS or an AWS_ setting cannot be used: ")
    assert list(bare.folder.iterdir()) == []
    code, _, errors = bare.run(*bare.places(), "check")
    assert (code, errors) == (1, f"skerry: {sentence}\n")


def test_root_is_refused_in_a_data_folder_of_another_user(terminal, monkeypatch):
    terminal.good("check")
    door = terminal.folder / "serving.lock"
    door.touch()
    before = sorted(path.name for path in terminal.folder.rglob("*"))
    if os.geteuid() == 0:
        os.chown(door, 65534, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    serve = ("serve", "--port", str(free_port()))
    for words in (("check",), ("user", "list"), ("backup", "x.tar"), ("migrate",), serve):
        assert terminal.bad(*terminal.places(), *words).startswith(f"The service uses {terminal.folder} as ")
    assert sorted(path.name for path in terminal.folder.rglob("*")) == before


def test_addresses_and_origins_are_compared_as_they_come():
    proxies = "10.0.0.1, 0:0:0:0:0:0:0:1 ::FFFF:10.0.0.2"
    origins = "https://Pages.Example, http://localhost:3000 *"
    settings = config.load({"SKERRY_TRUSTED_PROXIES": proxies, "SKERRY_CORS_ORIGINS": origins})
    assert settings.trusted_proxies == {"10.0.0.1", "::1", "::ffff:10.0.0.2"}
    assert settings.cors_origins == {"https://pages.example", "http://localhost:3000", "*"}


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


def test_a_file_of_settings_overrides_the_environment_and_options_override_it(
    terminal, tmp_path, monkeypatch
):
    listed = (0, "1\towner\tada@example.org\tAda\n", "")
    file = tmp_path / "skerry.env"
    file.write_text(f"SKERRY_DATA='{terminal.folder}'\n")
    monkeypatch.setenv("SKERRY_DATA", str(tmp_path / "nothing"))
    assert terminal.run("--env-file", str(file), "user", "list") == listed
    monkeypatch.setenv("SKERRY_DATA", str(tmp_path / "nothing"))
    assert terminal.run("user", "list", "--env-file", str(file)) == listed
    file.write_text(f"SKERRY_DATA='{tmp_path}'\n")
    assert terminal.run(*terminal.places(), "user", "list", "--env-file", str(file)) == listed
    assert terminal.bad("user", "list", "--env-file", str(file.parent / "x")).endswith(
        "No such file or directory"
    )


@pytest.mark.parametrize("name", ["50%20 of it?x=y", "a#b ä@c:d"])
def test_a_data_folder_of_any_name_contains_its_database(bare, name):
    bare.folder = bare.folder / name
    token = bare.good(*SETUP, *PASSWORD).split()[-1]
    assert (bare.folder / "skerry.sqlite3").stat().st_size
    assert [each.name for each in bare.folder.parent.iterdir()] == [name]
    assert bare.good("user", "list") == "1\towner\tada@example.org\tAda\n"
    assert status(bare, **with_token(token)) == 200


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
def test_an_unknown_command_fails_with_a_sentence(bare, words):
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


def test_no_sentence_is_cut_off_in_a_list_of_commands(bare):
    for words in ((), ("user",), ("member",), ("token",), ("account",), ("service-user",), ("audit",)):
        commands = bare.good(*words, "--help").partition("Commands:\n")[2]
        assert commands.count("\n") > 1
        assert "..." not in commands


def test_the_version_is_printed(bare):
    code, said, _ = bare.run("--version")
    assert (code, said.startswith("skerry, version ")) == (0, True)


# --- As a process of its own -----------------------------------------------------------------------


def test_as_a_process_it_exits_with_0_after_its_output(terminal):
    done = skerry("user", "list", *terminal.places())
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\towner\tada@example.org\tAda\n", "")


def test_as_a_process_it_fails_with_1_and_a_sentence(terminal):
    done = skerry("token", "revoke", "7", *terminal.places())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "skerry: There is no such token, or it is already revoked\n"


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.faults), signal.SIGTERM])
def test_as_a_process_that_is_stopped_it_fails_with_1_and_a_sentence(terminal, number):
    with world(terminal) as here:
        # More than a pipe takes, which nobody empties until the signal is sent.
        open_with_file(here.client(**with_token(terminal.token)), 1, "Leak", b"x" * 1_000_000)
    with subprocess.Popen(
        [sys.executable, "-m", "skerry", *terminal.places(), "backup", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": ROOT},
        # Whoever runs the tests in the background lets them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads yet
    ) as writing:
        writing.stdout.read(1)
        writing.send_signal(number)
        _, said = writing.communicate(timeout=PATIENCE)
    assert (writing.returncode, said.strip()) == (1, b"skerry: Stopped")
