"""The whole program as a process: its start, its end, and many clients at once."""

import json
import resource
import signal
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from random import Random

import pytest
from sqlalchemy import make_url

from tests.cli.terminal import Terminal
from tests.support import postgres
from tests.support.client import basic
from tests.support.processes import (
    PATIENCE,
    START_PATIENCE,
    Program,
    accepts,
    credentials,
    made,
    serving,
    shown,
    until,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server with two workers on SQLite, started for the first time but for a start that failed."""
    folder = tmp_path_factory.mktemp("shared")
    failed = Program(folder, before=("sh", "-c", 'unset PYTHONUNBUFFERED; exec "$@" >/dev/full', "sh"))
    try:
        failed.process.wait(START_PATIENCE)
    finally:
        failed.kill()
    # Nobody waits here until a body would have taken too long.
    limits = {"SKERRY_UPLOAD_LIMIT": "1000", "SKERRY_BODY_SECONDS": str(10 * PATIENCE)}
    with serving(folder, "--workers", "2", **limits) as program:
        program.failed, program.token = failed, credentials(program.output)[-1]
        yield program


@pytest.fixture(scope="module")
def on_postgres(tmp_path_factory):
    """A server with two workers on PostgreSQL, started for the first time; ``database`` is its name."""
    url = postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    folder = tmp_path_factory.mktemp("on_postgres")
    with serving(folder, "--workers", "2", SKERRY_DATABASE_URL=url) as program:
        program.database = make_url(url).database
        program.token = credentials(program.output)[-1]
        yield program


@pytest.fixture(params=["shared", "on_postgres"])
def program(request):
    return request.getfixturevalue(request.param)


def test_the_first_start_prints_how_to_sign_in(shared):
    login, password, token = credentials(shared.output)
    assert f"http://127.0.0.1:{shared.port}" in shared.output
    for headers in (basic(login, password), {"X_ServiceToken": token}):
        assert shared.get("/profile.json", **headers)[0] == 200
        assert shared.get("/projects.json", **headers)[0] == 200
    assert shared.get("/projects.json")[0] == 401
    assert password not in shared.log
    assert token not in shared.log


def test_a_first_start_without_output_prints_the_link_again(shared):
    assert shared.failed.process.returncode == 1
    assert shared.failed.log == "skerry: No space left on device\n"
    assert len(credentials(shared.output)) == 3


def test_a_second_server_prints_no_credentials_and_finishes_a_request_when_it_is_stopped(shared):
    made(shared, "/projects.json", {"project": {"name": "Roof"}})
    with serving(shared.folder, "--workers", "1") as second:
        second.token = shared.token
        assert shown(second, "/projects.json")
        until(lambda: f"http://127.0.0.1:{second.port}" in second.output, "its first words")
        for secret in ("password", "token", "login", shared.token):
            assert secret not in second.output + second.log
        finishes_a_request_when_it_is_stopped(second)


def finishes_a_request_when_it_is_stopped(program):
    body = b'{"project": {"name": "Roof"}}'
    head = f"POST /projects.json HTTP/1.1\r\nHost: x\r\nX-ServiceToken: {program.token}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE) as wire:
        wire.sendall(head.encode() + body[:10])
        # Another request, sent later, is answered: so the first one is being worked on.
        assert program.answers() == 200
        program.process.send_signal(signal.SIGTERM)
        until(lambda: not accepts(program), "the end of accepting")
        wire.sendall(body[10:])
        answer = b"".join(iter(lambda: wire.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 201 ")
    assert b'"name":"Roof"' in answer
    assert program.process.wait(PATIENCE) == 0


def test_a_person_added_on_the_command_line_can_sign_in_at_once(shared, monkeypatch, capsys):
    ben = basic("ben@example.org", "correct horse")
    assert shared.get("/projects.json", **ben)[0] == 401
    terminal = Terminal(shared.folder / "data", monkeypatch, capsys)
    terminal.good("user", "add", "--email", "ben@example.org", "--name", "Ben", "--password", "correct horse")
    assert shared.get("/projects.json", **ben)[0] == 200


def test_health_says_ok(program):
    assert program.get("/health") == (200, b'{"status":"ok"}')


def test_health_says_503_while_the_database_is_away(on_postgres):
    name = on_postgres.database
    with postgres.connect() as connection:
        connection.exec_driver_sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s", (name,)
        )
        assert on_postgres.get("/health") == (503, b'{"status":"unavailable"}')
        status, body = on_postgres.get("/projects.json", X_ServiceToken=on_postgres.token)
        assert (status, list(json.loads(body))) == (503, ["errors"])
        connection.exec_driver_sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert on_postgres.get("/health") == (200, b'{"status":"ok"}')
    assert on_postgres.get("/projects.json", X_ServiceToken=on_postgres.token)[0] == 200


def test_numbers_are_never_doubled_when_16_clients_create_at_once(program):
    project = made(program, "/projects.json", {"project": {"name": "Roof"}})["id"]
    tickets = f"/projects/{project}/tickets.json"

    def create(client):
        return [made(program, tickets, {"ticket": {"title": f"From {client}"}})["number"] for _ in range(6)]

    with ThreadPoolExecutor(16) as pool:
        numbers = [number for found in pool.map(create, range(16)) for number in found]
    assert sorted(numbers) == list(range(1, 97))
    assert shown(program, f"/projects/{project}.json")["open_tickets_count"] == 96


def test_concurrent_changes_of_one_ticket_make_one_version_each(program):
    project = made(program, "/projects.json", {"project": {"name": "Roof"}})["id"]
    made(program, f"/projects/{project}/tickets.json", {"ticket": {"title": "T"}})
    ticket = f"/projects/{project}/tickets/1.json"

    def comment(number):
        data = {"ticket": {"body": f"Comment {number}"}}
        return program.send("PUT", ticket, data, X_ServiceToken=program.token)[0]

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(comment, range(48))) == {200}
    versions = shown(program, ticket)["versions"]
    assert [version["version"] for version in versions] == list(range(1, 50))
    assert len({version["body"] for version in versions}) == 49


NO_HOST = (
    b"",
    b"Host:\r\n",
    b"Host: a.test\r\nHost: a.test\r\n",
    b"Host: a.test\r\nHost: b.test\r\n",
    b"Host: a b\r\n",
)


def test_odd_requests_over_the_wire_are_answered(shared):
    for request, status in (
        (b"GET /health HTTP/1.0\r\n\r\n", b"200"),
        (b"GET http://x.example/health HTTP/1.1\r\nHost: x.example\r\nConnection: close\r\n\r\n", b"200"),
        (b"GET /projects.json HTTP/1.0\r\n\r\n", b"401"),
        (b"GET /projects/%00.json?%ff=%00 HTTP/1.0\r\n\r\n", b"404"),
        (b"PURGE /projects.json HTTP/1.0\r\n\r\n", b"405"),
        (b"BREW /projects.json HTTP/1.0\r\n\r\n", b"400"),
        (b"GET /projects.json HTTP/1.0\r\nAuthorization: Basic \xff\r\n\r\n", b"401"),
        (b"POST /projects.json HTTP/1.0\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
        *((b"GET /health HTTP/1.1\r\n%sConnection: close\r\n\r\n" % said, b"400") for said in NO_HOST),
    ):
        with socket.create_connection(("127.0.0.1", shared.port), timeout=PATIENCE) as wire:
            wire.sendall(request)
            answer = b"".join(iter(lambda: wire.recv(65536), b""))
        assert answer.split(b" ", 2)[1] == status, (request, answer)
    assert shared.answers() == 200


def test_only_the_first_version_of_http_is_spoken(shared):
    with socket.create_connection(("127.0.0.1", shared.port), timeout=PATIENCE) as wire:
        wire.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
        answer = b"".join(iter(lambda: wire.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 4") or not answer, answer
    assert shared.answers() == 200


THOUSANDS = 4096


@pytest.fixture
def open_files():
    """Let this process open as many files as it may; skips the test where those are few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 < hard < THOUSANDS:
        pytest.skip("Too few files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("open_files")
def test_many_clients_who_keep_their_connections_keep_nobody_out(shared):
    with ExitStack() as stack:
        for _ in range(1100):
            wire = stack.enter_context(socket.create_connection(("127.0.0.1", shared.port), PATIENCE))
            wire.sendall(b"GET /health HTTP/1.1\r\n")
        assert shared.get("/health")[0] == 200
        # Nobody was given up before.
        wire.setblocking(False)
        with pytest.raises(BlockingIOError):
            wire.recv(1)


def test_a_client_that_sends_a_whole_oversized_file_gets_the_response(shared):
    part = b'--X\r\nContent-Disposition: form-data; name="ticket[attachment][]"; filename="big"\r\n\r\n'
    body = part + bytes(12 << 20) + b"\r\n--X--\r\n"
    tickets = f"/projects/{made(shared, '/projects.json', {'project': {'name': 'Roof'}})['id']}/tickets.xml"
    kind = f"Content-Type: multipart/form-data; boundary=X\r\nContent-Length: {len(body)}"
    head = f"POST {tickets} HTTP/1.1\r\nHost: x\r\nX-ServiceToken: {shared.token}\r\n{kind}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", shared.port), timeout=PATIENCE) as wire:
        wire.sendall(head.encode() + body)
        assert wire.recv(65536).startswith(b"HTTP/1.1 413 ")


