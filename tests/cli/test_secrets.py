"""The key of secrets on the command line: at the start, and when the installation is checked."""

import pytest

from skerry.sealing.key_ring import new_key


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

    key_file.chmod(0o644)
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
