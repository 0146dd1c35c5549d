"""Redmine beside the product: a copy of Debian's package with settings and data of its own."""

import json
import secrets
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import make_url

from bench.compare import redmine_operations
from bench.compare.beside_data import Told
from bench.compare.beside_operations import WRITING, Ask, SignIn
from bench.compare.beside_tracker import run
from bench.compare.redmine_operations import AIMS
from bench.serving import Server

PACKAGE = Path("/usr/share/redmine")
# The machine's own settings and data, which the package has links to.
MACHINES = ("instances", "Gemfile.lock", "config/database.yml")
MISSING = (
    "Redmine is not installed, so nothing was measured; Debian has it in the packages"
    " redmine, redmine-sqlite, redmine-pgsql and puma."
)
LOADER = Path(__file__).with_name("redmine_load.rb")
INSTANCE = "bench"
THREADS = 5  # as Puma has it where nothing is said, and what the database's pool is made for
LOCK_MILLISECONDS = 20_000


class Redmine:
    """Redmine as Debian packages it, in a copy, as the package keeps its data in the machine's folders."""

    name = "Redmine"
    on_postgres = True
    aims: Mapping[str, float] = AIMS
    writers: tuple[int, ...] = WRITING

    def __init__(self, folder: Path) -> None:
        """Copy it; exits with a sentence where it is not installed."""
        if not PACKAGE.is_dir() or not shutil.which("puma"):
            sys.exit(MISSING)
        self._folder, self._home = folder, folder / "redmine"
        self._made: dict[str, Any] = {}
        shutil.copytree(PACKAGE, self._home, ignore=_machines)
        self._environment = _environment(self._home)

    @property
    def versions(self) -> tuple[str, ...]:
        """Return the versions of Redmine, Puma and Ruby."""
        return tuple(self._made["versions"])

    def fill(self, told: Path, postgres: str | None) -> None:
        """Make its tables and fill them with what was told.

        Of several who write at once to SQLite it refuses some, as their transactions read before they write.
        """
        self.writers = WRITING if postgres else WRITING[:1]
        _settle(self._home, _database(self._folder, postgres))
        self._run("rake", "db:migrate")
        said = self._run("rails", "runner", str(LOADER), str(told))
        self._made = json.loads(said.strip().splitlines()[-1])

    def _run(self, *words: str) -> str:
        return run(self.name, ["bundle", "exec", *words], self._home, **self._environment)

    def server(self, workers: int) -> Server:
        """Start it under Puma."""
        puma = ["bundle", "exec", "puma", "--preload", "--bind", "tcp://127.0.0.1:{port}"]
        sizes = ["--workers", str(workers), "--threads", f"{THREADS}:{THREADS}"]
        return Server(
            [*puma, *sizes], self._folder / "redmine.log", "/login", self._home, **self._environment
        )

    def sign_ins(self, our_token: str, seconds: int) -> tuple[SignIn, ...]:
        """Return its API key, which its pages take too."""
        return redmine_operations.sign_ins(our_token, self._made["key"], seconds)

    def asks(self, sign_in: SignIn, told: Told) -> Mapping[str, tuple[Ask, ...]]:
        """Return what bench/compare/redmine_operations.py asks."""
        return redmine_operations.asks(sign_in.theirs, told, self._made)


def _machines(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if Path(folder, name) in {PACKAGE / own for own in MACHINES}]


def _environment(home: Path) -> dict[str, str]:
    return {
        "RAILS_ENV": "production",
        "X_DEBIAN_SITEID": INSTANCE,  # Debian's: the first of the names by which it finds its folders
        "BUNDLE_GEMFILE": str(home / "Gemfile"),
        "BUNDLE_USER_HOME": str(home / ".bundle"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def _settle(home: Path, database: Mapping[str, Any]) -> None:
    """Return it the folders and files of settings that Debian keeps for each of several Redmines."""
    gems = home / "Gemfile"
    gems.write_text(gems.read_text().replace(str(PACKAGE), str(home)))
    gems.with_name("Gemfile.local").write_text('gem "puma"\n')
    for name in ("config", "tmp/cache", "log", "files", "public/plugin_assets"):
        (home / "instances" / INSTANCE / name).mkdir(parents=True)
    settings = home / "instances" / INSTANCE / "config"
    (settings / "database.yml").write_text(json.dumps({"production": dict(database)}))
    (settings / "secret_key.txt").write_text(secrets.token_hex(40))


def _database(folder: Path, postgres: str | None) -> dict[str, Any]:
    if postgres is None:
        file = str(folder / "redmine.sqlite3")
        return {"adapter": "sqlite3", "database": file, "timeout": LOCK_MILLISECONDS}
    url = make_url(postgres)
    return {
        "adapter": "postgresql",
        "encoding": "utf8",
        "database": url.database,
        "username": url.username,
        "password": url.password,
        "host": url.query.get("host", url.host),
        "port": url.query.get("port", url.port),
    }
