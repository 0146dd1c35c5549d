"""Trackers in Python: fetched with pip into environments of their own, and started under gunicorn."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.serving import ROOT, Server

BUILD = ROOT / "build"
FETCHING_SECONDS = 300


def fetched(name: str, pins: Sequence[str]) -> Path:
    """Return the Python that has a tracker, fetched at first; exits with a sentence where pip cannot."""
    environment = BUILD / f"beside-{name.lower()}"
    found, ready = environment / "bin" / "python", environment / ".ready"
    wanted = "\n".join(pins)
    if ready.exists() and ready.read_text() == wanted:
        return found
    print(f"Fetching {', '.join(pins)} …", flush=True)
    _fetch(name, [sys.executable, "-m", "venv", "--clear", str(environment)])
    _fetch(name, [str(found), "-m", "pip", "install", "--disable-pip-version-check", "-q", *pins])
    ready.write_text(wanted)
    return found


def _fetch(name: str, words: list[str]) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=FETCHING_SECONDS)
    except subprocess.TimeoutExpired:
        sys.exit(f"{name} could not be fetched within {FETCHING_SECONDS} seconds; nothing was measured.")
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        sys.exit(
            f"{name} could not be fetched, so nothing was measured. pip says: {said[-1] if said else '-'}"
        )


def gunicorn(
    python: Path, program: str, options: Sequence[str], log: Path, ready: str, **environment: str
) -> Server:
    """Start a WSGI program under the gunicorn of its own environment; ``ready`` answers when it is."""
    words = [str(python), "-m", "gunicorn", "--bind", "127.0.0.1:{port}", "--no-control-socket"]
    return Server([*words, *options, program], log, ready, **environment)
