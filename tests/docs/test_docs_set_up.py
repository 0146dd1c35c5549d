"""The set-up that pages describe is made in a folder; commands run beside the service."""

import io
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import make_url, text

from tests.cli.terminal import SETUP, Terminal, world
from tests.docs.test_docs_blocks import FENCE, INDENTED
from tests.sk.conftest import Shell
from tests.support import postgres, reverse_proxies
from tests.support.processes import PATIENCE
from tests.support.small_world import reachable

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
HOME = "http://127.0.0.1:8000"
PASSWORD = "correct horse\n"
# Those of the set-up that fetch packages, and those that need a running systemd or a user of its own.
FUNCTIONS = """
python3() { :; }
pip() { :; }
useradd() { :; }
systemctl() { test "$1" = start || command systemctl --root="$PLACE" "$1" "$3"; }
journalctl() { test -f "$PLACE/etc/systemd/system/$2.service"; }
"""


def block(page, first):
    """Return the block of commands on a page that begins so, as plain lines."""
    plain = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    found = [each for each in INDENTED.findall(plain) if each.lstrip().startswith(first)]
    assert len(found) == 1, (page, first)
    return re.sub(r"^ {4}", "", found[0], flags=re.MULTILINE).strip() + "\n"


@pytest.fixture
def terminal(tmp_path, monkeypatch, capsys):
    terminal = Terminal(tmp_path / "data", monkeypatch, capsys)
    (tmp_path / "backups").mkdir()
    monkeypatch.chdir(tmp_path)
    return terminal


def typed(terminal, script):
    """Run the commands of a block in this process; passwords come from standard input."""
    said = []
    script = script.replace("\\\n", "").replace("runuser -u skerry -- ", "").replace("/opt/skerry/bin/", "")
    # The terminal has its own data folder.
    for line in re.sub(r"--data \S+", "", script).splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "skerry"
        terminal.monkeypatch.setattr("sys.stdin", io.StringIO(PASSWORD))
        said.append(terminal.good(*words))
    return said


