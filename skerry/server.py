"""The server: granian in front of the application.

``skerry serve`` becomes this program once the database is ready. The process that watches over the
workers then holds none of what setting up needed, and has loaded only what they share with it.
"""

import argparse
import gc
import multiprocessing
import os
import resource
import signal
import socket
import sys
import time
from contextlib import suppress
from importlib import import_module
from multiprocessing import resource_tracker
from threading import Thread
from typing import Any, NoReturn

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import mp
from granian.wsgi import _callback_wrapper

from skerry import config, processors, replacing, signals
from skerry.config import Settings
from skerry.listening import claim, reached_at, refuse
from skerry.watching import NO_ROOM, PATIENCE_SECONDS, Watching
from skerry.web import slots
from skerry.web.front import Application
from skerry.web.lanes import Answer, Lanes
from skerry.web.log import Lines, Log
from skerry.web.shared_metrics import SharedMetrics
from skerry.web.site import assets

# What makes the application in each worker.
PROGRAM = "skerry.app:serve"

# So long a connection may be open without the first lines of a request.
HEADER_SECONDS = 15

# So many connections each worker takes if the system lets it open so many files. Further clients wait until
# one goes. A client that asks now and then may keep its connection for ever.
MOST_CONNECTIONS = 16_384

# So many files are left for everything else: those of the database, and what is sent and fetched.
OTHER_FILES = 512

# So often a worker looks whether the process that watches over it still lives.
LOOK_SECONDS = 0.5

# Between two looks whether a worker listens already.
_PAUSE_SECONDS = 0.05

# Blocks of memory above this size go back to the system when they are freed. By itself the C library raises
# the limit after the first password, and each of many threads then keeps the 19 MiB that checking one took.
KEPT_BYTES = 8 << 20

_KINDS_OF_LINES = ("generic", "access")

_TO_STANDARD_ERROR = {"formatter": "generic", "class": "logging.StreamHandler", "stream": "ext://sys.stderr"}


def become(*, host: str, port: int, workers: int | None, threads: int | None) -> NoReturn:
    """Replace this process by the server; the settings reach it through the environment."""
    sys.stdout.flush()
    # A signal that comes while the server is being loaded is kept until ``main`` hears of it.
    signal.pthread_sigmask(signal.SIG_BLOCK, signals.HEARD)
    if threads:
        os.environ["SKERRY_THREADS"] = str(threads)
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(KEPT_BYTES))
    workers = workers or processors.workers(processors.usable())
    options = ["--host", host, "--port", str(port), "--workers", str(workers)]
    # What a full disk does not take of the log is not kept: no process can be started while it waits.
    os.execv(  # noqa: S606 - our own program, without a shell
        sys.executable,
        [sys.executable, "-u", "-m", "skerry.server", *options],
    )


def main() -> None:
    """Answer requests until a signal says to stop; running requests are finished first."""
    if sys.platform == "linux":
        # From 3.14 on Python does not fork by itself, as threads may hold what a child needs; ours do not.
        multiprocessing.set_start_method("fork", force=True)
    if multiprocessing.get_start_method() != "fork":
        # Starting this lets signals to stop through to the thread that starts it, as the first worker would.
        resource_tracker.ensure_running()
    signals.hear()
    parser = argparse.ArgumentParser(prog="skerry serve")
    parser.add_argument("--host", required=True)
    for name in ("--port", "--workers"):
        parser.add_argument(name, type=int, required=True)
    chosen = parser.parse_args()
    with claim(chosen.host, chosen.port) as claimed:
        try:
            _listen(chosen.host, claimed.getsockname(), chosen.workers)
        except (RuntimeError, OSError, ValueError) as error:
            refuse(chosen.host, chosen.port, error)


