"""The server: uvicorn's supervisor and workers.

``skerry serve`` prepares the database and then replaces itself with this program, so that the supervisor
keeps no memory of the preparation.
"""

import argparse
import errno
import os
import resource
import signal
import socket
import sys
import time
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from uvicorn.config import STARTUP_FAILURE, Config
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from skerry import processes, settings
from skerry.http_protocol import Protocol
from skerry.web.log import Log

PROGRAM = "skerry.app"
"""The module whose ``serve`` builds the application in each worker."""

TIMEOUT_SECONDS = 30
"""How long running requests may take after a signal to stop."""

IDLE_SECONDS = 15
"""How long a connection stays open without a request."""

MAX_WORKERS = 4
"""The maximum of the default number of workers."""

MAX_CONNECTIONS = 16_384
"""The maximum number of connections of a worker, if it may open that many files."""

OTHER_FILES = 512
"""The number of files reserved for everything else: the database, uploads and downloads."""

_BACKLOG = 2048

# A worker that does not respond for this long is killed.
_HEALTH_SECONDS = 10

# How long a new worker may take to start while another one handles requests.
_START_SECONDS = 30

PORT_SECONDS = 3
"""How long to wait for the port of a server that is stopping."""

# Log rotation programs send these signals; this log goes to standard error.
_MEANINGLESS = (signal.SIGUSR1, signal.SIGUSR2)

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; exits with a message if it is in use."""
    until = time.monotonic() + PORT_SECONDS
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        while True:
            try:
                return socket.create_server(
                    place, family=family, backlog=_BACKLOG, dualstack_ipv6=family == socket.AF_INET6
                )
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() > until:
                    raise
            time.sleep(0.1)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        sys.exit(f"skerry: Cannot listen at {host}, port {port}: {reason}")


def address(host: str, port: int) -> str:
    """Return the URL at which a browser on this machine reaches a host and port."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def become(listening: socket.socket, *, host: str, workers: int | None, threads: int | None) -> NoReturn:
    """Replace this process with the server; the settings reach it through the environment."""
    sys.stdout.flush()
    # A signal that arrives while the server is loading waits until the supervisor handles it.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    listening.set_inheritable(True)
    if threads:
        os.environ["SKERRY_THREADS"] = str(threads)
    # Log lines are dropped if the disk is full: a buffered one would keep processes from starting.
    os.environ["PYTHONUNBUFFERED"] = "1"
    options = ["--host", host, "--fd", str(listening.fileno())]
    options += ["--workers", str(workers or min(processes.usable_processors(), MAX_WORKERS))]
    os.execv(  # noqa: S606 - this program itself, without a shell
        sys.executable, [sys.executable, "-m", "skerry.server", *options]
    )


def main() -> None:
    """Supervise workers until a signal to stop; running requests are finished first."""
    parser = argparse.ArgumentParser(prog="skerry serve")
    parser.add_argument("--host", required=True)
    for name in ("--fd", "--workers"):
        parser.add_argument(name, type=int, required=True)
    chosen = parser.parse_args()
    with socket.socket(fileno=chosen.fd) as listening:
        log_format = settings.load().log_format
        where = address(chosen.host, listening.getsockname()[1])
        supervisor = Supervisor(_configuration(chosen.workers, log_format), [listening])
        supervisor.log = Log(log_format)
        supervisor.first_words = f"Skerry answers at {where} (Ctrl-C stops it)\n"
        # Workers inherit the blocked signals.
        signal.pthread_sigmask(signal.SIG_SETMASK, _MEANINGLESS)
        supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        sys.exit(1)


def application() -> Any:
    """Return the application of a worker; if it cannot be built, no worker is started again."""
    try:
        return import_module(PROGRAM).serve()
    except Exception as error:  # noqa: BLE001 - any error here would recur in a new worker
        Log(settings.load().log_format).failure("start", "", error)
        sys.exit(STARTUP_FAILURE)


