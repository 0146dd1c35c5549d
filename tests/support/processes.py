"""The whole program as a process: any of its commands, and ``serve`` on a port of its own."""

import http.client
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from itertools import cycle
from pathlib import Path
from threading import Event

ROOT = str(Path(__file__).parents[2])
PATIENCE = 60  # seconds that anything here may take on a busy machine
START_PATIENCE = 2 * PATIENCE  # a start loads the whole program more than once, and nothing ends it sooner
JSON = {"Content-Type": "application/json"}

# Below those that the system gives to whoever wants any, and others for each worker of a run.
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = cycle(random.sample(range(10_000 + _WORKER % 64, 32_000, 64), 300))


def until(found, what, patience=PATIENCE):
    """Ask again and again, without sleeping longer than a moment, until something is found."""
    deadline, pause = time.monotonic() + patience, Event()
    while not (result := found()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not happen within {patience} seconds")
        pause.wait(0.02)
    return result


def seconds(work):
    """Return how long some work takes."""
    began = time.monotonic()
    work()
    return time.monotonic() - began


def skerry(*words):
    """Run the program to its end, with warnings as errors, and return how it went."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "skerry", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "PYTHONPATH": ROOT},
        timeout=START_PATIENCE,
    )


def free_port():
    """Return a port on which nobody listens, and which nobody else is given before somebody does."""
    for port in _PORTS:
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError


def command(process):
    """Return the words with which a process was started; none once it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


class Program:
    """A running server; ``output`` is what it has printed so far."""

    def __init__(self, folder, *options, before=(), port=None, **environment):
        self.folder = folder
        self.port = port or free_port()
        self._printed = folder / f"printed-{self.port}"
        self._logged = folder / f"logged-{self.port}"
        self._is_killed = False
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
        with self._printed.open("w") as printed, self._logged.open("w") as logged:
            self.process = subprocess.Popen(
                [*before, sys.executable, *self.words(*options)],
                stdout=printed,
                stderr=logged,
                env={**kept, "PYTHONPATH": ROOT, **environment},
                start_new_session=True,  # so that its workers can be ended with it, whatever happens
            )

    def words(self, *options):
        """Return what Python is started with."""
        return [
            "-m",
            "skerry",
            "--data",
            str(self.folder / "data"),
            "serve",
            "--port",
            str(self.port),
            *options,
        ]

    @property
    def output(self):
        return self._printed.read_text()

    @property
    def log(self):
        return self._logged.read_text()

    def answers(self):
        """Return the status of an answer, None where there is none; fails once the server has ended."""
        assert self.process.poll() is None, self.log
        try:
            return self.get("/health")[0]
        except (OSError, http.client.HTTPException):  # a worker that dies takes the connections along
            return None

    def get(self, path, **headers):
        return self.send("GET", path, **headers)

    def send(self, method, path, data=None, **headers):
        """Return the status and the body of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if data is None else json.dumps(data)
        try:
            connection.request(method, path, body, {**(JSON if data is not None else {}), **sent})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def workers(self):
        """Return the numbers of the processes that answer."""
        main = self.process.pid
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        return {int(pid) for pid in children if "spawn_main" in command(pid)}

    def end(self):
        """Stop it as a service manager does, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self):
        """End whatever is left of it, once: its number may be that of another process later."""
        if self._is_killed:
            return
        self._is_killed = True
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(folder, *options, kind=Program, **environment):
    program = kind(folder, *options, **environment)
    try:
        until(program.answers, "an answer", START_PATIENCE)
        yield program
    finally:
        program.kill()
    assert "Traceback" not in program.log, program.log


def accepts(program):
    """Return whether a server takes connections."""
    try:
        socket.create_connection(("127.0.0.1", program.port), timeout=1).close()
    except OSError:
        return False
    return True


def made(program, path, data):
    """Make something and return its record."""
    status, body = program.send("POST", path, data, X_ServiceToken=program.token)
    assert status == 201, body
    (record,) = json.loads(body).values()
    return record


def shown(program, path):
    status, body = program.get(path, X_ServiceToken=program.token)
    assert status == 200, body
    (record,) = json.loads(body).values()
    return record


def credentials(output):
    """Return login, password and token as the first start printed them."""
    return [
        re.search(rf"^ *{name} +(\S+)$", output, re.MULTILINE)[1] for name in ("login", "password", "token")
    ]


def kill_workers(program, meanwhile=lambda _program: None):
    """Kill all workers, and wait until others answer."""
    before = program.workers()
    for worker in before:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    meanwhile(program)
    until(lambda: program.workers() and not program.workers() & before, "other workers", START_PATIENCE)
    until(program.answers, "an answer", START_PATIENCE)


def expire_leases(program):
    """Let the leases end that would have ended some seconds later, so that who starts now takes them."""
    with (
        closing(sqlite3.connect(program.folder / "data" / "skerry.sqlite3", timeout=20)) as database,
        database,
    ):
        database.execute("UPDATE leases SET expires_at = 0")
