"""Every command that a page names exists with its options; those that need only the program are run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from io import BytesIO, StringIO
from json import dumps, loads
from pathlib import Path

import click
import pytest

from skerry import app, cli
from skerry.settings import Settings
from skerry.sk import commands as sk
from skerry.web.log import Log
from tests.support import chromium
from tests.support.processes import PATIENCE, ROOT

DOCS = Path(ROOT) / "docs"
PAGES = sorted([*Path(ROOT).glob("*.md"), *DOCS.rglob("*.md")])
PROGRAMS = {"skerry": cli.commands, "sk": sk.commands}
# At the start of a line in a block, perhaps as the service's user, or within a sentence.
NAMED = re.compile(
    r"(?:^(?:    |\$ )(?:runuser -u skerry -- )?|^|`)(?:/\S+/)?(skerry|sk) (?!unix )([^`\n]+)", re.MULTILINE
)
SIGN = re.compile(r"[|>&;…]|\Z")
BLOCK = re.compile(r"(?:^ {4,}\S.*\n)+", re.MULTILINE)
HOME = "http://127.0.0.1:8000"


def refused(command, words):
    """Return the words of a call that no command and no option has."""
    while isinstance(command, click.Group) and words:
        name, *words = words
        if name.startswith("-"):
            # An option of the program itself comes with its value.
            words = words[1:]
            continue
        command = command.get_command(click.Context(command), name)
        if command is None:
            return [name]
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    return [word for word in words if word.startswith("--") and word not in {*known, "--help"}]


def named(page):
    """Yield the commands of a page as their words, without what follows in the line."""
    for program, rest in NAMED.findall(page.read_text(encoding="utf-8").replace("\\\n", " ")):
        quoted = re.sub(r"'[^']*'", "''", rest)
        yield program, shlex.split(quoted[: SIGN.search(quoted).start()], comments=True)


def test_every_command_exists_with_its_options():
    calls = [(page, *call) for page in PAGES for call in named(page)]
    assert len(calls) > 200
    problems = [
        (page.name, program, words, problem)
        for page, program, words in calls
        if (problem := refused(PROGRAMS[program], words))
    ]
    assert problems == []


def blocks(page, heading):
    """Return the blocks of commands below a heading."""
    text = f"\n{(DOCS / page).read_text(encoding='utf-8')}".partition(f"\n{heading}\n")[2]
    return BLOCK.findall(re.split(r"^#", text, maxsplit=1, flags=re.MULTILINE)[0])


@pytest.fixture
def shell(tmp_path):
    """Runs commands beside a service with one account of Ada's; what they send elsewhere stays here."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, line in (
        ("skerry", f'exec {sys.executable} -m skerry "$@"'),
        ("ssh", 'shift; exec sh -c "$*"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o700)
    (tmp_path / "backups").mkdir()
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": ROOT,
        "SKERRY_DATA": str(tmp_path / "data"),
        "SKERRY_DATABASE_URL": "",
    }

    def run(script, said="", **more):
        ran = subprocess.run(
            ["sh", "-ec", script.replace("/backups", str(tmp_path / "backups"))],
            cwd=tmp_path,
            env={**environment, **more},
            input=said,
            capture_output=True,
            text=True,
            check=False,
            # Each command is a process that starts anew.
            timeout=10 * PATIENCE,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    run(
        "skerry init --account Roofers --email ada@example.org --name Ada --password-stdin", "correct horse\n"
    )
    return run


def test_an_export_goes_to_a_file_or_elsewhere(shell, tmp_path):
    (block,) = blocks("export.md", "# Export")
    shell(block)
    for path in (tmp_path / "backups" / "roofers.tar.gz", tmp_path / "roofers.tar.gz"):
        assert tarfile.is_tarfile(path)


def test_the_log_is_verified_and_exported(shell, tmp_path):
    (block,) = blocks("audit.md", "# The log of security events")
    # The last one goes on until it is stopped.
    shell(block.replace("skerry audit follow", ""))
    assert (tmp_path / "log.jsonl").read_text()


def archive(path, people):
    """Write an archive in which each of some people has a ticket, and nobody an address."""
    files = {f"users/{number}-x/user.json": {"user": {"id": number, "name": "Old"}} for number in people}
    files["projects/1-roof/project.json"] = {"project": {"id": 1, "name": "Old roof"}}
    files |= {
        f"projects/1-roof/tickets/{number}-x/ticket.json": {
            "ticket": {"number": number, "title": "It leaks", "creator_id": number}
        }
        for number in people
    }
    with tarfile.open(path, "w:gz") as packed:
        for name, tree in files.items():
            content = dumps(tree).encode()
            info = tarfile.TarInfo(f"acme/{name}")
            info.size = len(content)
            packed.addfile(info, BytesIO(content))


def test_an_archive_is_imported_and_its_people_are_given_away(shell, tmp_path):
    archive(tmp_path / "acme.tar.gz", (12, 15, 16, 17))
    (block,) = blocks("moving-in.md", "## Import an archive")
    listed, give = blocks("moving-in.md", "### People")
    (tmp_path / "people.csv").write_text(listed)
    assert "Imported 1 project, 4 tickets" in shell(block)
    shown, one, several = give.splitlines()
    first = re.search(r"(\d+)\D+acme/16\b", shell(shown))[1]
    shell(one.replace("--id 15", f"--id {first}"))
    (tmp_path / "people.csv").write_text("17,ben@example.org\n")
    shell(several)
    assert "acme/" not in shell(shown)


@pytest.mark.skipif(shutil.which("curl") is None, reason="these commands need curl")
def test_people_and_tickets_are_sent_over_the_interface(shell, tmp_path):
    (people,) = blocks("moving-in.md", "### People first")
    (tickets,) = blocks("moving-in.md", "### Tickets, in the order of their numbers")
    ada = shell("skerry token add --email ada@example.org").split()[-1]
    with (
        app.build(Settings(data=tmp_path / "data"), Log(stream=StringIO())) as instance,
        chromium.served(instance.application) as port,
    ):

        def call(words, **more):
            curl = 'curl -fsS -H "X-ServiceToken: $ADA" -H "Content-Type: application/json" '
            script = words.replace("curl ", curl).replace(HOME, f"http://127.0.0.1:{port}")
            return shell(script, ADA=ada, **more)

        call(f"""curl -d '{{"project": {{"name": "Roof"}}}}' {HOME}/projects.json""")
        ben = shell(people, "correct horse\n").split()[-1]
        as_written = tickets.replace(HOME, f"http://127.0.0.1:{port}").replace("curl ", "curl -fsS ")
        shell(as_written, ADA=ada, BEN=ben)
        ticket = loads(call(f"curl {HOME}/projects/1/tickets/1.json"))["ticket"]
    assert (ticket["creator_name"], ticket["user_name"], ticket["state"]) == ("Ben", "Ada", "hold")
