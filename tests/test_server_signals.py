"""The whole program as a process: what it is told by signals."""

import json
import os
import re
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from skerry.replacing import BUILD_SECONDS

from tests.programs import PATIENCE, ROOT, START_PATIENCE, Program, serving, until

THREADS = 20
"""A worker has fewer of them until it is built, and many more then."""

FORKS_ONLY_WITHOUT = """
import os

def fork(given=os.fork):
    if os.path.exists({0!r}):
        with open({0!r}, "a") as tries:
            tries.write(".")
        raise OSError("Cannot allocate memory")
    if "ONE_FORK" in os.environ:
        open({0!r}, "w").close()
    return given()

os.fork = fork
"""


def test_a_reload_starts_the_workers_anew(tmp_path):
    with serving(tmp_path, "--workers", "2") as program:
        before = program.workers()
        program.process.send_signal(signal.SIGHUP)
        until(
            lambda: program.answers() == 200 and not before & program.workers(), "new workers", START_PATIENCE
        )


def test_a_worker_answers_until_the_one_that_takes_its_place_is_built(tmp_path):
    with serving(tmp_path, "--workers", "1") as program:
        worker = stopped_before_it_is_built(program)
        # Granian waits 3.5 seconds.
        end = time.monotonic() + 4.5
        until(lambda: program.answers() != 200 or time.monotonic() > end, "the end of that")
        assert program.answers() == 200
        os.kill(worker, signal.SIGCONT)
        until(lambda: is_alone(program, worker), "the new one", START_PATIENCE)


def test_a_worker_whose_place_cannot_be_taken_stays(tmp_path):
    with serving(tmp_path, "--workers", "2") as program:
        before = until(lambda: len(found := program.workers()) == 2 and found, "two workers")
        os.kill(stopped_before_it_is_built(program), signal.SIGKILL)
        until(lambda: "reload put_off='It ended before it was built'" in program.log, "a line in the log")
        assert before == program.workers()
        program.process.send_signal(signal.SIGHUP)
        until(
            lambda: program.answers() == 200 and not before & program.workers(),
            "new workers",
            START_PATIENCE,
        )
        assert program.end() == 0


def test_a_server_that_is_stopped_waits_for_no_worker_that_is_not_built(tmp_path):
    with serving(tmp_path, "--workers", "1") as program:
        stopped_before_it_is_built(program)
        program.process.send_signal(signal.SIGTERM)
        assert program.process.wait(BUILD_SECONDS / 2) == 0


def stopped_before_it_is_built(program):
    """Reload, and give the new worker; on a busy machine it may be built before it is stopped."""
    for _ in range(10):
        before = program.workers()
        program.process.send_signal(signal.SIGHUP)
        (worker,) = until(lambda before=before: program.workers() - before, "a new worker")
        os.kill(worker, signal.SIGSTOP)
        if len(list(Path(f"/proc/{worker}/task").iterdir())) < THREADS:
            return worker
        os.kill(worker, signal.SIGCONT)
        until(lambda worker=worker: is_alone(program, worker), "the new one", START_PATIENCE)
    raise AssertionError("each was built before it was stopped")


def is_alone(program, worker):
    return program.workers() == {worker} and program.answers() == 200


def test_a_worker_that_is_killed_after_a_reload_is_started_again(tmp_path):
    with serving(tmp_path, "--workers", "1") as program:
        before = program.workers()
        program.process.send_signal(signal.SIGHUP)
        (worker,) = until(
            lambda: len(now := program.workers()) == 1 and now - before, "a new worker alone", START_PATIENCE
        )
        os.kill(worker, signal.SIGKILL)
        until(
            lambda: len(program.workers() - {worker}) == 1 and program.answers() == 200,
            "a newer worker",
            START_PATIENCE,
        )


