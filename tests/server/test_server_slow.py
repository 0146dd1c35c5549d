"""The whole program when clients are slow: they hold up nobody but themselves."""

import http.client
import json
import signal
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial

import pytest
from skerry.web.slots import COMING_SLOTS, GOING_SLOTS

from skerry.web.requests.bodies import FORM
from tests.server.test_server_faults import listed, opened, started
from tests.support import own_postgres
from tests.support.forms import KIND, field, file, form
from tests.support.processes import PATIENCE, free_port, seconds, shown, skerry, until

pytestmark = pytest.mark.faults

EARLY_SLOTS, KNOWN_SLOTS = COMING_SLOTS // 4, COMING_SLOTS // 2


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


@pytest.fixture
def untouched(tmp_path):
    """The same, with all of its seats free: those of clients that went are so only after a while."""
    with started(tmp_path, "--workers", "1", "--threads", "2") as program:
        yield program


def test_slow_bodies_hold_nobody_up(patient):
    with connections(patient, 32, beginning(patient)) as wires:
        for _ in range(20):
            for wire in wires:
                wire.sendall(b" ")
            assert listed(patient) == 200
            assert opened(patient)[0] == 201
        assert seconds(lambda: listed(patient)) < PATIENCE / 6


def test_slow_bodies_of_one_person_hold_up_nobody_else(untouched):
    ben = token_of_another(untouched)
    with connections(untouched, KNOWN_SLOTS + 80, beginning(untouched)) as wires:
        refused(wires, 80)
        assert opened(untouched) == (503, "5")
        assert opened_by_form(untouched, ben) == 201
        assert opened_by_form(untouched, None) == 401
    until(lambda: opened(untouched)[0] == 201, "a free seat")


def test_more_slow_bodies_than_seats_hold_up_only_other_bodies(untouched):
    ben, form = token_of_another(untouched), beginning(untouched, kind=FORM, token="wrong")
    half = EARLY_SLOTS // 2
    with (
        connections(untouched, half, form),
        connections(untouched, half, form, "127.0.0.2"),
        connections(untouched, COMING_SLOTS - EARLY_SLOTS, beginning(untouched)) as wires,
    ):
        refused(wires, COMING_SLOTS - EARLY_SLOTS - KNOWN_SLOTS)
        with connections(untouched, KNOWN_SLOTS, beginning(untouched, token=ben)) as others:
            refused(others, EARLY_SLOTS + 2 * KNOWN_SLOTS - COMING_SLOTS)
            assert opened(untouched) == (503, "5")
            assert listed(untouched) == 200
    until(lambda: opened(untouched)[0] == 201, "a free seat")


def token_of_another(program):
    """Return the token of Ben, who administers the account too."""
    there = ("--email", "ben@example.org", "--data", str(program.folder / "data"))
    added = skerry("user", "add", *there, "--name", "Ben", "--password", "correct horse", "--admin")
    assert added.returncode == 0, added.stderr
    return skerry("token", "add", *there).stdout.split()[-1]


def refused(wires, number):
    """Wait until so many clients were told that there is no seat, and assert that they were."""
    until(lambda: sum(map(has_answer, wires)) >= number, "an answer to all who found no seat")
    answered = [wire for wire in wires if has_answer(wire)]
    assert len(answered) == number
    assert all(wire.recv(65536).startswith(b"HTTP/1.1 503 ") for wire in answered)


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/projects/1/tickets", FORM), ("/sign-in", FORM), ("/welcome/x.json", "application/json")],
)
def test_slow_bodies_of_strangers_hold_up_nobody_who_is_known(untouched, path, kind):
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: 1000\r\n\r\n{{"
    with connections(untouched, COMING_SLOTS, head.encode()) as wires:
        refused(wires, COMING_SLOTS - EARLY_SLOTS // 2)
        assert opened(untouched)[0] == 201
        assert opened_by_form(untouched, untouched.token) == 201
        assert opened_by_form(untouched, "wrong") == 401
        assert opened_by_form(untouched, None) == 503
        assert opened_by_form(untouched, None, "127.0.0.2") == 401


def opened_by_form(program, token, address="127.0.0.1"):
    headers = {"Content-Type": FORM, **({"X-ServiceToken": token} if token else {})}
    sending = http.client.HTTPConnection(
        "127.0.0.1", program.port, timeout=PATIENCE, source_address=(address, 0)
    )
    with closing(sending) as connection:
        connection.request("POST", "/projects/1/tickets.json", "ticket[title]=Leak", headers)
        return connection.getresponse().status


def has_answer(wire):
    wire.setblocking(False)
    try:
        return bool(wire.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    finally:
        wire.settimeout(PATIENCE)


def test_who_waits_for_others_who_write_is_not_taken_for_slow(tmp_path):
    with started(tmp_path, "--workers", "1", SKERRY_BODY_SECONDS="1") as program:
        writing = sqlite3.connect(tmp_path / "data" / "skerry.sqlite3", isolation_level=None)
        with closing(writing), ThreadPoolExecutor() as pool:
            writing.execute("BEGIN IMMEDIATE")
            waiting = pool.submit(opened, program)
            # After a second its time is over, and it is looked at for another one.
            assert not wait([waiting], timeout=5).done
            writing.execute("ROLLBACK")
            assert waiting.result() == (201, None)


def test_who_waits_beside_a_slow_body_from_the_same_address_gets_an_answer(tmp_path):
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


def test_slow_first_lines_hold_nobody_up(patient):
    with connections(patient, 200, b"GET /projects.json HTTP/1.1\r\nHost: x\r\nX-Ser"):
        assert listed(patient) == 200
        assert opened(patient)[0] == 201


def test_files_that_are_not_fetched_to_the_end_hold_nobody_up(patient):
    path = attached(patient, b"x" * 16_000_000)
    fetch = f"GET {path} HTTP/1.1\r\nHost: x\r\nX-ServiceToken: {patient.token}\r\n\r\n".encode()
    another = {"X_ServiceToken": token_of_another(patient)}
    with connections(patient, GOING_SLOTS // 2 + 8, fetch) as wires:
        starts = [wire.recv(12) for wire in wires]
        assert starts.count(b"HTTP/1.1 200") == GOING_SLOTS // 2
        assert starts.count(b"HTTP/1.1 503") == 8
        assert listed(patient) == 200
        assert opened(patient)[0] == 201
        assert patient.get(path, **another)[0] == 200
    until(lambda: patient.get(path, X_ServiceToken=patient.token)[0] == 200, "a free seat")


def attached(program, content):
    """Open a ticket with a file and return the path of the file."""
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


def test_a_body_that_comes_a_byte_at_a_time_is_given_up(tmp_path):
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
