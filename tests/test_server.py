"""The whole program as a process: ``python -m skerry serve`` on a port of its own."""

import base64
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import make_url

from tests import postgres

ROOT = str(Path(__file__).parents[1])
PATIENCE = 30  # seconds that anything here may take on a busy machine
JSON = {"Content-Type": "application/json"}

pytestmark = pytest.mark.xdist_group("server")


def until(found, what):
    """Ask again and again, without sleeping longer than a moment, until something is found."""
    deadline, pause = time.monotonic() + PATIENCE, Event()
    while not (result := found()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not happen within {PATIENCE} seconds")
        pause.wait(0.02)
    return result


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program:
    """A running server; ``output`` is what it has printed so far."""

    def __init__(self, folder, *options, before=(), **environment):
        self.port = free_port()
        self._printed = folder / f"printed-{self.port}"
        self._logged = folder / f"logged-{self.port}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
        words = ["--data", str(folder / "data"), "serve", "--port", str(self.port), *options]
        with self._printed.open("w") as printed, self._logged.open("w") as logged:
            self.process = subprocess.Popen(
                [*before, sys.executable, "-m", "skerry", *words],
                stdout=printed,
                stderr=logged,
                env={**kept, "PYTHONPATH": ROOT, **environment},
                start_new_session=True,  # so that its workers can be ended with it, whatever happens
            )

    @property
    def output(self):
        return self._printed.read_text()

    @property
    def log(self):
        return self._logged.read_text()

    def answers(self):
        assert self.process.poll() is None, self.log
        try:
            return self.get("/health")[0]
        except OSError:
            return None

    def get(self, path, **headers):
        return self.send("GET", path, **headers)

    def send(self, method, path, data=None, **headers):
        """Give the status and the body of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if data is None else json.dumps(data)
        try:
            connection.request(method, path, body, {**(JSON if data is not None else {}), **sent})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def end(self):
        """Stop it as a service manager does, and give its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self):
        """End whatever is left of it."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(folder, *options, before=(), **environment):
    program = Program(folder, *options, before=before, **environment)
    try:
        until(program.answers, "an answer")
        yield program
    finally:
        program.kill()
    assert "Traceback" not in program.log, program.log


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server with two workers on SQLite, started for the first time."""
    folder = tmp_path_factory.mktemp("shared")
    with serving(folder, "--workers", "2") as program:
        program.folder = folder
        program.token = credentials(program.output)[-1]
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


def made(program, path, data):
    """Make something and give its record."""
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
    """Give login, password and token as the first start printed them."""
    return [
        re.search(rf"^ *{name} +(\S+)$", output, re.MULTILINE)[1] for name in ("login", "password", "token")
    ]


def basic(login, password):
    return "Basic " + base64.b64encode(f"{login}:{password}".encode()).decode()


def test_the_first_start_prints_how_to_sign_in(shared):
    login, password, token = credentials(shared.output)
    assert f"http://127.0.0.1:{shared.port}" in shared.output
    for headers in ({"Authorization": basic(login, password)}, {"X_ServiceToken": token}):
        assert shared.get("/profile.json", **headers)[0] == 200
        assert shared.get("/projects.json", **headers)[0] == 200
    assert shared.get("/projects.json")[0] == 401
    assert password not in shared.log
    assert token not in shared.log


def test_the_second_start_prints_no_credentials(shared):
    with serving(shared.folder) as second:
        second.token = shared.token
        made(shared, "/projects.json", {"project": {"name": "Roof"}})
        assert shown(second, "/projects.json")
        assert f"http://127.0.0.1:{second.port}" in second.output
        for secret in ("password", "token", "login", shared.token):
            assert secret not in second.output + second.log
        assert second.end() == 0


def test_what_the_command_line_adds_is_known_to_the_running_server(shared):
    words = ("user", "add", "--email", "ben@example.org", "--name", "Ben", "--password", "correct horse")
    ben = {"Authorization": basic("ben@example.org", "correct horse")}
    assert shared.get("/projects.json", **ben)[0] == 401
    subprocess.run(
        [sys.executable, "-m", "skerry", *words, "--data", str(shared.folder / "data")],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": ROOT},
    )
    assert shared.get("/projects.json", **ben)[0] == 200


def test_a_signal_lets_a_running_request_finish(tmp_path):
    with serving(tmp_path) as program:
        token = credentials(program.output)[-1]
        body = b'{"project": {"name": "Roof"}}'
        head = f"POST /projects.json HTTP/1.1\r\nHost: x\r\nX-ServiceToken: {token}\r\n"
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


def accepts(program):
    try:
        socket.create_connection(("127.0.0.1", program.port), timeout=1).close()
    except OSError:
        return False
    return True


def test_a_signal_during_the_start_ends_the_program_too(tmp_path):
    program = Program(tmp_path)
    try:
        until(lambda: accepts(program), "the start")
        program.process.send_signal(signal.SIGTERM)
        program.process.wait(PATIENCE / 3)
    finally:
        program.kill()


def test_health_says_ok_in_so_many_words(program):
    assert program.get("/health") == (200, b'{"status":"ok"}')


def test_health_says_503_while_the_database_is_away(on_postgres):
    name = on_postgres.database
    with postgres.connect() as connection:
        connection.exec_driver_sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", (name,)
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


def test_changes_of_one_ticket_at_once_make_one_version_each(program):
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


def test_a_port_that_is_taken_is_said_and_ends_the_program(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        words = ["--data", str(tmp_path), "serve", "--port", str(taken.getsockname()[1])]
        words += ["--host", "localhost"]  # a name will do, too
        done = subprocess.run(
            [sys.executable, "-m", "skerry", *words],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": ROOT},
            timeout=PATIENCE,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("skerry: Cannot listen at localhost, port ")
    assert "in use" in done.stderr
    assert done.stderr.count("\n") == 1


def test_odd_requests_over_the_wire_are_answered(shared):
    for request, status in (
        (b"GET /health HTTP/1.0\r\n\r\n", b"200"),
        (b"GET http://x.example/health HTTP/1.1\r\nHost: x.example\r\nConnection: close\r\n\r\n", b"200"),
        (b"GET /projects.json HTTP/1.0\r\n\r\n", b"401"),
        (b"GET /projects/%00.json?%ff=%00 HTTP/1.0\r\n\r\n", b"400"),
        (b"BREW /projects.json HTTP/1.0\r\n\r\n", b"405"),
        (b"GET /projects.json HTTP/1.0\r\nAuthorization: Basic \xff\r\n\r\n", b"401"),
        (b"POST /projects.json HTTP/1.0\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
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
