"""Roundup beside the product: fetched into an environment of its own, filled with the same data, started."""

import secrets
from collections.abc import Mapping
from pathlib import Path

from bench.compare import roundup_operations
from bench.compare.beside_data import Told
from bench.compare.beside_operations import WRITING, Ask, SignIn
from bench.compare.beside_python import fetched, gunicorn
from bench.compare.beside_tracker import run
from bench.compare.roundup_operations import WEB
from bench.serving import Server

PINS = ("roundup==2.6.0", "gunicorn==27.0.1", "pyjwt==2.15.1")

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
        self._python = fetched(self.name, PINS)
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
        said = run(self.name, [str(self._python), "-m", "bench.compare.roundup_load", home, str(told)])
        self._token = said.strip().splitlines()[-1]

    def server(self, workers: int) -> Server:
        """Start it under gunicorn, as its documentation says."""
        options = ["--workers", str(workers), "--timeout", "10"]
        log, home = self._folder / "roundup.log", str(self._home)
        return gunicorn(self._python, "bench.compare.roundup_wsgi:app", options, log, "/", TRACKER_HOME=home)

    def sign_ins(self, our_token: str, seconds: int) -> tuple[SignIn, ...]:
        """Return its tokens and its passwords."""
        return roundup_operations.sign_ins(our_token, self._token, seconds)

    def asks(self, sign_in: SignIn, told: Told) -> Mapping[str, tuple[Ask, ...]]:
        """Return what bench/compare/roundup_operations.py asks."""
        return roundup_operations.asks(sign_in.theirs, told)


def _settings() -> str:
    """Return what differs from Roundup's defaults: addresses, the quick search, and tokens."""
    settings = {
        "tracker_web": WEB,
        "mail_domain": "example.org",
        "mail_host": "localhost",
        "indexer": "native-fts",
        "web_jwt_secret": secrets.token_hex(),
    }
    return ",".join(f"{name}={value}" for name, value in settings.items())
