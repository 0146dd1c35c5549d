"""How a process hears of signals: before anything is answered, and in one thread."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.programs import PATIENCE, ROOT, serving

HEARS_OF = """
import os
import signal
from skerry import signals

signal.pthread_sigmask(signal.SIG_BLOCK, signals.HEARD)
for number in (signal.SIGHUP, signal.SIGTERM):
    os.kill(os.getpid(), number)
if "AS_FIRST" in os.environ:
    os.kill = lambda *_: None
signals.hear()
signal.pause()
"""


def heard(**environment):
    """Give the exit code of a program that is told to reload and to stop, in that order, before it began."""
    command = [sys.executable, "-c", HEARS_OF]
    given = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, check=False, env=given, timeout=PATIENCE).returncode


def test_a_reload_before_there_is_anything_to_reload_changes_nothing():
    # The lower number comes first.
    assert heard() == -signal.SIGTERM


def test_a_stop_before_anything_is_answered_ends_the_first_process_of_a_container_too():
    # The system lets no such process be ended by a signal that it does not handle.
    assert heard(AS_FIRST="yes") == 128 + signal.SIGTERM


def test_a_signal_to_stop_is_given_to_the_one_thread_that_waits_for_it(tmp_path):
    with serving(tmp_path, "--workers", "1") as program:
        assert all(map(hears_in_one_thread, (program.process.pid, *program.workers())))


FORKS_NO_WORKERS = """
import multiprocessing

choose = multiprocessing.set_start_method
multiprocessing.set_start_method = lambda _method, force: choose("spawn", force=force)
"""


def test_it_is_so_too_where_workers_are_not_forked(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(FORKS_NO_WORKERS)
    with serving(tmp_path, "--workers", "1", PYTHONPATH=f"{tmp_path}:{ROOT}") as program:
        assert hears_in_one_thread(program.process.pid)
        assert program.end() == 0


def hears_in_one_thread(process):
    """Say whether a process has one thread that is given a signal to stop, which is not its first."""
    threads = blocked_in_threads_of(process)
    first = threads.pop(process)
    return signal.SIGTERM in first and sum(signal.SIGTERM not in blocked for blocked in threads.values()) == 1


def blocked_in_threads_of(process):
    """Give the signals that each thread of a process is never given, by its number."""
    return {
        int(status.parent.name): blocked(status) for status in Path(f"/proc/{process}/task").glob("*/status")
    }


def blocked(status):
    told = dict(line.split(":", 1) for line in status.read_text().splitlines())
    bits = int(told["SigBlk"], 16)
    return {number for number in signal.Signals if bits >> (number - 1) & 1}
