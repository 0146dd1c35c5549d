"""A terminal for ``sk``, and a server that it reaches."""

import io
import sys
from http.server import ThreadingHTTPServer
from threading import Thread

import pytest

from skerry.sk import commands
from tests.sk.originals import Original
from tests.support.small_world import reachable


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with reachable(tmp_path_factory.mktemp("sk")) as world:
        yield world


@pytest.fixture
def world(server):
    return server


class Input(io.TextIOWrapper):
    """What somebody types, or a program sends."""

    def __init__(self, text, *, typed):
        super().__init__(io.BytesIO(text.encode()), encoding="utf-8")
        self._is_typed = typed

    def isatty(self):
        return self._is_typed


class Shell:
    """Runs ``sk`` in this process; nobody is signed in at first."""

    def __init__(self, monkeypatch, capsys, folder):
        self.monkeypatch, self.capsys, self.folder = monkeypatch, capsys, folder
        self.is_typed = False
        for name in ("URL", "TOKEN", "PROJECT"):
            monkeypatch.delenv(f"SKERRY_{name}", raising=False)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")

    def run(self, *words, read=""):
        """Run a command and return its exit code, output and error output."""
        self.monkeypatch.setattr(sys, "argv", ["sk", *map(str, words)])
        self.monkeypatch.setattr(sys, "stdin", Input(read, typed=self.is_typed))
        try:
            commands.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def good(self, *words, read=""):
        """Run a command that must succeed, and return its output."""
        code, said, errors = self.run(*words, read=read)
        assert (code, errors) == (0, ""), errors
        return said

    def bad(self, *words, read=""):
        """Run a command that must fail, and return its exit code and its last sentence."""
        code, said, errors = self.run(*words, read=read)
        assert code, said
        assert "Traceback" not in errors
        return code, errors.splitlines()[-1].removeprefix("sk: ")

    def edits(self, script):
        """Let the editor be a shell script, whose ``$1`` is the file, and somebody sit at the terminal."""
        editor = self.folder / "editor"
        editor.write_text(f"#!/bin/sh\n{script}\n")
        editor.chmod(0o700)
        self.monkeypatch.setenv("EDITOR", str(editor))
        self.monkeypatch.delenv("VISUAL", raising=False)
        self.is_typed = True


@pytest.fixture
def shell(monkeypatch, capsys, tmp_path):
    return Shell(monkeypatch, capsys, tmp_path)


@pytest.fixture
def sk(shell, server, ada, roof):
    """A terminal in which Ada works on a project of its own."""
    shell.monkeypatch.setenv("SKERRY_URL", server.address)
    shell.monkeypatch.setenv("SKERRY_TOKEN", ada.headers["X-ServiceToken"])
    shell.monkeypatch.setenv("SKERRY_PROJECT", str(roof))
    return shell


@pytest.fixture
def original():
    """A server of the original's interface; ``sent`` is what changed it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Original)
    server.sent = []
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