def _configuration(workers: int, log_format: str) -> Config:
    return Config(
        "skerry.server:application",
        factory=True,
        interface="asgi3",
        lifespan="on",
        workers=workers,
        http=Protocol,
        ws="none",
        limit_concurrency=_room_for_connections(),
        backlog=_BACKLOG,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=TIMEOUT_SECONDS,
        timeout_worker_healthcheck=_HEALTH_SECONDS,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="error",
        log_config=_logging(log_format),
    )


def _logging(log_format: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": "skerry.web.log.LogFormatter", "style": log_format}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["stderr"], "level": "ERROR"},
    }


def _room_for_connections() -> int:
    """Return how many connections a worker accepts, and raise its limit of open files."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS allows fewer than it reports
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + OTHER_FILES
    files = wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)
    return max(files // 2, files - OTHER_FILES)


class Supervisor(Multiprocess):
    """A supervisor that replaces ended workers, and all of them on a reload; it announces the server."""

    log: Log
    first_words = ""

    def __init__(self, config: Config, sockets: list[socket.socket]) -> None:
        """Create a supervisor, with the arguments of uvicorn's class."""
        super().__init__(config, sockets)
        self._outdated: list[Process] = []
        self._retired: list[Process] = []
        self._said = ""

    def init_processes(self) -> None:
        """Start the workers; exits with a message if the system cannot start processes."""
        try:
            super().init_processes()
        except OSError as failure:
            self.terminate_all()
            sys.exit(f"skerry: A worker cannot be started: {failure}")

    def handle_quit(self) -> None:
        """Stop as on SIGTERM."""
        self.should_exit.set()

    def restart_all(self) -> None:
        """Replace all workers, one in each round of the main loop, so that signals are still handled."""
        self._outdated = list(self.processes)

    def keep_subprocess_alive(self) -> None:
        """Replace ended workers and one that is outdated; if that fails, try again later."""
        before = list(self.processes)
        try:
            super().keep_subprocess_alive()
            self._renew_one()
            self._said = ""
        except OSError as failure:
            if str(failure) != self._said:
                self._said = str(failure)
                self.log.event("worker", put_off=self._said)
        for process in before:
            if process not in (*self.processes, *self._retired):
                self.log.event("worker", ended=process.pid, exit_code=process.exitcode)
        if self.first_words and self.processes[0].is_ready():
            self._announce()

    def _renew_one(self) -> None:
        """Start a worker in place of an outdated one, which ends once the new one is ready."""
        self._retired = [process for process in self._retired if process.exitcode is None]
        # Replacing all at once would double the connections to the database.
        old = self._outdated.pop() if self._outdated and not self._retired else None
        if old not in self.processes:
            return
        new = Process(self.config, self.sockets)
        new.start()
        if new.wait_until_ready(_START_SECONDS):
            self.processes[self.processes.index(old)] = new
            self._retired.append(old)
            old.terminate()
        else:
            new.kill()
            new.join()
            self._outdated.clear()
            self.log.event("reload", put_off="A new worker was not ready", exit_code=new.exitcode)

    def terminate_all(self) -> None:
        """Stop accepting connections, and tell the workers to stop."""
        for each in self.sockets:
            each.close()
        super().terminate_all()

    def join_all(self) -> None:
        """Wait for the workers, and kill those that do not stop in time."""
        until = time.monotonic() + TIMEOUT_SECONDS + 5
        for process in (*self.processes, *self._retired):
            process.process.join(max(0, until - time.monotonic()))
            if process.exitcode is None:
                process.kill()
        super().join_all()

    def _announce(self) -> None:
        """Announce the server's URL on standard output and to systemd."""
        with suppress(OSError):
            sys.stdout.write(self.first_words)
            sys.stdout.flush()
        self.first_words = ""
        name = os.environ.get("NOTIFY_SOCKET", "")
        if name:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                # An abstract address begins with a NUL, which no environment variable can hold.
                manager.sendto(b"READY=1", name.replace("@", "\0", 1) if name[0] == "@" else name)


if __name__ == "__main__":
    main()
