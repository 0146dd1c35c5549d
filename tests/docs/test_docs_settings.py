"""Settings that the documentation shows can be copied: the shell and the program read them alike."""

import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from skerry import app, env_files, settings
from skerry.settings import Settings
from skerry.store.people import preferences
from skerry.tracker.mail.reply_addresses import project_address
from skerry.web.log import Log
from tests.conftest import World
from tests.support.client import basic
from tests.support.processes import skerry

SENDER = "ben@example.org"
ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), *(p for p in ROOT.glob("deploy/*") if p.is_file())]
_NAME = r"(?:SKERRY|AWS)_[A-Z0-9_]+"
_BLOCK = re.compile(rf"(?:^ {{4}}{_NAME}=.*\n)+", re.MULTILINE)
_INLINE = re.compile(rf"`({_NAME}=[^`]*)`")
UNSET = re.compile(r"SKERRY_TEST_|[…]")


def shown():
    for page in PAGES:
        text = page.read_text()
        for found in (*_BLOCK.findall(text), *_INLINE.findall(text)):
            if not UNSET.search(found):
                yield pytest.param(
                    found.replace("\n    ", "\n").strip() + "\n",
                    id=f"{page.name}-{found.split('=')[0].strip()}",
                )


def sourced(path):
    """Return the variables that a file sets in a shell."""
    script = f"set -aeu; . {shlex.quote(str(path))}; exec env -0"
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True, env={})
    return {
        name: value
        for name, _, value in (each.partition("=") for each in done.stdout.split("\0"))
        if name not in ("", "PWD", "OLDPWD", "_")
    }


@pytest.mark.parametrize("block", list(shown()))
def test_settings_in_the_documentation_are_read_alike_by_everybody(block, tmp_path):
    path = tmp_path / "skerry.env"
    path.write_text(block)
    found = sourced(path)
    assert env_files.read(path) == found
    needed = {"SKERRY_MAIL_FROM": "skerry@example.org"} if "SMTP_URL" in block else {}
    settings.load({**needed, **found})


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=Skerry <skerry@example.org>", "Skerry <skerry@example.org>"),
        ("A='a b & c $d'", "a b & c $d"),
        ('A="a \\"b\\" c"', 'a "b" c'),
        ("export A=a#b", "a#b"),
        ("  A= a  ", "a"),
        ("A=", ""),
        ("\ufeff# said\n\n; more\nA=ä", "ä"),
    ],
)
def test_a_file_of_settings_is_read(line, value, tmp_path):
    path = tmp_path / "skerry.env"
    path.write_text(line)
    assert env_files.read(path) == {"A": value}


@pytest.mark.parametrize(
    ("line", "said"), [("A='geheim", "line 2: the value of A has"), ("geheim", "line 2: write NAME=")]
)
def test_a_line_that_is_no_setting_is_named_without_its_value(line, said, tmp_path):
    path = tmp_path / "skerry.env"
    path.write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match=said) as refused:
        env_files.read(path)
    assert "geheim" not in str(refused.value)


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A data folder with a member whose mail is proven, and a project; with its file of settings."""
    folder = tmp_path_factory.mktemp("installation")
    data, file = folder / "data", folder / "skerry.env"
    made = skerry(
        "init",
        "--data",
        str(data),
        "--account",
        "A",
        "--email",
        SENDER,
        "--name",
        "Ben",
        "--password",
        "correct horse",
    )
    assert made.returncode == 0, made.stderr
    file.write_text("SKERRY_MAIL_AUTHSERV='mx.example.org'\n")
    with app.build(Settings(data=data), Log(stream=io.StringIO())) as instance:
        world = World(instance, io.StringIO(), 1, "any.example", "json")
        ada = world.client(Authorization=basic(SENDER, "correct horse")["Authorization"])
        project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
        with world.write() as transaction:
            preferences.verify(transaction, 1, SENDER)
        with world.database.read(1) as transaction:
            address = project_address(transaction, project, "tracker.example.org")
    return data, file, address


def test_the_pipe_of_the_documentation_takes_the_mail_of_a_member(installation):
    data, file, address = installation
    (line,) = re.findall(r" argv=(.*)$", (ROOT / "docs" / "mail-in.md").read_text(), re.MULTILINE)
    places = {
        "/etc/skerry.env": str(file),
        "/var/lib/skerry": str(data),
        "${recipient}": address,
        "${sender}": SENDER,
    }
    program, *words = (places.get(word, word) for word in line.split())
    assert program == "/opt/skerry/bin/skerry"
    proof = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
    done = subprocess.run(
        [sys.executable, "-m", "skerry", *words],
        input=f"{proof}\nFrom: Byron, Ben <{SENDER}>\nSubject: Wet\n\nRain\n",
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ticket 1/1\n", "")


def test_the_map_of_postfix_in_the_documentation_has_the_addresses_of_skerry(installation):
    _, _, address = installation
    guide = (ROOT / "docs" / "mail-in.md").read_text()
    (pattern,) = re.findall(r"^    /(\^.*)/  OK$", guide, re.MULTILINE)
    assert re.match(pattern, address)
    assert re.match(pattern, address.upper(), re.IGNORECASE)
    assert not re.match(pattern, "nobody@tracker.example.org")
    assert "reject_unverified_recipient" in guide


def test_the_unit_makes_the_folder_of_the_socket():
    unit = (ROOT / "deploy" / "skerry.service").read_text()
    guide = (ROOT / "docs" / "mail-in.md").read_text()
    (folder,) = set(re.findall(r"(?:lmtp:|unix:)/run/(\w+)/", guide))
    assert f"\nRuntimeDirectory={folder}\n" in unit
    assert "\nRuntimeDirectoryMode=0750\n" in unit
