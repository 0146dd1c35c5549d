"""The first page: its calls are made, its commands exist, and its facts are those of the project."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

from skerry import cli
from skerry.sk import commands as sk
from tests.support.processes import PATIENCE
from tests.support.small_world import reachable

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?:^    .*\n|^\n(?=    ))+", README, re.MULTILINE)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def lines_of(program):
    """Return the commands of a program in blocks and in tables, without their comments."""
    shown = [line.strip() for block in BLOCKS for line in block.splitlines()]
    shown += re.findall(r"`([^`\n]+)`", README)
    return [shlex.split(line, comments=True) for line in shown if line.startswith(f"{program} ")]


def refused(command, words):
    """Return the words of a call that no command and no option has."""
    while isinstance(command, click.Group) and words:
        name, *words = words
        command = command.get_command(click.Context(command), name)
        if command is None:
            return [name]
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    return [word for word in words if word.startswith("--") and word not in {*known, "--help"}]


def test_the_first_calls_are_answered(tmp_path):
    if shutil.which("curl") is None:
        pytest.skip("The calls of the README need curl, which is not installed here")
    (calls,) = [block for block in BLOCKS if "export TOKEN" in block]
    with reachable(tmp_path) as world:
        script = calls.replace("http://127.0.0.1:8000", world.address).replace(
            "curl ", "curl -sS -w '\\n%{http_code}\\n' "
        )
        script = script.replace("TOKEN=...", f"TOKEN={world.people['ada'].headers['X-ServiceToken']}")
        words = ["sh", "-ec", script]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert re.findall(r"^\d{3}$", done.stdout, re.MULTILINE) == ["201", "201", "200", "200", "200"]
    assert "New tiles." in done.stdout


@pytest.mark.parametrize(("program", "command"), [("skerry", cli.commands), ("sk", sk.commands)])
def test_every_command_exists_with_its_options(program, command):
    named = lines_of(program)
    assert len(named) >= 3
    assert [(words, problem) for words in named if (problem := refused(command, words[1:]))] == []


def test_what_is_installed_is_what_is_built():
    wheels = re.findall(r"dist/(skerry-[\w.]+-py3-none-any\.whl)", README)
    assert set(wheels) == {f"skerry-{PROJECT['version']}-py3-none-any.whl"}
    extras = {name for each in re.findall(r"\[([a-z,]+)\](?!\()", README) for name in each.split(",")}
    assert "client" in extras
    assert extras <= set(PROJECT["optional-dependencies"])


def test_what_it_runs_on_is_what_the_package_declares():
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert f"Python {pythons[0]} to {pythons[-1]}" in README
    assert f"Version {PROJECT['version']} is" in README
