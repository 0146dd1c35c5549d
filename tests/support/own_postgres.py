"""PostgreSQL servers of a test's own, which may be stopped, paused and copied."""

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.support import postgres

PATIENCE_SECONDS = 60


class OwnPostgres:
    """A server that can be stopped and started again; ``url`` is a database in it.

    It is reached by a socket in its folder, and by TCP as well if it ``listens`` at an address.
    """

    def __init__(self, folder, programs, user, port, listens=""):
        self.folder, self._programs, self._user, self._port = folder, programs, user, port
        self._listens = listens
        self._data = folder / f"data-{port}"
        self.url = self._address("postgres")

    def _address(self, database):
        host = self._listens or self.folder
        return f"postgresql://skerry@/{database}?host={host}&port={self._port}"

    def _run(self, program, *words):
        with (self.folder / "said").open("ab") as said:
            subprocess.run(
                [self._programs / program, *words],
                check=True,
                cwd="/",
                stdout=said,
                stderr=said,
                env={"PATH": os.defpath, "LC_ALL": "C"},
                timeout=PATIENCE_SECONDS,
                **self._user,
            )

    def make(self):
        options = ["--no-sync", "--auth=trust", "--username=skerry", "--encoding=UTF8", "--locale=C"]
        self._run("initdb", *options, f"--pgdata={self._data}")

    def start(self):
        options = f"-p {self._port} -k {self.folder} -c listen_addresses={self._listens} -F"
        words = ["start", "--wait", "--silent", f"--log={self.folder / 'log'}", "-o", options]
        self._run("pg_ctl", f"--pgdata={self._data}", *words)

    def stop(self, mode):
        self._run("pg_ctl", f"--pgdata={self._data}", "stop", "--wait", "--silent", f"--mode={mode}")

    @contextmanager
    def frozen(self):
        """Let no process of the server do anything, as on a machine that stands still."""
        first = int((self._data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        processes = [first, *map(int, children)]
        tell(processes, signal.SIGSTOP)
        try:
            yield
        finally:
            tell(processes, signal.SIGCONT)

    def database(self, name):
        """Make a database and return its address."""
        self.run(f"CREATE DATABASE {name}")
        return self._address(name)

    def run(self, sql):
        """Run a statement outside any transaction and return its first value, if it has one."""
        import psycopg  # noqa: PLC0415 - only where there is a PostgreSQL

        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchone()[0] if cursor.description else None

    @contextmanager
    def replica(self, number=1):
        """Run a replica that follows this server, the first or another one."""
        replica = OwnPostgres(self.folder, self._programs, self._user, self._port + number)
        words = ["--host", self.folder, "--port", str(self._port), "--username", "skerry"]
        more = ["--checkpoint=fast", "--no-sync", "--write-recovery-conf"]
        self._run("pg_basebackup", *words, *more, f"--pgdata={replica._data}")
        replica.start()
        try:
            yield replica
        finally:
            replica.stop("immediate")


def tell(processes, what):
    """Send a signal to processes, some of which may just have ended."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, what)


@contextmanager
def running(port=5432, listens=""):
    """Run a server; skips the test where there are no programs for one."""
    if postgres.url() is None:
        pytest.skip(postgres.reason())
    folder = Path(tempfile.mkdtemp(prefix="skerry-own-", dir="/tmp"))  # a socket's path must be short
    try:
        user = postgres.demotion(folder)
        found = postgres.installed()
        programs = found if postgres.runs(found, user) else postgres.copy_of(found, folder, user)
        server = OwnPostgres(folder, programs, user, port, listens)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder)