def test_what_a_worker_answered_before_a_reload_stays_counted(tmp_path):
    with serving(tmp_path, "--workers", "1") as program:
        before, answered = program.workers(), 0
        program.process.send_signal(signal.SIGHUP)

        def is_replaced():
            nonlocal answered
            answered += program.answers() == 200
            return len(now := program.workers()) == 1 and now - before

        until(is_replaced, "a new worker alone", START_PATIENCE)
        figures = program.get("/metrics")[1].decode()
        counted = re.search(r'skerry_requests_total{method="GET",route="/health",status="200"} (.+)', figures)
        assert float(counted[1]) >= answered


def test_that_a_worker_died_is_a_line_of_the_log_as_all_others(tmp_path):
    for style, read in (("json", json.loads), ("text", partial(re.search, r"^\S+Z server said='(.+)'$"))):
        (folder := tmp_path / style).mkdir()
        with serving(folder, "--workers", "1", SKERRY_LOG=style) as program:
            (worker,) = program.workers()
            os.kill(worker, signal.SIGKILL)
            line = until(lambda program=program: said(program, "Unexpected exit"), "a line in the log")
            assert read(line)
            assert program.end() == 0


def said(program, words):
    """Give the first line of the log with some words, None where there is none."""
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


def test_a_worker_in_whose_place_no_process_can_be_started_is_replaced_when_one_can(tmp_path):
    full = tmp_path / "full"
    (tmp_path / "sitecustomize.py").write_text(FORKS_ONLY_WITHOUT.format(str(full)))
    with serving(tmp_path, "--workers", "1", PYTHONPATH=f"{tmp_path}:{ROOT}") as program:
        (worker,) = program.workers()
        full.touch()
        os.kill(int(worker), signal.SIGKILL)
        until(lambda: len(full.read_text()) > 1, "two tries")
        assert program.log.count("restart put_off='Cannot allocate memory'") == 1
        full.unlink()
        until(lambda: program.answers() == 200, "another worker", START_PATIENCE)
        assert program.end() == 0


def test_a_server_that_is_stopped_while_a_worker_is_missing_ends_in_peace(tmp_path):
    full = tmp_path / "full"
    (tmp_path / "sitecustomize.py").write_text(FORKS_ONLY_WITHOUT.format(str(full)))
    with serving(tmp_path, "--workers", "2", PYTHONPATH=f"{tmp_path}:{ROOT}") as program:
        workers = until(lambda: len(found := program.workers()) == 2 and found, "two workers")
        full.touch()
        os.kill(workers.pop(), signal.SIGKILL)
        until(full.read_text, "a try")
        assert program.end() == 0


@pytest.mark.parametrize("forks", ["none", "one"])
def test_a_server_that_cannot_start_all_of_its_workers_ends(tmp_path, forks):
    full = tmp_path / "full"
    (tmp_path / "sitecustomize.py").write_text(FORKS_ONLY_WITHOUT.format(str(full)))
    given = {"ONE_FORK": "yes"} if forks == "one" else full.touch() or {}
    program = Program(tmp_path, "--workers", "2", PYTHONPATH=f"{tmp_path}:{ROOT}", **given)
    try:
        assert program.process.wait(START_PATIENCE) == 1
        assert program.log.startswith("skerry: A worker cannot be started: Cannot allocate memory\n")
    finally:
        program.kill()


STOPS_EACH_FORK = """
import os
import signal

os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGSTOP))
"""


def test_a_worker_ends_whose_watcher_was_gone_before_it_looked(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(STOPS_EACH_FORK)
    program = Program(tmp_path, "--workers", "1", PYTHONPATH=f"{tmp_path}:{ROOT}")
    try:
        (worker,) = until(lambda: stopped(program.workers()), "a worker", START_PATIENCE)
        program.process.kill()
        program.process.wait()
        os.kill(worker, signal.SIGCONT)
        until(lambda: has_ended(worker), "its end", START_PATIENCE)
    finally:
        program.kill()


def stopped(workers):
    """Give those that do nothing until they are told to go on."""
    return {worker for worker in workers if ") T " in Path(f"/proc/{worker}/stat").read_text()}


def has_ended(process):
    """Say so also of one for which nobody waits that could remove it."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return ") Z " in Path(f"/proc/{process}/stat").read_text()
    return True


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
