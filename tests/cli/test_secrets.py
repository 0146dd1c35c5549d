"""The key of secrets on the command line: at the start, and when the installation is checked."""

import pytest

from skerry.sealing.key_ring import KeyRing, new_key
from skerry.store import sealed_columns
from tests.cli.terminal import PROJECT, Terminal, world
from tests.support.client import basic
from tests.support.pushes import hook, push, pushed


@pytest.fixture
def key_file(terminal):
    return terminal.folder / "secret.key"


def test_check_says_which_key_encrypts(terminal, key_file, monkeypatch):
    lines = terminal.good("check").splitlines()
    assert f"secrets: the key is in {key_file}, which no backup has; keep a copy elsewhere" in lines
    assert "secrets: several servers must share SKERRY_SECRET_KEY, which is not set" in lines
    monkeypatch.setenv("SKERRY_SECRET_KEY", f"{key_file.read_text().strip()}")
    assert "secrets: the key is in SKERRY_SECRET_KEY, which no backup has" in terminal.good("check")


def test_check_reports_a_key_that_others_can_read_is_missing_or_is_another(terminal, key_file, monkeypatch):
    def wrong():
        code, said, errors = terminal.run(*terminal.places(), "check")
        assert (code, said.splitlines()[-1]) == (1, "secrets: failed")
        return errors

    for mode in (0o640, 0o604, 0o620, 0o670):
        key_file.chmod(mode)
        assert f"Others can read {key_file}" in wrong()
    key_file.unlink()
    assert "their key is missing" in wrong()
    monkeypatch.setenv("SKERRY_SECRET_KEY", new_key())
    assert "SKERRY_SECRET_KEY is not the key that encrypts the secrets" in wrong()


def test_a_server_does_not_start_with_another_key(terminal, key_file, monkeypatch):
    monkeypatch.setattr("skerry.server.become", lambda *_, **__: pytest.fail("It became the server"))
    key_file.write_text(new_key())
    code, said, errors = terminal.run(*terminal.places(), "serve", "--port", "1")
    assert (code, said) == (1, "")
    assert errors.count("\n") == 1


@pytest.mark.parametrize("value", ["geheim", "geheim " * 8, f"{'g' * 40},geheim"])
def test_a_setting_that_is_no_key_is_refused_without_being_repeated(terminal, monkeypatch, value):
    monkeypatch.setenv("SKERRY_SECRET_KEY", value)
    said = terminal.bad("check")
    assert said.startswith("SKERRY_SECRET_KEY: a key has at least 32 ASCII characters")
    assert "geheim" not in said


def owner(opened):
    return opened.client(**basic("ada@example.org", "correct horse"))


@pytest.fixture
def pusher(terminal):
    """Return what pushes with the secret of a forge, and one of a hook."""
    with world(terminal) as opened:
        ada = owner(opened)
        roof = ada.post("/projects", PROJECT).item["id"]
        made = hook(ada, roof, "github")
        ada.post(f"/projects/{roof}/hooks", {"hook": {"url": "https://hooks.example/x"}})

    def status():
        with world(terminal) as opened:
            return pushed(owner(opened), made, push()).status

    return status


def keys_in_use(terminal):
    with world(terminal) as opened, opened.database.read() as transaction:
        return sealed_columns.key_ids(transaction)


def test_a_new_key_replaces_that_in_the_file_and_everything_can_be_read(terminal, key_file, pusher):
    before = key_file.read_text()
    said = terminal.good("secrets", "rotate")
    assert said.startswith("Encrypted the secrets in 3 rows with the new key.\n")
    after = key_file.read_text()
    assert (len(after.split()), after == before, key_file.stat().st_mode & 0o777) == (1, False, 0o600)
    assert pusher() == 200
    # Interrupted after the new key was written: both are there, and nothing is encrypted with it.
    key_file.write_text(f"{new_key()}\n{after}")
    assert pusher() == 200
    assert terminal.good("secrets", "rotate").startswith("Encrypted the secrets in 3 rows")
    assert len(key_file.read_text().split()) == 1
    assert pusher() == 200


def test_a_new_key_replaces_that_of_the_setting(terminal, key_file, pusher, monkeypatch):
    old, new = key_file.read_text().strip(), new_key()
    key_file.unlink()
    monkeypatch.setenv("SKERRY_SECRET_KEY", old)
    assert "Put a new one and a comma before it" in terminal.bad("secrets", "rotate")
    monkeypatch.setenv("SKERRY_SECRET_KEY", f"{new},{old}")
    assert "there is a newer key" in terminal.good("check")
    assert "Encrypted the secrets in 3 rows" in terminal.good("secrets", "rotate")
    monkeypatch.setenv("SKERRY_SECRET_KEY", new)
    assert "secrets: the key is in SKERRY_SECRET_KEY" in terminal.good("check")
    assert keys_in_use(terminal) == {KeyRing(new).ids()[0]}


@pytest.mark.parametrize("left", [None, "another"])
def test_secrets_whose_key_is_lost_are_given_up(terminal, key_file, pusher, left):
    assert "The key is here" in terminal.bad("secrets", "reset", "--yes")
    if left:
        key_file.write_text(new_key())
    else:
        key_file.unlink()
    said = terminal.good("secrets", "reset", "--yes")
    assert said == "Turned off 1 hook.\n1 forge needs a new secret.\n"
    assert pusher() == 403
    with world(terminal) as opened:
        ada = owner(opened)
        (at_rest,) = ada.get("/projects/2/hooks").items
        assert (at_rest["active"], at_rest["url"]) == (False, "")
        on = {"hook": {"active": True}}
        assert ada.put("/projects/2/hooks/1", on).status == 422, "its URL is lost, too"
        on["hook"]["url"] = "https://hooks.example/y"
        assert ada.put("/projects/2/hooks/1", on).item["active"] is True
        again = ada.post("/projects/2/forges/1/secret").item
        assert pushed(ada, again, push()).status == 200
    assert "secrets: the key is in" in terminal.good("check")


def test_backups_and_restores_say_where_the_key_is(terminal, key_file, pusher, tmp_path, monkeypatch, capsys):
    file = tmp_path / "backup.tar"
    assert "It does not hold the key of the secrets in it" in terminal.good("backup", str(file))
    key = key_file.read_text()
    assert key.strip().encode() not in file.read_bytes()
    elsewhere = Terminal(tmp_path / "elsewhere", monkeypatch, capsys)
    said = elsewhere.good("restore", str(file))
    assert "The secrets in this database are encrypted, and their key is missing" in said
    assert not (elsewhere.folder / "secret.key").exists()
    (elsewhere.folder / "secret.key").write_text(key)
    assert "key is missing" not in elsewhere.good("restore", "--force", str(file))
