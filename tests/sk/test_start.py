"""The start of ``sk``: it loads what a command needs, and no more."""

import json
import subprocess
import sys

import pytest

from tests.support.processes import PATIENCE, ROOT

SLOW = ("httpx", "keyring", "msgspec", "asyncio")

SHOW = """
import sys
from skerry.sk.commands import commands
try:
    commands(sys.argv[1:], prog_name="sk", standalone_mode=False)
except Exception as error:
    print(error)
print("LOADED", *sys.modules)
"""


def python(environment, *words):
    """Run Python and return how it went."""
    return subprocess.run(
        [sys.executable, *words],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE,
    )


def loaded(folder, *words):
    """Return the packages that a command has loaded at its end."""
    environment = {"XDG_CONFIG_HOME": str(folder), "PYTHONPATH": ROOT}
    ran = python(environment, "-c", SHOW, *words)
    modules = ran.stdout.rpartition("LOADED")[2].split()
    assert "click" in modules, ran.stderr
    return {module.split(".")[0] for module in modules} | {m for m in modules if m.startswith("skerry.")}


@pytest.mark.parametrize("words", [("--help",), ("list",), ("servers",), ("completion", "bash"), ("login",)])
def test_nothing_slow_is_loaded_before_a_server_is_asked(tmp_path, words):
    # Records are declared by msgspec, which takes a tenth of the time of httpx.
    slow = {*SLOW} - ({"msgspec"} if words[0] in ("list", "login", "servers") else set())
    assert loaded(tmp_path, *words) & slow == set()


def test_a_request_needs_neither_the_keyring_nor_the_server(tmp_path):
    found = loaded(tmp_path, "list", "--server", "http://127.0.0.1:9")
    assert "httpx" in found
    assert not found & {
        "keyring",
        "webbrowser",
        "falcon",
        "sqlalchemy",
        "skerry.store",
        "skerry.client.async_client",
    }


def test_a_token_in_a_keyring_that_is_not_installed_is_one_sentence(tmp_path):
    folder = tmp_path / "config/skerry"
    folder.mkdir(parents=True)
    server = {"url": "http://127.0.0.1:9", "user": "Ada", "token": "", "in_keyring": True, "knows_keys": True}
    kept = {"default": "roof", "servers": {"roof": server}}
    (folder / "servers.json").write_text(json.dumps(kept))
    (tmp_path / "keyring.py").write_text("raise ImportError")
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    ran = python(environment, "-m", "skerry.sk", "list")
    assert ran.returncode == 1
    assert ran.stderr == "sk: The token is in the keyring, which needs: pip install 'skerry[client]'\n"
