"""A terminal for tests: commands run in this process, and a look at what they did to the service."""

import io
import sys
from contextlib import contextmanager, redirect_stdout

import pytest

from skerry import app, cli
from skerry.settings import Settings
from skerry.web.log import Log
from tests.conftest import World

SETUP = ("init", "--account", "Lighthouse", "--email", "ada@example.org", "--name", "Ada")
PASSWORD = ("--password", "correct horse")
PROJECT = {"project": {"name": "Roof"}}


class Terminal:
    """Runs commands in this process and keeps what they say."""

    def __init__(self, folder, monkeypatch, capsys):
        self.folder, self.monkeypatch, self.capsys = folder, monkeypatch, capsys
        self.url = ""
        forget_places(monkeypatch)

    def places(self):
        return ("--data", str(self.folder), *(("--database", self.url) if self.url else ()))

    def run(self, *words):
        """Run a command and return its exit code, output and error output."""
        self.monkeypatch.setattr(sys, "argv", ["skerry", *words])
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def good(self, *words):
        """Run a command on the test's own data that must succeed, and return its output."""
        code, said, errors = self.run(*self.places(), *words)
        assert (code, errors) == (0, ""), errors
        return said

    def bad(self, *words):
        """Run a command that must fail, and return its one sentence."""
        code, said, errors = self.run(*self.places(), *words)
        assert (code, said) == (1, "")
        assert errors.startswith("skerry: ")
        assert errors.count("\n") == 1, errors
        assert "Traceback" not in errors
        return errors.removeprefix("skerry: ").rstrip()


def forget_places(monkeypatch):
    """Let commands find no places in the environment, and what they set there be taken back."""
    for name in ("SKERRY_DATA", "SKERRY_DATABASE_URL"):
        monkeypatch.setenv(name, "")


def output(place, *words):
    """Run a command at a place and return what it says, where there is no terminal."""
    folder, url = place
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as said:
        forget_places(patch)
        cli.commands(["--data", str(folder), "--database", url, *map(str, words)], standalone_mode=False)
    return said.getvalue()


def world(terminal):
    """Open the service over the terminal's data for a while."""
    return world_at(terminal.folder, terminal.url)


@contextmanager
def world_at(folder, url=""):
    """Open the service over a data folder for a while."""
    settings = Settings(data=folder, database_url=url)
    with app.build(settings, Log(stream=io.StringIO())) as instance:
        yield World(instance, io.StringIO(), 1, "any.example", "json")


def status(terminal, path="/projects", host="any.example", **headers):
    with world(terminal) as here:
        here.host = host
        return here.client(**headers).get(path).status


def with_token(token):
    return {"X-ServiceToken": token.strip()}
