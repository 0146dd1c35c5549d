"""The whole program as a process: its start, what it says then and to whom, and where it listens."""

import signal
import socket
from contextlib import suppress

import pytest

from skerry import server
from skerry.errors import Conflict
from skerry.files import folder_lock
from tests.cli.terminal import Terminal, with_token, world_at
from tests.support import postgres
from tests.support.processes import PATIENCE, START_PATIENCE, Program, accepts, credentials, serving, until
from tests.support.small_server import SmallServer, small


def test_a_signal_during_the_start_ends_the_program_too(tmp_path):
    program = Program(tmp_path)
    try:
        until(lambda: accepts(program), "the start", START_PATIENCE)
        program.process.send_signal(signal.SIGTERM)
        program.process.wait(server.TIMEOUT_SECONDS)  # a worker that heeds no signal is killed after more
    finally:
        program.kill()


def test_workers_end_with_the_process_that_watched_over_them(tmp_path):
    with serving(tmp_path, "--workers", "1") as program:
        program.process.kill()
        until(lambda: not accepts(program) and is_left(tmp_path / "data"), "the end of the workers")


def is_left(folder):
    with suppress(Conflict), folder_lock.lock_exclusive(folder):
        return True
    return False


@pytest.fixture
def refused(monkeypatch, capsys):
    """Run the command in this process, which must find its port taken, and return with what it exits."""

    def serve(folder, port, *options):
        monkeypatch.setattr(server, "become", lambda *_, **__: pytest.fail("It became the server"))
        monkeypatch.setattr(server, "PORT_SECONDS", 0)
        terminal = Terminal(folder, monkeypatch, capsys)
        code, *said = terminal.run(*terminal.places(), "serve", "--port", str(port), *options)
        assert (said, code.count("\n")) == (["", ""], 0)
        return code

    return serve


def test_a_port_in_use_is_reported(refused, tmp_path):
    # A name will do, too; which of its addresses comes first, the system says.
    family, _, _, _, place = socket.getaddrinfo("localhost", 0, type=socket.SOCK_STREAM)[0]
    with socket.socket(family) as taken:
        taken.bind(place)
        taken.listen()
        said = refused(tmp_path, taken.getsockname()[1], "--host", "localhost")
    assert said.startswith("skerry: Cannot listen at localhost, port ")
    assert "in use" in said


def test_a_second_server_at_the_same_port_is_refused_and_sets_nothing_up(refused, tmp_path):
    with server.listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert refused(tmp_path / "data", port).startswith(
            f"skerry: Cannot listen at 127.0.0.1, port {port}: "
        )
    assert not (tmp_path / "data").exists()


def test_a_server_starts_again_at_its_port_and_says_so_when_it_answers(tmp_path):
    with serving(tmp_path, kind=SmallServer) as program:
        with socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE) as wire:
            # Who closes the connection first keeps the port for a minute.
            wire.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            assert b"".join(iter(lambda: wire.recv(65536), b"")).startswith(b"HTTP/1.1 200 ")
        assert program.end() == 0
    again = SmallServer(tmp_path, port=program.port)
    try:
        until(lambda: "Skerry answers" in again.output, "the word that it answers", START_PATIENCE)
        assert again.answers() == 200
    finally:
        again.kill()


def test_two_servers_that_start_at_once_set_one_tracker_up(tmp_path):
    url = postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    folders = [tmp_path / name for name in ("1", "2")]
    for folder in folders:
        folder.mkdir()
    programs = [
        Program(folder, "--workers", "1", SKERRY_DATABASE_URL=url, **small(folder)) for folder in folders
    ]
    try:
        for program in programs:
            until(program.answers, "an answer", START_PATIENCE)
        (token,) = [credentials(program.output)[-1] for program in programs if "token" in program.output]
        with world_at(tmp_path, url) as here:
            assert here.client(**with_token(token)).get("/projects").status == 200
    finally:
        for program in programs:
            program.kill()


def test_a_server_without_standard_streams_answers_too(tmp_path):
    with serving(tmp_path, "--workers", "1", before=("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")) as program:
        assert program.get("/health")[0] == 200
        assert program.get("/projects.json", X_ServiceToken="0" * 40)[0] == 401
        assert program.end() == 0


def test_a_service_manager_is_told_when_requests_are_answered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.settimeout(START_PATIENCE)
        manager.bind("notify")
        program = SmallServer(tmp_path, NOTIFY_SOCKET="notify")
        try:
            assert manager.recv(100) == b"READY=1"
            assert program.answers() == 200
        finally:
            program.kill()
