"""Roundup beside the product: fetched into an environment of its own, filled with the same data, started."""

import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.serving import ROOT, Server

PINS = ("roundup==2.6.0", "gunicorn==27.0.1", "pyjwt==2.15.1")
ENVIRONMENT = ROOT / "build" / "beside-roundup"
FETCHING_SECONDS, LOADING_SECONDS = 300, 1800

HOST = "tracker.example.org"
WEB = f"http://{HOST}/"
PER_PAGE_AND_ONE = 31

INTERFACES = f"""\
from roundup.rest import RestfulInstance

RestfulInstance.max_response_row_size = {PER_PAGE_AND_ONE}
"""


@dataclass(frozen=True)
class Tracker:
    """A filled tracker: its folder, and a token of the person who is signed in."""

    home: Path
    token: str


def python() -> Path:
    """Give the Python that has Roundup, fetched if it was not yet; exits with a sentence where pip cannot."""
    found, ready = ENVIRONMENT / "bin" / "python", ENVIRONMENT / ".ready"
    pins = "\n".join(PINS)
    if ready.exists() and ready.read_text() == pins:
        return found
    print(f"Fetching {', '.join(PINS)} …", flush=True)
    _fetch([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)])
    _fetch([str(found), "-m", "pip", "install", "--disable-pip-version-check", "-q", *PINS])
    ready.write_text(pins)
    return found


def _fetch(words: list[str]) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=FETCHING_SECONDS)
    except subprocess.TimeoutExpired:
        sys.exit(f"Roundup could not be fetched within {FETCHING_SECONDS} seconds; nothing was measured.")
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        sys.exit(
            f"Roundup could not be fetched, so nothing was measured. pip says: {said[-1] if said else '-'}"
        )


def filled(interpreter: Path, folder: Path, told: Path) -> Tracker:
    """Make a tracker of the classic template on SQLite and fill it with what was told."""
    home = folder / "roundup"
    admin = [str(interpreter.with_name("roundup-admin")), "-i", str(home)]
    _run([*admin, "install", "classic", "sqlite", _settings()])
    # Its documentation: remove it where no mail is sent.
    (home / "detectors" / "nosyreaction.py").unlink()
    (home / "interfaces.py").write_text(INTERFACES)
    _run([*admin, "initialise", secrets.token_hex()])
    token = _run([str(interpreter), "-m", "bench.roundup_load", str(home), str(told)])
    return Tracker(home, token.strip().splitlines()[-1])


def _settings() -> str:
    """Give what differs from Roundup's defaults: addresses, the quick search, and tokens."""
    settings = {
        "tracker_web": WEB,
        "mail_domain": "example.org",
        "mail_host": "localhost",
        "indexer": "native-fts",
        "web_jwt_secret": secrets.token_hex(),
    }
    return ",".join(f"{name}={value}" for name, value in settings.items())


def _run(words: list[str]) -> str:
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=LOADING_SECONDS
    )
    if done.returncode:
        sys.exit(f"Roundup could not be filled:\n{done.stderr[-2000:] or done.stdout[-2000:]}")
    return done.stdout


def server(interpreter: Path, folder: Path, tracker: Tracker, workers: int) -> Server:
    """Start Roundup under gunicorn, as its documentation says, with so many processes."""
    words = ["gunicorn", "--bind", "127.0.0.1:{port}", "--workers", str(workers), "--timeout", "10"]
    return Server(
        [*words, "--no-control-socket", "bench.roundup_wsgi:app"],
        folder / "roundup.log",
        "/",
        python=str(interpreter),
        TRACKER_HOME=str(tracker.home),
    )
