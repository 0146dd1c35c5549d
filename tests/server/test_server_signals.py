"""Signals: with a small server, or with the whole program where it is involved."""

import json
import os
import re
import signal
from contextlib import contextmanager, suppress

import pytest

from tests.support.processes import PATIENCE, START_PATIENCE, serving, until
from tests.support.small_server import ENDED, STARTED, SmallServer

NO_ROOM = """
import multiprocessing.util, os

def start(*what, given=multiprocessing.util.spawnv_passfds):
    if os.path.exists({0!r}):
        with open({0!r}, "a") as tries:
            tries.write(".")
        raise OSError("Cannot allocate memory")
    return given(*what)

multiprocessing.util.spawnv_passfds = start
"""
"""Lets no process be started while there is a file."""

CANNOT_START = """
def serve(given=Small.serve):
    if os.path.exists({0!r}):
        raise RuntimeError("It is broken")
    return given()

Small.serve = serve
"""
"""Lets no application be made while there is a file."""

STARTS_LATE = """
import time

def serve(given=Small.serve):
    while os.path.exists({0!r}):
        time.sleep(0.02)
    return given()

Small.serve = serve
"""
"""Lets applications wait until there is no such file."""

SOON = """
import sys
from skerry import server
server._HEALTH_SECONDS = 3
file = server.listen("127.0.0.1", {port}).detach()
sys.argv = ["", "--host", "127.0.0.1", "--fd", str(file), "--workers", "{workers}"]
server.main()
"""
"""Starts a server that gives up sooner than others what does nothing any more."""


@pytest.fixture
def switch(tmp_path):
    """A file that switches on what is done at each start of Python."""
    return tmp_path / "switch"


@contextmanager
def small(folder, workers=1, besides="", **options):
    """A small server all of whose workers answer."""
    text = besides.format(str(folder / "switch"))
    with serving(folder, workers, kind=SmallServer, besides=text, **options) as program:
        # A worker that still starts would find the switch on.
        until(lambda: program.output.count(STARTED) == workers, "a start of all workers", START_PATIENCE)
        until(lambda: "Skerry answers" in program.output and len(program.workers()) == workers, "all workers")
        yield program


@contextmanager
def small_that_fails(folder, workers, besides):
    program = SmallServer(folder, workers, besides=besides.format(str(folder / "switch")))
    try:
        assert program.process.wait(START_PATIENCE) == 1
        yield program
    finally:
        program.kill()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The whole program with one worker, which keeps its data in a folder that everybody may read."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "data").mkdir(mode=0o755)
    with serving(folder, "--workers", "1", before=("sh", "-c", 'umask 022 && exec "$@"', "sh")) as program:
        yield program


def replaced(program, before):
    """Return whether all workers are other ones than before, as many of them."""
    return len(now := program.workers()) == len(before) and not now & before


def test_a_reload_replaces_the_workers_and_the_new_ones_are_supervised_too(tmp_path):
    with small(tmp_path, 2, SKERRY_LOG="text") as program:
        before = program.workers()
        program.process.send_signal(signal.SIGHUP)
        until(lambda: replaced(program, before), "new workers", START_PATIENCE)
        assert program.answers() == 200
        for worker in (before := program.workers()):
            os.kill(worker, signal.SIGKILL)
        until(lambda: replaced(program, before) and program.answers() == 200, "newer ones", START_PATIENCE)
        line = until(lambda: said(program, "exit_code=-9"), "a line in the log")
        assert re.match(r"\S+Z worker ended=\d+ exit_code=-9$", line)
        program.process.send_signal(signal.SIGQUIT)
        assert program.process.wait(PATIENCE) == 0


def test_no_request_fails_at_a_reload_and_all_stay_counted(whole):
    before, answers = whole.workers(), []
    whole.process.send_signal(signal.SIGHUP)

    def is_replaced():
        answers.append(whole.answers())
        return replaced(whole, before)

    until(is_replaced, "a new worker alone", START_PATIENCE)
    assert set(answers) == {200}
    figures = whole.get("/metrics")[1].decode()
    counted = re.search(r'skerry_requests_total{method="GET",route="/health",status="200"} (.+)', figures)
    assert float(counted[1]) >= len(answers)