def _listen(host: str, place: tuple[Any, ...], workers: int) -> None:
    settings = config.load()
    SharedMetrics(settings.data).clear()
    server = Watchful(
        PROGRAM,
        # The server takes addresses only, no names.
        address=place[0],
        port=place[1],
        interface=Interfaces.WSGI,
        factory=True,
        workers=workers,
        # What keeps slow callers apart, and tells who has a body, knows no other version.
        http=HTTPModes.http1,
        blocking_threads=_threads(settings),
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_SECONDS * 1000),
        backpressure=_room_for_connections(),
        workers_kill_timeout=PATIENCE_SECONDS,
        # Below that it only remarks on the number of threads, which is meant.
        log_level=LogLevels.error,
        log_dictconfig={
            "formatters": {kind: {"()": Lines, "style": settings.log_format} for kind in _KINDS_OF_LINES},
            "handlers": dict.fromkeys(("console", "access"), _TO_STANDARD_ERROR),
        },
        websockets=False,
    )
    server.first_words = f"Skerry answers at {reached_at(host, place[1])} (Ctrl-C stops it)\n"
    _load_program()
    server.serve()


def _threads(settings: Settings) -> int:
    """Give how many threads a worker has: beside those that work, one for everybody who may be slow."""
    coming, going, fetched = slots.here()
    return settings.turns + coming + going + (fetched if settings.blobs else 0)


def _load_program() -> None:
    """Load once what all workers are made of: they share its memory, and one that died is back at once."""
    if multiprocessing.get_start_method() == "fork":
        import_module(PROGRAM.partition(":")[0])
        # Whoever installs another version beside it changes no page before the restart.
        assets.load()
        # The parts of it that a search for garbage would write to could not be shared.
        gc.collect()
        gc.freeze()


def _room_for_connections() -> int:
    """Give how many connections a worker takes; granian lets it open as many files as the system allows."""
    wanted = MOST_CONNECTIONS + OTHER_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)
    return max(files // 2, files - OTHER_FILES)


def _serve(application: Application, options: dict[str, Any], log_format: str | None = None) -> Answer:
    """Give what answers a request that one of granian's threads has taken, in the worker's own process."""

    def as_granian_does(inside: Application) -> Answer:
        answer: Answer = _callback_wrapper(inside, options, log_format)
        return answer

    replacing.say_built()
    settings = config.load()
    lanes = Lanes(application, as_granian_does, Log(settings.log_format), settings.leaders)
    Thread(target=lanes.watch, name="lanes", daemon=True).start()
    return lanes


class Watchful(Watching):
    """Watches over workers that answer in lanes.

    When the first one listens it says its ``first_words``.
    """

    first_words = ""

    def _spawn_workers(self, *what: Any, **how: Any) -> None:
        try:
            # Granian's method has no types.
            super()._spawn_workers(*what, **how)  # type: ignore[no-untyped-call]
            Thread(target=self._announce, name="announce", daemon=True).start()
        except NO_ROOM as failure:
            for worker in multiprocessing.active_children():
                # This process waits for the end of those that were started before one could not be.
                worker.terminate()
            sys.exit(f"skerry: A worker cannot be started: {failure}")

    def _announce(self) -> None:
        with suppress(OSError):
            while not _accepts(self.bind_addr, self.bind_port):
                time.sleep(_PAUSE_SECONDS)
            _tell_manager()
            sys.stdout.write(self.first_words)
            sys.stdout.flush()

    @staticmethod
    def _spawn_wsgi_worker(*what: Any, **how: Any) -> None:
        signals.hear_inside()
        Thread(target=_end_with, args=(_watched_by(),), name="parent", daemon=True).start()
        # Granian has no other place for it: an application cannot say that its answer comes later.
        # Both names are its own; a test holds that they are still used as here.
        mp._wsgi_call_wrap = _serve  # type: ignore[attr-defined, assignment]  # noqa: SLF001
        Watching._spawn_wsgi_worker(*what, **how)  # noqa: SLF001


def _accepts(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port)).close()
    except OSError:
        # Refused, or there is no port or no room for the connection at the moment.
        return False
    return True


def _tell_manager() -> None:
    """Say to systemd that requests are answered, where it wants to know."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            # An address that is no file begins with a NUL, which no variable can hold.
            manager.sendto(b"READY=1", address.replace("@", "\0", 1) if address[0] == "@" else address)


def _watched_by() -> int:
    """Give the process that started this worker, even if it is gone already."""
    parent = multiprocessing.parent_process()
    return parent.pid if parent and parent.pid else 0


def _end_with(parent: int) -> None:
    """Stop this worker once the process that watches over it is gone, as nobody else ever would.

    It would go on beside the next server, at the same port, with the settings and the program of before.
    """
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
