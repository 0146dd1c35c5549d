"""The whole program as a process: what it is told by signals."""

import json
import os
import re
import signal
from contextlib import suppress
from functools import partial

import pytest

from tests.support.processes import PATIENCE, ROOT, START_PATIENCE, Program, serving, until

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
import sys

class Broken:
    def find_spec(self, name, *_):
        if name == "skerry.app":
            raise RuntimeError("It is broken")

import os
if os.path.exists({0!r}):
    sys.meta_path.insert(0, Broken())
"""
"""Lets no application be made while there is a file."""


@pytest.fixture
def switch(tmp_path):
    """Return a function that makes Python run a text at each start, and the file that switches that on."""

    def prepare(text):
        (tmp_path / "sitecustomize.py").write_text(text.format(str(tmp_path / "switch")))
        return tmp_path / "switch"

    return prepare


@pytest.fixture(scope="module")
def lasting(tmp_path_factory):
    """A server with one worker, which goes on after all that is done to it."""
    with serving(tmp_path_factory.mktemp("lasting"), "--workers", "1") as program:
        yield program


@pytest.fixture
def single(lasting):
    """The same server once it has one worker."""
    until(lambda: len(lasting.workers()) == 1 and lasting.answers() == 200, "one worker", START_PATIENCE)
    return lasting


def test_a_reload_starts_the_workers_anew(tmp_path):
    with serving(tmp_path, "--workers", "2") as program:
        before = program.workers()
        program.process.send_signal(signal.SIGHUP)
        until(
            lambda: program.answers() == 200 and not before & program.workers(), "new workers", START_PATIENCE
        )


def test_no_request_fails_at_a_reload(single):
    before, answers = single.workers(), []
    single.process.send_signal(signal.SIGHUP)

    def is_replaced():
        answers.append(single.answers())
        return len(now := single.workers()) == 1 and now - before

    until(is_replaced, "a new worker alone", START_PATIENCE)
    assert set(answers) == {200}


def test_workers_stay_where_those_that_take_their_place_cannot_start(tmp_path, switch):
    broken = switch(CANNOT_START)
    with serving(tmp_path, "--workers", "2", PYTHONPATH=f"{tmp_path}:{ROOT}") as program:
        before = until(lambda: len(found := program.workers()) == 2 and found, "two workers")
        broken.touch()
        program.process.send_signal(signal.SIGHUP)
        until(lambda: "reload put_off='A new worker was not ready'" in program.log, "a line in the log")
        assert (program.workers(), program.answers()) == (before, 200)
        assert "RuntimeError: It is broken" in program.log
        program._logged.write_text("")


def test_a_server_whose_workers_cannot_start_ends(tmp_path, switch):
    switch(CANNOT_START).touch()
    program = Program(tmp_path, "--workers", "1", PYTHONPATH=f"{tmp_path}:{ROOT}")
    try:
        assert program.process.wait(START_PATIENCE) == 1
        assert "RuntimeError: It is broken" in program.log
    finally:
        program.kill()


def test_a_server_that_is_stopped_in_a_reload_ends_in_peace(tmp_path):
    with serving(tmp_path, "--workers", "2") as program:
        before = until(lambda: len(found := program.workers()) == 2 and found, "two workers")
        program.process.send_signal(signal.SIGHUP)
        until(lambda: program.workers() - before, "a new worker")
        assert program.end() == 0


def test_a_worker_that_does_nothing_any_more_is_replaced(single):
    (worker,) = single.workers()
    os.kill(worker, signal.SIGSTOP)
    until(lambda: worker not in single.workers() and single.answers() == 200, "another worker", 90)


def test_a_worker_that_is_killed_after_a_reload_is_started_again(single):
    before = single.workers()
    single.process.send_signal(signal.SIGHUP)
    (worker,) = until(
        lambda: len(now := single.workers()) == 1 and now - before, "a new worker alone", START_PATIENCE
    )
    os.kill(worker, signal.SIGKILL)
    until(
        lambda: len(single.workers() - {worker}) == 1 and single.answers() == 200,
        "a newer worker",
        START_PATIENCE,
    )


def test_what_a_worker_answered_before_a_reload_stays_counted(single):
    before, answered = single.workers(), 0
    single.process.send_signal(signal.SIGHUP)

    def is_replaced():
        nonlocal answered
        answered += single.answers() == 200
        return len(now := single.workers()) == 1 and now - before

    until(is_replaced, "a new worker alone", START_PATIENCE)
    figures = single.get("/metrics")[1].decode()
    counted = re.search(r'skerry_requests_total{method="GET",route="/health",status="200"} (.+)', figures)
    assert float(counted[1]) >= answered


def test_that_a_worker_died_is_a_line_of_the_log_as_all_others(tmp_path):
    for style, read in (
        ("json", json.loads),
        ("text", partial(re.search, r"^\S+Z worker ended=\d+ exit_code=-9$")),
    ):
        (folder := tmp_path / style).mkdir()
        with serving(folder, "--workers", "1", SKERRY_LOG=style) as program:
            (worker,) = program.workers()
            os.kill(worker, signal.SIGKILL)
            line = until(lambda program=program: said(program, "exit_code"), "a line in the log")
            assert read(line)
            assert program.end() == 0


def said(program, words):
    """Return the first line of the log with some words, None where there is none."""
    return next((line for line in program.log.splitlines() if words in line), None)


def test_a_worker_that_dies_while_the_disk_of_the_log_is_full_is_replaced(tmp_path):
    full = ("sh", "-c", 'exec "$@" 2>/dev/full', "sh")
    with serving(tmp_path, "--workers", "1", before=full, PYTHONUNBUFFERED="") as program:
        (worker,) = program.workers()
        os.kill(worker, signal.SIGKILL)
        until(
            lambda: program.workers() - {worker} and program.answers() == 200,
            "a worker in its place",
            START_PATIENCE,
        )
        assert program.end() == 0


def test_a_worker_in_whose_place_no_process_can_be_started_is_replaced_when_one_can(tmp_path, switch):
    full = switch(NO_ROOM)
    with serving(tmp_path, "--workers", "1", PYTHONPATH=f"{tmp_path}:{ROOT}") as program:
        (worker,) = program.workers()
        full.touch()
        os.kill(worker, signal.SIGKILL)
        until(lambda: len(full.read_text()) > 1, "two tries")
        assert program.log.count("worker put_off='Cannot allocate memory'") == 1
        full.unlink()
        until(lambda: program.workers() - {worker}, "another worker", START_PATIENCE)
        assert program.answers() == 200
        assert program.end() == 0


def test_a_server_that_is_stopped_while_a_worker_is_missing_ends_in_peace(tmp_path, switch):
    full = switch(NO_ROOM)
    with serving(tmp_path, "--workers", "2", PYTHONPATH=f"{tmp_path}:{ROOT}") as program:
        workers = until(lambda: len(found := program.workers()) == 2 and found, "two workers")
        full.touch()
        os.kill(workers.pop(), signal.SIGKILL)
        until(full.read_text, "a try")
        assert program.end() == 0


def test_a_server_that_cannot_start_its_workers_ends(tmp_path, switch):
    switch(NO_ROOM).touch()
    program = Program(tmp_path, "--workers", "2", PYTHONPATH=f"{tmp_path}:{ROOT}")
    try:
        assert program.process.wait(START_PATIENCE) == 1
        assert program.log.startswith("skerry: A worker cannot be started: Cannot allocate memory\n")
    finally:
        program.kill()


def test_signals_for_logs_change_nothing(tmp_path):
    with serving(tmp_path, "--workers", "2") as program:
        before = until(lambda: len(found := program.workers()) == 2 and found, "two workers")
        for process in (program.process.pid, *before):
            os.kill(process, signal.SIGUSR1)
            os.kill(process, signal.SIGUSR2)
        assert [program.answers() for _ in range(10)] == [200] * 10
        assert program.workers() == before
        program.process.send_signal(signal.SIGQUIT)
        assert program.process.wait(PATIENCE) == 0


def test_a_key_that_quits_ends_every_process_in_peace(tmp_path):
    with serving(tmp_path, "--workers", "2") as program:
        until(lambda: len(program.workers()) == 2, "two workers")
        os.killpg(program.process.pid, signal.SIGQUIT)
        assert program.process.wait(PATIENCE) == 0


def test_nobody_else_may_read_what_is_kept_in_a_folder_that_others_made(tmp_path):
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    with serving(tmp_path, before=("sh", "-c", 'umask 022 && exec "$@"', "sh")) as program:
        assert program.get("/metrics")[0] == 200
        rights = dict(rights_of_files(data))
        assert data / "skerry.sqlite3-wal" in rights
        assert {right & 0o077 for right in rights.values()} == {0}


def rights_of_files(folder):
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # figures are written beside their file, and take its place
            if path.is_file():
                yield path, path.stat().st_mode
