"""Roundup beside the product: fetched into an environment of its own, filled with the same data, started."""

import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bench import roundup_operations
from bench.beside_data import Told
from bench.beside_operations import WRITING, Ask, SignIn
from bench.beside_tracker import run
from bench.roundup_operations import WEB
from bench.serving import ROOT, Server

PINS = ("roundup==2.6.0", "gunicorn==27.0.1", "pyjwt==2.15.1")
ENVIRONMENT = ROOT / "build" / "beside-roundup"
FETCHING_SECONDS = 300

PER_PAGE_AND_ONE = 31

INTERFACES = f"""\
from roundup.rest import RestfulInstance

RestfulInstance.max_response_row_size = {PER_PAGE_AND_ONE}
"""


class Roundup:
    """Roundup with a tracker of the classic template on SQLite."""

    name = "Roundup"
    on_postgres = False
    versions = PINS
    aims: Mapping[str, float] = {}
    writers = WRITING

    def __init__(self, folder: Path) -> None:
        """Have it fetched."""
        self._python = python()
        self._folder, self._home = folder, folder / "roundup"
        self._token = ""

    def fill(self, told: Path, _postgres: str | None) -> None:
        """Make a tracker and fill it with what was told."""
        home = str(self._home)
        admin = [str(self._python.with_name("roundup-admin")), "-i", home]
        run(self.name, [*admin, "install", "classic", "sqlite", _settings()])
        # Its documentation: remove it where no mail is sent.
        (self._home / "detectors" / "nosyreaction.py").unlink()
        (self._home / "interfaces.py").write_text(INTERFACES)
        run(self.name, [*admin, "initialise", secrets.token_hex()])
        said = run(self.name, [str(self._python), "-m", "bench.roundup_load", home, str(told)])
        self._token = said.strip().splitlines()[-1]

    def server(self, workers: int) -> Server:
        """Start it under gunicorn, as its documentation says."""
        words = [str(self._python), "-m", "gunicorn", "--bind", "127.0.0.1:{port}", "--timeout", "10"]
        return Server(
            [*words, "--workers", str(workers), "--no-control-socket", "bench.roundup_wsgi:app"],
            self._folder / "roundup.log",
            "/",
            TRACKER_HOME=str(self._home),
        )

    def sign_ins(self, our_token: str, seconds: int) -> tuple[SignIn, ...]:
        """Give its tokens and its passwords."""
        return roundup_operations.sign_ins(our_token, self._token, seconds)

    def asks(self, sign_in: SignIn, told: Told) -> Mapping[str, tuple[Ask, ...]]:
        """Give what bench/roundup_operations.py asks."""
        return roundup_operations.asks(sign_in.theirs, told)


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
