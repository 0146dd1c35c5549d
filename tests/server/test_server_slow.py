"""The whole program with slow clients, which delay nobody else."""

import http.client
import json
import signal
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from skerry import http_protocol
from tests.server.test_server_faults import listed, opened, started
from tests.support import own_postgres
from tests.support.forms import KIND, field, file, form
from tests.support.processes import PATIENCE, free_port, seconds, shown, until

pytestmark = pytest.mark.faults

MANY = 300


@contextmanager
def connections(program, number, sent, address="127.0.0.1"):
    """So many clients at one address that have sent the same and then say nothing more."""
    with ExitStack() as stack:
        wires = []
        for _ in range(number):
            wire = stack.enter_context(socket.socket())
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # the system takes little for us
            wire.settimeout(PATIENCE)
            wire.bind((address, 0))
            wire.connect(("127.0.0.1", program.port))
            wire.sendall(sent)
            wires.append(wire)
        yield wires


def beginning(program, length=1000, kind="application/json", token=None):
    """The first bytes of a request whose body never comes to its end."""
    return (
        f"POST /projects/1/tickets.json HTTP/1.1\r\nHost: x\r\nX-ServiceToken: {token or program.token}\r\n"
        f'Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{{"ticket"'
    ).encode()


@pytest.fixture(scope="module")
def patient(tmp_path_factory):
    """A server with one worker of two threads, as it is without any setting."""
    with started(tmp_path_factory.mktemp("patient"), "--workers", "1", "--threads", "2") as program:
        yield program


def test_slow_bodies_do_not_delay_others(patient):
    with connections(patient, MANY, beginning(patient)) as wires:
        for _ in range(10):
            for wire in wires:
                wire.sendall(b" ")
            assert listed(patient) == 200
            assert opened(patient)[0] == 201
        assert seconds(lambda: listed(patient)) < PATIENCE / 6


def test_a_client_that_waits_for_other_writers_does_not_count_as_slow(tmp_path):
    with started(tmp_path, "--workers", "1", SKERRY_BODY_SECONDS="1") as program:
        writing = sqlite3.connect(tmp_path / "data" / "skerry.sqlite3", isolation_level=None)
        with closing(writing), ThreadPoolExecutor() as pool:
            writing.execute("BEGIN IMMEDIATE")
            waiting = pool.submit(opened, program)
            # After a second its time is over, and it is looked at for another one.
            assert not wait([waiting], timeout=5).done
            writing.execute("ROLLBACK")
            assert waiting.result() == (201, None)


def test_a_slow_body_does_not_delay_others_from_the_same_address(tmp_path):
    with (
        started(tmp_path, "--workers", "1", SKERRY_BODY_SECONDS="2") as program,
        connections(program, 1, beginning(program)) as (wire,),
        closing(sqlite3.connect(tmp_path / "data" / "skerry.sqlite3", isolation_level=None)) as writing,
        ThreadPoolExecutor() as pool,
    ):
        began = time.monotonic()
        until(lambda: time.monotonic() > began + 1, "another request so much later")
        writing.execute("BEGIN IMMEDIATE")
        waiting = pool.submit(opened, program)
        assert wire.recv(65536).startswith(b"HTTP/1.1 408 ")
        writing.execute("ROLLBACK")
        assert waiting.result() == (201, None)


def test_slow_first_lines_hold_nobody_up_and_are_given_up(patient):
    with connections(patient, 200, b"GET /projects.json HTTP/1.1\r\nHost: x\r\nX-Ser") as wires:
        began = time.monotonic()
        assert listed(patient) == 200
        assert opened(patient)[0] == 201
        assert [wire.recv(1) for wire in wires] == [b""] * 200
        assert time.monotonic() - began > http_protocol.HEADER_SECONDS / 2


def test_headers_without_end_are_refused(patient):
    with connections(patient, 1, b"GET /projects.json HTTP/1.1\r\nHost: x\r\nX: ") as (wire,):
        with suppress(OSError):  # the connection is closed after the answer
            for _ in range(100):
                wire.sendall(b"x" * 10_000)
                time.sleep(0.01)
        assert wire.recv(65536).startswith(b"HTTP/1.1 431 ")


