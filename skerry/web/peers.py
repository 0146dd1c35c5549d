"""Clients that vanish without a word: the system asks after them and closes their connections."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# A connection that is silent for a minute is asked after four times, and is then no more.
_SILENT_SECONDS = 60
_TRIES = 4

_FOR_A_MINUTE = 600


def watch() -> None:
    """Have all connections of this process watched, once it listens; gives up after a minute."""
    for _ in range(_FOR_A_MINUTE):
        listening = list(_listening())
        for connection in listening:
            _keep_alive(connection)
        if listening:
            return
        time.sleep(0.1)


def _listening() -> Iterator[socket.socket]:
    for path in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):
            if path.readlink().name.startswith("socket:"):
                found = socket.socket(fileno=os.dup(int(path.name)))
                if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    yield found
                else:
                    found.close()


def _keep_alive(listening: socket.socket) -> None:
    """Set what every connection inherits that comes to a listening socket."""
    with listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _SILENT_SECONDS)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _SILENT_SECONDS // _TRIES)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _TRIES)
