"""Where the server listens: a port of its own, and the address at which others reach it."""

import errno
import socket
import sys
import time
from contextlib import ExitStack
from typing import Any, NoReturn

# So long a server waits for one before it, whose workers end up to half a second after it was killed.
PATIENCE_SECONDS = 3

_PAUSE_SECONDS = 0.1


def reached_at(host: str, port: int) -> str:
    """Give an address at which a browser on this machine finds what listens at a host and a port."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - what others have chosen
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def claim(host: str, port: int) -> socket.socket:
    """Take a port for as long as what is given is open; ends the program in words if somebody else has it.

    The system lets several processes of one user listen at the same port, as our workers do, and
    gives each a part of the requests. A second server is none of them. One that is just ending is waited for.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        while True:
            try:
                return _bound(family, place)
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() > until:
                    raise
            time.sleep(_PAUSE_SECONDS)
    except OSError as error:
        refuse(host, port, error)


def _bound(family: int, place: tuple[Any, ...]) -> socket.socket:
    with ExitStack() as undone:
        claimed = undone.enter_context(socket.socket(family))
        # What connections to a server before have left behind is in nobody's way.
        claimed.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        claimed.bind(place)
        claimed.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        # From here on it is shared with those who say beforehand that they share it: our workers.
        claimed.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        undone.pop_all()
        return claimed


def refuse(host: str, port: int, error: Exception) -> NoReturn:
    """End the program with a sentence that says why it cannot listen."""
    # What the server says of it may end with a trace of its own.
    reason = (getattr(error, "strerror", None) or str(error)).partition("\n")[0]
    sys.exit(f"skerry: Cannot listen at {host}, port {port}: {reason}")