def refused(length, headers=""):
    """Return the beginning of a request with a body whose sender nobody knows."""
    kind = f"Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}"
    return f"POST /projects/1/tickets.json HTTP/1.1\r\nHost: x\r\n{kind}\r\n".encode()


def test_a_client_that_sends_a_refused_body_to_its_end_gets_the_response(shared):
    with socket.create_connection(("127.0.0.1", shared.port), timeout=PATIENCE) as wire:
        wire.sendall(refused(12 << 20) + bytes(12 << 20))
        assert wire.recv(65536).startswith(b"HTTP/1.1 401 ")
    with socket.create_connection(("127.0.0.1", shared.port), timeout=PATIENCE) as wire:
        wire.sendall(refused(12 << 20, "Expect: 100-continue\r\n"))
        assert wire.recv(65536).startswith(b"HTTP/1.1 401 ")


def test_clients_that_leave_early_leave_no_traceback(shared):
    chance = Random(7)
    project = f"/projects/{made(shared, '/projects.json', {'project': {'name': 'Roof'}})['id']}"
    head = f"Host: x\r\nX-ServiceToken: {shared.token}\r\n"
    requests = [
        f"GET {project}/tickets.json HTTP/1.1\r\n{head}\r\n",
        f"GET {project}/events.json HTTP/1.1\r\n{head}Accept: text/event-stream\r\n\r\n",
        f"POST {project}/tickets.json HTTP/1.1\r\n{head}Content-Length: 9000\r\n\r\n" + "x" * 9000,
    ]
    for _ in range(150):
        data = "".join(chance.choices(requests, k=3)).encode()
        with socket.create_connection(("127.0.0.1", shared.port), timeout=PATIENCE) as wire:
            # Closing resets the connection.
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            wire.sendall(data[: chance.randrange(len(data))])
    assert shared.get("/health")[0] == 200
    assert "Task was destroyed" not in shared.log