def shell(script, folder, said=PASSWORD, **environment):
    done = subprocess.run(
        ["sh", "-euc", script],
        cwd=folder,
        env={**os.environ, **environment},
        input=said,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        start_new_session=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_commands_beside_the_service_are_accepted(terminal):
    typed(terminal, block("docs/operate.md", "runuser"))
    with world(terminal) as here:
        here.account_id = 1
        ada = here.client(
            **{"X-ServiceToken": terminal.good("token", "add", "--email", "ada@example.org").strip()}
        )
        assert ada.post("/projects", {"project": {"name": "Roof"}}).status == 201
    for page, first in (
        ("README.md", "skerry user add"),
        ("docs/operate.md", "skerry token add"),
        ("docs/operate.md", "skerry service-user add"),
    ):
        assert typed(terminal, block(page, first))


def test_a_backup_is_restored(terminal, tmp_path):
    terminal.good(*SETUP, "--password", PASSWORD.strip())
    script = block("docs/backup.md", "skerry backup /backups/").replace("/backups", str(tmp_path / "backups"))
    for line in script.replace("/srv/skerry", str(tmp_path / "restored")).splitlines():
        program, *words = shlex.split(line, comments=True)
        shell(line, tmp_path) if program == "cp" else terminal.good(*words)
    assert (tmp_path / "restored" / "skerry.sqlite3").exists()


def test_the_lines_of_cron_are_commands(terminal, tmp_path):
    terminal.good(*SETUP, "--password", PASSWORD.strip())
    (tmp_path / "skerry.env").write_text("SKERRY_LOG=json\n")
    known = {}
    lines = (
        block("docs/backup.md", "# /etc/cron.d/") + FENCE.findall((ROOT / "docs/audit.md").read_text())[-1][1]
    )
    for line in lines.splitlines():
        if set_ := re.fullmatch(r'(\w+)="?([^"]*)"?', line):
            known[set_[1]] = set_[2]
        elif not line.startswith("#"):
            moment, command = re.fullmatch(r"((?:[\d*]+ ){5}) skerry  (.+)", line).groups()
            assert len(moment.split()) == 5
            command = command.replace("$SKERRY", known.get("SKERRY", ""))
            command = command.replace("/etc/skerry.env", str(tmp_path / "skerry.env")).replace(
                "/backups", str(tmp_path / "backups")
            )
            assert typed(terminal, command)
    assert len([*(tmp_path / "backups").glob("skerry-*.tar")]) == 1


@pytest.mark.skipif(not shutil.which("systemctl"), reason="there is no systemd here")
def test_the_set_up_puts_files_where_systemd_finds_them(tmp_path):
    folder = tmp_path / "etc" / "systemd" / "system"
    folder.mkdir(parents=True)
    script = (
        block("docs/operate.md", "python3 -m venv") + f"cd {ROOT}\n" + block("docs/backup.md", "install -d")
    )
    script = script.replace("/path/to/skerry", str(ROOT)).replace("/opt/skerry/bin/", "")
    script = re.sub(r" -[og] skerry", "", script)
    script = re.sub(r"(?<= )(?=/(var/lib|etc|backups))", str(tmp_path), script)
    (tmp_path / "var" / "lib").mkdir(parents=True)
    shell(FUNCTIONS + script, tmp_path, PLACE=str(tmp_path))
    modes = {
        name: (tmp_path / name).stat().st_mode & 0o777
        for name in ("var/lib/skerry", "backups", "etc/skerry.env")
    }
    assert modes == {"var/lib/skerry": 0o700, "backups": 0o700, "etc/skerry.env": 0o640}
    enabled = {each.name for each in folder.glob("*.wants/*")}
    assert enabled == {"skerry.service", "skerry-backup.timer"}
    units = [*folder.glob("*.service"), *folder.glob("*.timer")]
    assert len(units) == 3
    for unit in units:
        unit.write_text(unit.read_text().replace("/opt/skerry/bin/skerry", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False
    )
    # It may also complain of other units of the machine.
    assert (done.returncode, [line for line in done.stderr.splitlines() if "skerry" in line]) == (0, [])


@pytest.mark.skipif(shutil.which("curl") is None, reason="this command needs curl")
def test_a_message_is_sent_over_http(tmp_path):
    (tmp_path / "message.eml").write_text(
        "From: ada@example.org\nTo: reply@roof.example\nSubject: Wet\n\nRain\n"
    )
    with reachable(tmp_path) as world:
        sent = block("docs/mail-in.md", "curl").replace("https://tracker.example.org", world.address)
        token = world.people["ada"].headers["X-ServiceToken"]
        said = shell(sent.replace("curl ", "curl -sS "), tmp_path, TOKEN=token).stdout
    assert "error" in said, "It reaches the route; nobody has this address"


def test_somebody_signs_in_and_opens_the_first_ticket(tmp_path, monkeypatch, capsys):
    at = Shell(monkeypatch, capsys, tmp_path)
    with reachable(tmp_path) as world:
        token = world.people["ada"].headers["X-ServiceToken"]
        login, *others = block("README.md", "sk login").replace(HOME, world.address).splitlines()
        at.good(*shlex.split(login)[1:], read=token)
        said = at.bad("list")[1]
        assert said == f"There is no project yet; make one at {world.address}/projects/new"
        for line in others:
            said = at.good(*shlex.split(line)[1:])
    assert "It leaks" in said


def test_a_shell_takes_the_completion(tmp_path, monkeypatch, capsys):
    at = Shell(monkeypatch, capsys, tmp_path)
    lines = re.findall(r"sk completion (\w+)", block("docs/sk.md", "eval"))
    scripts = {name: at.good("completion", name) for name in lines}
    assert set(scripts) == {"bash", "zsh", "fish"}
    for name in filter(shutil.which, scripts):
        said = subprocess.run(
            [name, "-c", f"eval '{scripts[name]}'"], capture_output=True, text=True, check=True
        )
        assert said.stderr == ""


def below(first):
    """Return the block of a proxy below a path; what it leaves out stands in deploy/."""
    return block("docs/operate.md", first).replace("…", "")


def test_nginx_accepts_the_blocks_below_a_path(tmp_path):
    program = reverse_proxies.path("nginx") or pytest.skip("there is no nginx here")
    both = below("location /tracker/")
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off;"
        f"upstream skerry {{ server 127.0.0.1:8000; }} server {{ listen 127.0.0.1:8; {both} }} }}"
    )
    words = [program, "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf", "-e", "stderr"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "syntax is ok" in done.stderr


def test_caddy_accepts_the_block_below_a_path(tmp_path):
    program = reverse_proxies.path("caddy") or pytest.skip("there is no Caddy here")
    (tmp_path / "Caddyfile").write_text(f"tracker.example.org {{\n{below('redir')}}}\n")
    words = [program, "adapt", "--config", tmp_path / "Caddyfile", "--adapter", "caddyfile"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert '"X-Forwarded-Prefix":["/tracker"]' in said


@pytest.mark.skipif(shutil.which("createuser") is None, reason="there is no createuser here")
def test_a_database_is_made_as_the_page_says(tmp_path):
    server = make_url(postgres.url() or pytest.skip(postgres.reason()))
    name = f"{os.environ[postgres.PREFIX]}{uuid4().hex[:8]}"
    script = block("docs/operate.md", "createuser").replace("skerry", name).replace("/etc", str(tmp_path))
    place = {"PGHOST": server.query.get("host") or server.host, "PGPORT": str(server.port or 5432)}
    place |= {"PGUSER": server.username, "PGPASSWORD": server.password or ""}
    try:
        shell(script, tmp_path, said="geheim\n" * 2, **place)
        with postgres.connect() as connection:
            found = connection.execute(
                text("SELECT pg_encoding_to_char(encoding), datcollate FROM pg_database WHERE datname = :n"),
                {"n": name},
            ).one()
        assert tuple(found) == ("UTF8", "C.UTF-8")
    finally:
        shell(f"dropdb --if-exists {name}; dropuser --if-exists {name}", tmp_path, **place)
