"""How many connections a server takes, how many files it opens, and how many threads it has."""

import resource
import socket
import subprocess
import sys
import time

import pytest

from skerry import server
from tests.support.processes import PATIENCE, ROOT, START_PATIENCE, serving


@pytest.mark.parametrize(
    ("files", "room"),
    [
        (4096, 4096 - server.OTHER_FILES),
        (1_000_000, server.MAX_CONNECTIONS),
        (600, 300),
        (resource.RLIM_INFINITY, server.MAX_CONNECTIONS),
    ],
)
def test_a_worker_takes_as_many_connections_as_files_may_be_open(monkeypatch, files, room):
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (files, files))
    monkeypatch.setattr(resource, "setrlimit", lambda _which, _limits: None)
    assert server._room_for_connections() == room


def test_a_worker_may_open_as_many_files_as_the_system_lets_it():
    said = """if True:
        import resource
        from skerry import server
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, most))
        server._room_for_connections()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, most)
    """
    subprocess.run([sys.executable, "-c", said], check=True, timeout=START_PATIENCE, cwd=ROOT)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("limits"), "--workers", "1", SKERRY_UPLOAD_LIMIT="1000") as program:
        yield program


def test_who_sends_a_file_that_is_too_large_to_its_end_gets_the_answer(program):
    part = b'--X\r\nContent-Disposition: form-data; name="ticket[attachment][]"; filename="big"\r\n\r\n'
    body = part + bytes(12 << 20) + b"\r\n--X--\r\n"
    token = program.output.split("token")[1].split()[0]
    program.send("POST", "/projects.json", {"project": {"name": "Roof"}}, X_ServiceToken=token)
    kind = f"Content-Type: multipart/form-data; boundary=X\r\nContent-Length: {len(body)}"
    head = f"POST /projects/1/tickets.xml HTTP/1.1\r\nHost: x\r\nX-ServiceToken: {token}\r\n{kind}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE) as wire:
        wire.sendall(head.encode() + body)
        assert wire.recv(65536).startswith(b"HTTP/1.1 413 ")


def refused(length, headers=""):
    """Return the beginning of a request with a body whose sender nobody knows."""
    kind = f"Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}"
    return f"POST /projects/1/tickets.json HTTP/1.1\r\nHost: x\r\n{kind}\r\n".encode()


def test_who_sends_what_is_refused_unread_to_its_end_gets_the_answer(program):
    with socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE) as wire:
        wire.sendall(refused(12 << 20) + bytes(12 << 20))
        assert wire.recv(65536).startswith(b"HTTP/1.1 401 ")
    with socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE) as wire:
        wire.sendall(refused(12 << 20, "Expect: 100-continue\r\n"))
        began = time.monotonic()
        assert wire.recv(65536).startswith(b"HTTP/1.1 401 ")
        assert time.monotonic() - began < PATIENCE / 2
