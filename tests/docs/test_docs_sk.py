"""The examples of docs/sk.md are run in their order, and say what stands below; ``…`` stands for anything."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from skerry.sk.commands import commands
from tests.support.processes import PATIENCE, ROOT
from tests.support.small_world import reachable

PAGE = Path(__file__).parents[2] / "docs" / "sk.md"
EXAMPLE = re.compile(r"```console\n(.*?)```|```python\n(.*?)```\n+```output\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The environment of a shell in which Ada works on the project Roof, and the program is called sk."""
    folder = tmp_path_factory.mktemp("sk")
    programs = folder / "bin"
    programs.mkdir()
    (programs / "sk").write_text(f'#!/bin/sh\nexec {sys.executable} -m skerry.sk "$@"\n')
    (programs / "sk").chmod(0o700)
    (programs / "python3").symlink_to(sys.executable)
    with reachable(folder) as world:
        ada = world.people["ada"]
        ada.post("/projects", {"project": {"name": "Roof"}})
        yield {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": ROOT,
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "SKERRY_URL": world.address,
            "SKERRY_TOKEN": ada.headers["X-ServiceToken"],
        }


def said(place, *words):
    ran = subprocess.run(
        words,
        env=place,
        cwd=place["HOME"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return ran.stdout


def compare(found, expected, example):
    pattern = re.escape(expected).replace("…", r"(?s:.*)")
    assert re.fullmatch(pattern, found), f"{example}\n{found}"


def test_every_example_says_what_stands_below_it(place):
    for match in EXAMPLE.finditer(PAGE.read_text(encoding="utf-8")):
        console, program, output = match.groups()
        if program:
            compare(said(place, sys.executable, "-c", program), output, program)
        for part in re.split(r"^\$ ", console or "", flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            compare(said(place, "sh", "-c", command), expected, command)


def test_every_command_is_described():
    text = PAGE.read_text(encoding="utf-8")
    missing = [name for name in commands.list_commands(None) if f"sk {name}" not in text]
    assert missing == []
