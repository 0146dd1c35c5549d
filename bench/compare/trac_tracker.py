"""Trac beside the product: fetched into an environment of its own, filled with the same data, started."""

import sys
from collections.abc import Mapping
from pathlib import Path

from bench.compare import trac_operations
from bench.compare.beside_data import Told
from bench.compare.beside_operations import WRITING, Ask, SignIn
from bench.compare.beside_python import fetched, gunicorn
from bench.compare.beside_tracker import run
from bench.serving import Server

# It needs a package that later versions of setuptools have no more.
PINS = ("Trac==1.6", "Jinja2==3.1.6", "gunicorn==27.0.1", "setuptools==80.10.2")
# It asks SQLite's driver for its version, which that tells no more there.
TOO_NEW = (3, 14)
UNSUPPORTED = "Trac 1.6 does not run on Python 3.14 and later, so nothing was measured."
# Its documentation: the journal mode is a parameter, without which SQLite has no write-ahead log.
DATABASE = "sqlite:db/trac.db?journal_mode=WAL"


class Trac:
    """Trac with an environment as it makes them, on SQLite."""

    name = "Trac"
    on_postgres = False
    versions = PINS
    aims: Mapping[str, float] = {}
    writers = WRITING

    def __init__(self, folder: Path) -> None:
        """Have it fetched; exits with a sentence where this Python is too new for it."""
        if sys.version_info >= TOO_NEW:
            sys.exit(UNSUPPORTED)
        self._python = fetched(self.name, PINS)
        self._folder, self._home = folder, folder / "trac"
        self._session = ""

    def fill(self, told: Path, _postgres: str | None) -> None:
        """Make an environment and fill it with what was told."""
        home = str(self._home)
        run(self.name, [str(self._python.with_name("trac-admin")), home, "initenv", "Sample", DATABASE])
        said = run(self.name, [str(self._python), "-m", "bench.compare.trac_load", home, str(told)])
        self._session = said.strip().splitlines()[-1]

    def server(self, workers: int) -> Server:
        """Start its WSGI program, as its documentation has it for web servers, under gunicorn."""
        options, log = ["--workers", str(workers)], self._folder / "trac.log"
        program, home = "trac.web.main:dispatch_request", str(self._home)
        return gunicorn(self._python, program, options, log, "/about", TRAC_ENV=home)

    def sign_ins(self, our_token: str, seconds: int) -> tuple[SignIn, ...]:
        """Return its session."""
        return trac_operations.sign_ins(our_token, self._session, seconds)

    def asks(self, sign_in: SignIn, told: Told) -> Mapping[str, tuple[Ask, ...]]:
        """Return what bench/compare/trac_operations.py asks."""
        return trac_operations.asks(sign_in.theirs, told)