def test_files_that_are_not_fetched_to_the_end_hold_nobody_up_and_are_given_up(patient):
    path = attached(patient, b"x" * 16_000_000)
    fetch = f"GET {path} HTTP/1.1\r\nHost: x\r\nX-ServiceToken: {patient.token}\r\n\r\n".encode()
    with connections(patient, 40, fetch) as wires:
        assert {wire.recv(12) for wire in wires} == {b"HTTP/1.1 200"}
        assert listed(patient) == 200
        assert opened(patient)[0] == 201
        assert patient.get(path, X_ServiceToken=patient.token)[0] == 200
        until(lambda: not kept(patient), "their end", 3 * http_protocol.STALLED_SECONDS)


def kept(program):
    """Return how many connections of a server are open on its side; what it sent may not be read yet."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(at.endswith(f":{program.port:04X}") and state == "01" for _, at, _, state, *_ in lines)


def attached(program, content):
    """Open a ticket with a file and give the path of the file."""
    body = form(field("ticket[title]", "Large"), file(content, "large.bin"))
    connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=PATIENCE)
    headers = {"X-ServiceToken": program.token, "Content-Type": KIND}
    connection.request("POST", "/projects/1/tickets.json", body, headers)
    (ticket,) = json.loads(connection.getresponse().read()).values()
    connection.close()
    found = shown(program, f"/projects/1/tickets/{ticket['number']}.json")["attachments"][0]
    (attachment,) = found.values()
    return attachment["url"].partition(str(program.port))[2]


def test_a_body_that_does_not_come_in_time_is_answered_with_408(tmp_path):
    with (
        started(tmp_path, "--workers", "1", SKERRY_BODY_SECONDS="1") as program,
        connections(program, 12, beginning(program)) as wires,
    ):
        answers = [b"".join(iter(partial(wire.recv, 65536), b"")) for wire in wires]
        assert {answer.partition(b"\r\n")[0] for answer in answers} == {b"HTTP/1.1 408 Request Timeout"}
        assert all(
            answer.endswith(b'{"errors":["The request took too long to arrive"]}') for answer in answers
        )
        assert opened(program)[0] == 201


def test_a_body_that_arrives_byte_by_byte_is_given_up(tmp_path):
    with (
        started(tmp_path, "--workers", "1", SKERRY_BODY_SECONDS="1") as program,
        connections(program, 1, beginning(program, 100_000)) as (wire,),
    ):

        def fed():
            with suppress(OSError):  # the connection is closed after the answer
                wire.sendall(b" ")
            return "status=408" in program.log

        until(fed, "an answer")
        assert opened(program)[0] == 201


def test_a_slow_body_at_a_worker_that_is_being_replaced_is_given_up_too(tmp_path):
    with (
        started(tmp_path, "--workers", "1", SKERRY_BODY_SECONDS="3") as program,
        connections(program, 1, beginning(program)) as (wire,),
    ):
        before = program.workers()
        # It is with the worker once that answers somebody who came later.
        assert listed(program) == 200
        program.process.send_signal(signal.SIGHUP)
        assert wire.recv(65536).startswith(b"HTTP/1.1 408 ")
        until(lambda: len(now := program.workers()) == 1 and now - before, "a new worker alone")


def test_a_slow_body_from_the_machine_of_the_database_cuts_off_no_connection_to_it(tmp_path):
    address = "127.0.0.1"
    with (
        own_postgres.running(free_port(), address) as server,
        started(
            tmp_path, "--workers", "1", SKERRY_BODY_SECONDS="1", SKERRY_DATABASE_URL=server.url
        ) as program,
    ):
        before = connected(server)
        with connections(program, 1, beginning(program), address) as (wire,):
            assert wire.recv(65536).startswith(b"HTTP/1.1 408 ")
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: listed(program), range(40))) == {200}
        assert before <= connected(server)


def connected(server):
    """Return the processes of a PostgreSQL that somebody else is connected to."""
    of_others = "FROM pg_stat_activity WHERE client_port > 0 AND pid <> pg_backend_pid()"
    return set(server.run(f"SELECT array_agg(pid) {of_others}"))
