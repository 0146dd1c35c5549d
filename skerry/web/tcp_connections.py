"""The TCP connections of this process, as the system sees them; elsewhere than on Linux, it sees none.

The server in front of the application tells nothing about them, and lets a client that says
nothing more stay for ever.
"""

import os
import socket
import struct
import time
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path

# A connection that is silent for a minute is asked after four times, and is then no more.
_SILENT_SECONDS = 60
_TRIES = 4

# Where the kernel's description of a connection holds since how many milliseconds nothing was sent,
# and how many bytes were received.
_INFO_SIZE, _SENT, _RECEIVED = 136, struct.Struct("@44xI"), struct.Struct("@128xQ")

_FILES = Path("/proc/self/fd")

_INTERNET = (socket.AF_INET, socket.AF_INET6)

Connection = tuple[int, str]
"""The number of its file, and the name by which the system knows it: numbers are given anew."""


def keep_alive() -> None:
    """Have the system close connections whose client vanished without a word, once this listens."""
    for listening in _listening():
        # Every connection that comes here inherits this.
        with suppress(OSError):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _SILENT_SECONDS)
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _SILENT_SECONDS // _TRIES)
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _TRIES)


def listened_at() -> set[int]:
    """Give the ports at which this process listens, once it does."""
    return {listening.getsockname()[1] for listening in _listening()}


def _listening() -> Iterator[socket.socket]:
    """Wait until this process listens, and give the sockets at which it does, one after the other."""
    listens = False
    while not listens:
        time.sleep(0.1)
        for number, _ in _sockets():
            with suppress(OSError), _opened(number) as found:
                if found.family in _INTERNET and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    listens = True
                    yield found


def received(silence: Mapping[str, float], ports: Container[int]) -> dict[Connection, int]:
    """Give how many bytes came by each connection from some addresses to which nothing was sent for long.

    How many seconds that is, is said for each address. Connections that came to none of the ports are left
    out: this process opened them itself, as to a database on the same machine.
    """
    found, wanted = {}, {_plain(address): seconds for address, seconds in silence.items()}
    for connection in _sockets():
        with suppress(OSError), _opened(connection[0]) as peer:
            if peer.family not in _INTERNET or peer.getsockname()[1] not in ports:
                continue
            seconds = wanted.get(_plain(peer.getpeername()[0]))
            if seconds is not None:
                info = peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_SIZE)
                if _SENT.unpack_from(info)[0] >= 1000 * seconds:
                    found[connection] = _RECEIVED.unpack_from(info)[0]
    return found


def take_no_more(connection: Connection) -> None:
    """Let a body that is coming end as if its client had sent all of it; the answer still goes out."""
    number, name = connection
    with suppress(OSError), _opened(number) as peer:
        # To look through all that is open for each of many would take seconds.
        if _name(_FILES / str(peer.fileno())) == name:
            peer.shutdown(socket.SHUT_RD)


def _sockets() -> list[Connection]:
    """Give every socket of this process; none while so much is open that nobody can look."""
    with suppress(OSError):
        return list(_named())
    return []


def _named() -> Iterator[Connection]:
    for path in _FILES.glob("*"):
        with suppress(OSError):
            name = _name(path)
            if name.startswith("socket:"):
                yield int(path.name), name


def _name(path: Path) -> str:
    return str(path.readlink())


@contextmanager
def _opened(number: int) -> Iterator[socket.socket]:
    """Give a socket, which stays what it is though its number be given anew."""
    copy = os.dup(number)
    try:
        found = socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        raise
    with found:
        yield found


def _plain(address: str) -> str:
    """Give an address in one way of writing, an old one that came by a new socket as an old one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return str(mapped or parsed)
