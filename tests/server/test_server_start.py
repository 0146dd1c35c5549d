"""The whole program as a process: what it says when it starts, and to whom."""

import socket

from tests.support.processes import START_PATIENCE, Program, credentials, serving


def test_a_first_start_whose_words_nobody_could_read_was_none(tmp_path):
    program = Program(tmp_path, before=("sh", "-c", 'exec "$@" >/dev/full', "sh"))
    try:
        assert program.process.wait(START_PATIENCE) == 1
        assert program.log == "skerry: No space left on device\n"
    finally:
        program.kill()
    with serving(tmp_path) as again:
        assert len(credentials(again.output)) == 3


def test_a_service_manager_is_told_when_requests_are_answered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.settimeout(START_PATIENCE)
        manager.bind("notify")
        program = Program(tmp_path, NOTIFY_SOCKET="notify")
        try:
            assert manager.recv(100) == b"READY=1"
            assert program.answers() == 200
        finally:
            program.kill()
