"""The tools: what they install and print."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import until

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "tools"
APT_GET = '#!/bin/sh\necho "$*" >> "$LOG"\n'


@pytest.fixture
def machine(tmp_path):
    """Run a script where root has an apt-get that only notes what it is asked for."""
    folder, log = tmp_path / "bin", tmp_path / "log"
    folder.mkdir()
    for name, text in (
        ("apt-get", APT_GET),
        ("apt-cache", "#!/bin/sh\nexit 1\n"),
        ("id", "#!/bin/sh\necho 0\n"),
    ):
        (folder / name).write_text(text)
        (folder / name).chmod(stat.S_IRWXU)
    for name in ("sh", "dirname", "mktemp", "chmod", "rm", "mkdir"):
        (folder / name).symlink_to(Path("/usr/bin", name))

    def run(script, *words, **environment):
        log.write_text("")
        given = {"PATH": str(folder), "LOG": str(log), **environment}
        words = ["/bin/sh", TOOLS / script, *words]
        done = subprocess.run(words, env=given, capture_output=True, text=True, check=False)
        return done, log.read_text().splitlines()

    return run


@pytest.mark.parametrize("script", sorted(path.name for path in TOOLS.glob("*.sh")))
def test_every_script_can_be_read_by_a_plain_shell(script):
    assert subprocess.run(["sh", "-n", TOOLS / script], check=False).returncode == 0


def test_packages_of_the_system_are_announced_one_by_one(machine):
    done, asked = machine("packages.sh", "for the tests", "roof", "gutter")
    assert done.stderr.splitlines()[1:] == ["  roof", "  gutter"]
    assert "outside of .venv" in done.stderr
    assert asked == ["update -qq", "install -y -qq --no-install-recommends roof gutter"]


@pytest.mark.parametrize("script", ["packages.sh", "chromium.sh", "proxies.sh"])
def test_packages_of_the_system_can_be_forbidden(machine, tmp_path, script):
    words = ("for the tests", "roof") if script == "packages.sh" else (str(tmp_path / "venv"),)
    done, asked = machine(script, *words, SYSTEM_PACKAGES="no")
    assert asked == []
    assert "SYSTEM_PACKAGES=no" in done.stderr or "Install the package" in done.stderr


def test_the_tests_say_loudly_what_is_missing(machine, tmp_path):
    done, asked = machine("chromium.sh")
    assert (done.returncode, len(asked)) == (0, 2)
    assert "SKIPPED. Install the package chromium" in done.stderr


def test_a_machine_without_virtual_environments_is_told_what_to_install(machine, tmp_path):
    python = tmp_path / "bin" / "python3"
    python.write_text('#!/bin/sh\ncase "$*" in *executable*) echo "$0" ;; *-m*) exit 1 ;; esac\n')
    python.chmod(stat.S_IRWXU)
    done, asked = machine("venv.sh", str(tmp_path / "venv"), SYSTEM_PACKAGES="no", PYTHON=str(python))
    assert (done.returncode, asked) == (1, [])
    assert "Install the package python3-venv" in done.stderr


def test_one_make_waits_for_what_another_has_begun(tmp_path):
    words = ["sh", TOOLS / "locked.sh", tmp_path / "lock", "sh", "-c"]
    log, pipe = tmp_path / "log", subprocess.PIPE
    script = f"echo begun >> {log}; read line; echo ended >> {log}"
    first = subprocess.Popen([*words, script], stdin=pipe, text=True)
    until(log.exists, "the beginning of the first one")
    others = [
        subprocess.Popen([*words, script], stdin=subprocess.DEVNULL, stderr=pipe, text=True) for _ in "12"
    ]
    assert all("Waiting for another make" in other.stderr.readline() for other in others)
    for each in (first, *others):
        each.communicate()
    assert log.read_text().split() == ["begun", "ended"] * 3


def test_a_system_without_flock_has_a_lock_too(machine, tmp_path):
    for name in ("rmdir", "sleep"):
        (tmp_path / "bin" / name).symlink_to(Path("/usr/bin", name))
    done, _ = machine("locked.sh", str(tmp_path / "lock"), "sh", "-c", "exit 3")
    assert (done.returncode, (tmp_path / "lock.d").exists()) == (3, False)


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    words = ["sh", TOOLS / "locked.sh", "/proc/self/lock", "true"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, "cannot be written to" in done.stderr) == (1, True)
    assert "python3-venv" not in done.stderr


def test_a_server_and_the_wheel_need_no_tools_of_the_tests():
    environment = {**os.environ, "LOCKED": "yes"}
    for task in ("serve", "wheel"):
        words = ["make", "-n", "-B", task]
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        assert "requirements/run.txt" in done.stdout
        assert "requirements/dev.txt" not in done.stdout


def test_a_request_runs_through_few_modules():
    words = [sys.executable, TOOLS / "hops.py"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    counted = {name: int(count) for name, count in map(str.split, done.stdout.splitlines())}
    most = {"list": 36, "search": 49, "put": 84, "page": 83}
    assert {name: count for name, count in counted.items() if count > most[name]} == {}
    assert set(counted) == set(most)


def test_every_statement_is_printed_for_both_databases():
    words = [sys.executable, TOOLS / "statements.py"]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines == sorted(set(lines))
    databases = [line.partition(": ")[0] for line in lines]
    assert databases.count("sqlite") > 400 < databases.count("postgresql")
    assert "sqlite: SELECT users.name FROM users WHERE users.id = ?" in lines