def test_workers_stay_where_those_that_take_their_place_cannot_start(tmp_path, switch):
    with small(tmp_path, 2, CANNOT_START) as program:
        before = program.workers()
        switch.touch()
        program.process.send_signal(signal.SIGHUP)
        until(lambda: "reload put_off='A new worker was not ready'" in program.log, "a line in the log")
        assert (program.workers(), program.answers()) == (before, 200)
        assert "RuntimeError: It is broken" in program.log
        program._logged.write_text("")


def test_a_server_whose_workers_cannot_start_ends(tmp_path, switch):
    switch.touch()
    with small_that_fails(tmp_path, 1, CANNOT_START) as program:
        assert "RuntimeError: It is broken" in program.log


def test_a_server_that_is_stopped_during_a_reload_ends_cleanly(tmp_path, switch):
    with small(tmp_path, 2, STARTS_LATE) as program:
        before = program.workers()
        switch.touch()
        program.process.send_signal(signal.SIGHUP)
        until(lambda: program.workers() - before, "a new worker")
        program.process.send_signal(signal.SIGTERM)
        switch.unlink()
        assert program.process.wait(PATIENCE) == 0


def test_a_worker_that_hangs_is_replaced(tmp_path):
    with small(tmp_path, 1, start=SOON) as program:
        before = program.workers()
        os.kill(*before, signal.SIGSTOP)
        until(lambda: replaced(program, before) and program.answers() == 200, "another worker", 90)


def said(program, words):
    """Return the first line of the log with some words, None where there is none."""
    return next((line for line in program.log.splitlines() if words in line), None)


def test_the_death_of_a_worker_is_logged_like_everything_else(tmp_path):
    with small(tmp_path, SKERRY_LOG="json") as program:
        os.kill(*program.workers(), signal.SIGKILL)
        assert json.loads(until(lambda: said(program, "exit_code"), "a line in the log"))
        assert program.end() == 0


def test_a_worker_that_dies_while_the_disk_of_the_log_is_full_is_replaced(tmp_path):
    full = ("sh", "-c", 'exec "$@" 2>/dev/full', "sh")
    with small(tmp_path, before=full, PYTHONUNBUFFERED="") as program:
        before = program.workers()
        os.kill(*before, signal.SIGKILL)
        until(lambda: replaced(program, before) and program.answers() == 200, "another one", START_PATIENCE)
        assert program.end() == 0


def test_a_worker_in_whose_place_no_process_can_be_started_is_replaced_when_one_can(tmp_path, switch):
    with small(tmp_path, 1, NO_ROOM) as program:
        before = program.workers()
        switch.touch()
        os.kill(*before, signal.SIGKILL)
        until(lambda: len(switch.read_text()) > 1, "two tries")
        assert program.log.count("worker put_off='Cannot allocate memory'") == 1
        switch.unlink()
        until(lambda: replaced(program, before), "another worker", START_PATIENCE)
        assert program.answers() == 200
        assert program.end() == 0


def test_a_server_that_is_stopped_while_a_worker_is_missing_ends_cleanly(tmp_path, switch):
    with small(tmp_path, 2, NO_ROOM) as program:
        switch.touch()
        os.kill(program.workers().pop(), signal.SIGKILL)
        until(switch.read_text, "a try")
        assert program.end() == 0


def test_a_server_that_cannot_start_its_workers_ends(tmp_path, switch):
    switch.touch()
    with small_that_fails(tmp_path, 2, NO_ROOM) as program:
        assert program.log.startswith("skerry: A worker cannot be started: Cannot allocate memory\n")


def test_signals_for_logs_change_nothing_and_a_key_that_quits_ends_every_process_in_peace(tmp_path):
    with small(tmp_path, 2) as program:
        before = program.workers()
        for process in (program.process.pid, *before):
            os.kill(process, signal.SIGUSR1)
            os.kill(process, signal.SIGUSR2)
        assert [program.answers() for _ in range(10)] == [200] * 10
        assert program.workers() == before
        os.killpg(program.process.pid, signal.SIGQUIT)
        assert program.process.wait(PATIENCE) == 0
        assert program.output.count(ENDED) == 2


def test_other_users_cannot_read_the_files_in_the_data_folder(whole):
    assert whole.get("/metrics")[0] == 200
    rights = dict(rights_of_files(data := whole.folder / "data"))
    assert data / "skerry.sqlite3-wal" in rights
    assert {right & 0o077 for right in rights.values()} == {0}


def rights_of_files(folder):
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # figures are written beside their file, and take its place
            if path.is_file():
                yield path, path.stat().st_mode
