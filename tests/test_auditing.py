"""The look-up of known vulnerabilities, which must not be green because it is broken."""

import importlib.util
import json
import stat
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SOUND = {"name": "falcon", "version": "4.1.0", "vulns": []}
FLAWED = {"name": "jinja", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}
UNKNOWN = {"name": "mako", "skip_reason": "not found"}


@pytest.fixture
def audit():
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("audit_tool", ROOT / "tools" / "audit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def answered(audit, tmp_path, monkeypatch):
    """Run the script where pip-audit reads any lock, and gets an answer about these packages, or none."""
    program = tmp_path / "pip-audit"
    program.touch(stat.S_IRWXU)
    monkeypatch.setattr(audit.sys, "executable", str(tmp_path / "python"))

    def run(packages, *words):
        answer = f"echo '{json.dumps({'dependencies': packages})}'" if packages else "exit 1"
        program.write_text(f'#!/bin/sh\ncase "$*" in *--dry-run*) exit 0; esac\n{answer}\n')
        return audit.main([*words, "any.txt"])

    return run


@pytest.mark.parametrize("lock", [None, "falcon==4.1.0\n"], ids=["absent", "without hashes"])
def test_a_lock_that_cannot_be_read_is_a_failure(audit, tmp_path, lock):
    file = tmp_path / "run.txt"
    if lock:
        file.write_text(lock)
    with pytest.raises(SystemExit) as ended:
        audit.main([str(file)])
    assert str(ended.value).startswith("audit: ERROR")


@pytest.mark.parametrize(
    ("packages", "alone", "required"),
    [([], 0, 1), ([UNKNOWN], 0, 1), ([SOUND, UNKNOWN], 0, 1), ([SOUND], 0, 0), ([SOUND, FLAWED], 1, 1)],
    ids=["no answer", "nothing known", "some known", "sound", "flawed"],
)
def test_what_is_no_answer_about_every_package_fails_where_one_is_required(
    answered, packages, alone, required
):
    assert (answered(packages), answered(packages, "--required")) == (alone, required)


def test_what_was_not_looked_up_is_said_and_what_is_flawed_is_named(answered, capsys):
    answered([])
    assert "AUDIT SKIPPED" in capsys.readouterr().out
    answered([FLAWED, UNKNOWN])
    said = capsys.readouterr().out
    assert "jinja 1.0: PYSEC-1, mended in: 1.1\naudit: 1 of 2 packages looked up, 1 known" in said


@pytest.fixture
def asked(audit, tmp_path, monkeypatch):
    """Run the script with the real pip-audit, which asks a database of advisories on this machine."""
    served = {}

    class Advisories(BaseHTTPRequestHandler):
        def do_POST(self):
            name = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["package"]["name"]
            status, answer = served["status"], json.dumps(served["answers"].get(name, {})).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Advisories)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("PIP_AUDIT_VULNERABILITY_SERVICE", "osv")
    monkeypatch.setenv("PIP_AUDIT_OSV_URL", f"http://127.0.0.1:{server.server_port}/v1/query")
    lock = tmp_path / "run.txt"
    lock.write_text(
        "".join(f"{each} --hash=sha256:{'0' * 64}\n" for each in ("falcon==4.1.0", "jinja2==1.0"))
    )

    def run(status, *words, **answers):
        served.update(status=status, answers=answers)
        return audit.main([*words, str(lock)])

    yield run
    server.shutdown()
    server.server_close()


def test_a_database_of_advisories_is_asked_and_believed(asked, capsys):
    events = [{"introduced": "0"}, {"fixed": "1.1"}]
    affected = {
        "package": {"name": "jinja2", "ecosystem": "PyPI"},
        "ranges": [{"type": "ECOSYSTEM", "events": events}],
    }
    flaw = {"vulns": [{"id": "PYSEC-1", "summary": "It is not safe", "affected": [affected]}]}
    assert asked(200, "--required") == 0
    assert "2 of 2 packages looked up, 0 known" in capsys.readouterr().out
    assert asked(200, jinja2=flaw) == 1
    assert "jinja2 1.0: PYSEC-1, mended in: 1.1\naudit: 2 of 2" in capsys.readouterr().out
    assert asked(500, "--required") == 1
    assert "AUDIT SKIPPED" in capsys.readouterr().out
