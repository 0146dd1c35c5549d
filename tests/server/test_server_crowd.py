"""Many who write at once, on a whole server, even one that is killed: nothing is lost, nothing doubled.

SKERRY_TEST_SECONDS and SKERRY_TEST_ROUNDS lengthen the runs.
"""

import os
import random
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from threading import Event

import pytest

from tests.support import postgres
from tests.support.baseline import standing_by
from tests.support.load import Load, reading_times
from tests.support.processes import PATIENCE, credentials, made, serving, skerry, until

SECONDS = float(os.environ.get("SKERRY_TEST_SECONDS", "10"))
ROUNDS = int(os.environ.get("SKERRY_TEST_ROUNDS", "1"))
CLIENTS = 64

pytestmark = pytest.mark.faults
PROJECTS = 4


@contextmanager
def started(folder, url, *options):
    """A server on a database, with some projects in it."""
    environment = {"SKERRY_DATABASE_URL": url} if url else {}
    with serving(folder, *options, **environment) as program:
        program.token = credentials(program.output)[-1]
        program.projects = [
            made(program, "/projects.json", {"project": {"name": f"Roof {n}"}})["id"] for n in range(PROJECTS)
        ]
        yield program


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    if request.param == "sqlite":
        return ""
    return postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())


def deep_check(folder, url):
    """Return the exit code and what the deep check says."""
    done = skerry("--data", str(folder / "data"), *(("--database", url) if url else ()), "check", "--deep")
    return done.returncode, done.stdout + done.stderr


def p99(times):
    return times[int(len(times) * 0.99)]


@pytest.fixture
def aside():
    """A process for readers, so that they do not wait for the writers' interpreter."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture
def bystander(tmp_path):
    with standing_by(tmp_path) as port:
        yield port


def reads(aside, program, bystander, seconds):
    """Return the p99 of many requests, and of those to the bystander between them, in seconds."""
    project = program.projects[0]
    times = aside.submit(reading_times, program.port, program.token, project, seconds, bystander).result()
    return map(p99, times)


def test_64_concurrent_writers_lose_nothing(tmp_path, url):
    with started(tmp_path, url, "--workers", "2", "--threads", "8") as program:
        crowd = Load(program.port, program.token, program.projects, CLIENTS)
        with crowd.at_work():
            until(lambda: crowd.successes() >= 400, "enough answers", 4 * PATIENCE)
        assert set(crowd.statuses()) == {200, 201}
        crowd.check()
    code, said = deep_check(tmp_path, url)
    assert code == 0, said


@pytest.mark.faults
def test_one_worker_serves_256_concurrent_writers(tmp_path, url):
    with started(tmp_path, url, "--workers", "1") as program:
        crowd = Load(program.port, program.token, program.projects, 256)
        with crowd.at_work():
            until(lambda: crowd.successes() >= 1000, "enough answers", 4 * PATIENCE)
        assert set(crowd.statuses()) == {200, 201}, crowd.statuses()
        crowd.check()


@pytest.mark.faults
def test_64_concurrent_writers_do_not_delay_readers(tmp_path, url, aside, bystander, record_property):
    with started(tmp_path, url, "--workers", "2", "--threads", "8") as program:
        made(program, f"/projects/{program.projects[0]}/tickets.json", {"ticket": {"title": "Read"}})
        reads(aside, program, bystander, 1)
        quiet, beside_quiet = reads(aside, program, bystander, SECONDS)
        crowd = Load(program.port, program.token, program.projects[1:], CLIENTS)
        with crowd.at_work():
            # One pause of the machine is one of a hundred reads; what holds readers up does so each time.
            busy, beside_busy = min(tuple(reads(aside, program, bystander, SECONDS)) for _ in range(3))
        found = (
            f"{crowd.statuses()}, p99 of reads {quiet * 1000:.1f} ms, then {busy * 1000:.1f} ms; "
            f"of a bystander {beside_quiet * 1000:.1f} ms, then {beside_busy * 1000:.1f} ms"
        )
        record_property("found", found)
        assert set(crowd.statuses()) == {200, 201}, found
        assert "locked" not in program.log
        crowd.check()
    code, said = deep_check(tmp_path, url)
    assert code == 0, said
    # Where processes wait for the machine, everybody does. What is shorter than the turns that the system
    # gives to them measures those.
    slower = max(5, beside_busy / beside_quiet)
    assert busy < slower * max(quiet, 0.004), found


def a_while(chance):
    """Wait for a moment of a length that nobody knows."""
    Event().wait(chance.random() / 2)


def test_workers_that_are_killed_lose_nothing_that_was_answered(tmp_path, url):
    chance = random.Random(1)
    with started(tmp_path, url, "--workers", "2") as program:
        crowd = Load(program.port, program.token, program.projects, 8)
        with crowd.at_work():
            for _ in range(max(2, ROUNDS)):
                before = crowd.successes()
                until(lambda before=before: crowd.successes() >= before + 5, "more answers")
                a_while(chance)
                victims = chance.sample(sorted(program.workers()), chance.choice([1, 1, 2]))
                for victim in victims:
                    os.kill(victim, signal.SIGKILL)
                until(lambda gone=set(victims): len(program.workers() - gone) == 2, "other workers")
        assert set(crowd.statuses()) <= {200, 201, None}
        until(program.answers, "an answer")
        crowd.check()
        assert program.process.poll() is None
    code, said = deep_check(tmp_path, url)
    assert code == 0, said


def test_a_server_that_is_killed_has_everything_that_was_answered_at_its_next_start(tmp_path, url):
    chance = random.Random(2)
    environment = {"SKERRY_DATABASE_URL": url} if url else {}
    with started(tmp_path, url, "--workers", "2") as program:
        crowd = Load(program.port, program.token, program.projects, 8)
        killed_at_work(program, crowd, chance)
    for _ in range(ROUNDS - 1):
        with serving(tmp_path, "--workers", "2", **environment) as program:
            crowd.port = program.port
            killed_at_work(program, crowd, chance)
    with serving(tmp_path, **environment) as program:
        crowd.port = program.port
        crowd.check()
    assert set(crowd.statuses()) <= {200, 201, None}
    code, said = deep_check(tmp_path, url)
    assert code == 0, said


def killed_at_work(program, crowd, chance):
    """Kill all processes of a server while they answer."""
    with crowd.at_work():
        before = crowd.successes()
        until(lambda: crowd.successes() >= before + 5, "more answers")
        a_while(chance)
        program.kill()
