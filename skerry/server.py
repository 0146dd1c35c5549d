"""The server: granian in front of the application.

``skerry serve`` becomes this program once the database is ready. The process that only watches over
the workers then holds none of what setting up needed, which is half of the memory of a small server.
"""

import argparse
import os
import sys
from typing import NoReturn

from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server import Server


def become(*, host: str, port: int, workers: int | None, threads: int | None) -> NoReturn:
    """Replace this process by the server; the settings reach it through the environment."""
    sys.stdout.flush()
    options = ["--host", host, "--port", str(port), "--workers", str(workers or 1)]
    os.execv(  # noqa: S606 - our own program, without a shell
        sys.executable,
        [sys.executable, "-m", "skerry.server", *options, "--threads", str(threads or 2)],
    )


def main() -> None:
    """Answer requests until a signal says to stop; running requests are finished first."""
    parser = argparse.ArgumentParser(prog="skerry serve")
    parser.add_argument("--host", required=True)
    for name in ("--port", "--workers", "--threads"):
        parser.add_argument(name, type=int, required=True)
    chosen = parser.parse_args()
    server = Server(
        "skerry.app:serve",
        address=chosen.host,
        port=chosen.port,
        interface=Interfaces.WSGI,
        factory=True,
        workers=chosen.workers,
        blocking_threads=chosen.threads,
        respawn_failed_workers=True,
        log_level=LogLevels.warning,
        websockets=False,
    )
    sys.stdout.write(f"Skerry answers at http://{chosen.host}:{chosen.port} (Ctrl-C stops it)\n")
    sys.stdout.flush()
    server.serve()


if __name__ == "__main__":
    main()
