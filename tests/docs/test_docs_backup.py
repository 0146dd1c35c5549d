"""The commands in docs/backup.md and deploy/ are accepted by the program."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.terminal import PASSWORD, SETUP, Terminal

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "backup.md").read_text()
UNIT = (ROOT / "deploy" / "skerry-backup.service").read_text()


@pytest.fixture
def terminal(tmp_path, monkeypatch, capsys):
    terminal = Terminal(tmp_path / "data", monkeypatch, capsys)
    terminal.good(*SETUP, *PASSWORD)
    (tmp_path / "backups").mkdir()
    return terminal


def adapted(words, bucket, folder):
    """Return words of a command with the places of a test."""
    # Beside the prefix of other tests' files, which they list.
    beside, here = bucket.rpartition("/")[0], str(folder / "backups")
    return [word.replace("s3://bucket", beside).replace("/backups", here) for word in words]


def test_the_commands_for_places_of_backups_work(terminal, bucket, tmp_path):
    part = GUIDE.split("\n### To a folder or bucket\n")[1].split("\n### ")[0]
    commands = re.findall(r"^    skerry (.+)$", part, re.MULTILINE)
    assert len(commands) > 2
    for command in commands:
        terminal.good(*adapted(shlex.split(command), bucket, tmp_path))
    for number, place in enumerate(("/backups/latest", "s3://bucket/prefix/latest")):
        assert f"    skerry restore {place} --data" in GUIDE
        terminal.folder = tmp_path / f"restored-{number}"
        terminal.good("restore", *adapted([place], bucket, tmp_path))


def test_the_timer_makes_a_backup(terminal, bucket, tmp_path):
    command = re.search(r"^ExecStart=/opt/skerry/bin/skerry (.+)$", UNIT, re.MULTILINE)[1]
    for name, value in re.findall(r"(BACKUP_\w+)=(\S+)", UNIT.split("\nEnvironment=")[1]):
        command = command.replace(f"${{{name}}}", value)
    terminal.good(*adapted(shlex.split(command), bucket, tmp_path))
    assert len(list((tmp_path / "backups").glob("skerry-*.tar"))) == 1


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_accepts_the_time_of_the_timer():
    timer = (ROOT / "deploy" / "skerry-backup.timer").read_text()
    when = re.search(r"^OnCalendar=(.+)$", timer, re.MULTILINE)[1]
    done = subprocess.run(["systemd-analyze", "calendar", when], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
