"""The memory of a worker after requests that needed much of it."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skerry.wire import budget
from tests.support import postgres
from tests.support.client import basic
from tests.support.processes import ROOT, credentials, made, serving, until

# What the C library is told, as the unit does.
UNIT = (Path(ROOT) / "deploy" / "skerry.service").read_text()
MALLOC = dict(word.split("=") for word in re.findall(r"MALLOC_\S+", UNIT))


def held(program):
    """Return the MiB that the only worker of a server holds, the pages of files apart."""
    (worker,) = program.workers()
    return int(re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{worker}/status").read_text())[1]) / 1024


def test_two_workers_at_rest_hold_less_than_190_mb(tmp_path):
    with serving(tmp_path, "--workers", "2") as program:
        until(lambda: len(program.workers()) == 2, "two workers")
        until(lambda: "Skerry answers" in program.output, "that it answers")
        children = Path(f"/proc/{program.process.pid}/task/{program.process.pid}/children").read_text()
        assert sum(own(each, "Pss") for each in (program.process.pid, *children.split())) < 190_000


def test_a_worker_loads_no_migrations():
    words = "import sys, skerry.app; print('alembic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def own(process, kind):
    """Return how much memory of a kind a process has, in kB."""
    return int(re.search(rf"{kind}:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text())[1])


def all_held(process):
    """Return the MiB that a process holds with all that it started, the files that it maps among them."""
    below = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return own(process, "Rss") / 1024 + sum(all_held(int(each)) for each in below)


@pytest.mark.faults
@pytest.mark.parametrize(("kind", "form"), [("sqlite", "json"), ("postgres", "xml")])
def test_forty_long_texts_read_eight_times_at_once_have_room(tmp_path, kind, form):
    url = "" if kind == "sqlite" else postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    with (
        serving(tmp_path, "--workers", "2", SKERRY_DATABASE_URL=url, **MALLOC) as program,
        ThreadPoolExecutor(9) as pool,
    ):
        program.token = credentials(program.output)[-1]
        project = made(program, "/projects.json", {"project": {"name": "Roof", "public": True}})["id"]
        for _ in range(40):
            ticket = {"title": "Leak", "body": "It drips.\n" * 100_000}
            made(program, f"/projects/{project}/tickets.json", {"ticket": ticket})
        rest, peak = all_held(program.process.pid), 0
        reads = [pool.submit(program.get, f"/projects/{project}/tickets.{form}?limit=100") for _ in range(8)]
        while not all(read.done() for read in reads):
            peak = max(peak, all_held(program.process.pid))
        assert [(read.result()[0], len(read.result()[1]) <= budget.MAX) for read in reads] == [
            (200, True)
        ] * 8
        assert min(len(read.result()[1]) for read in reads) > budget.MAX * 3 // 4
        assert rest < peak < rest + 300


@pytest.mark.faults
def test_passwords_that_were_checked_leave_no_memory_behind(tmp_path):
    def guess(number):
        return program.get("/projects.json", **basic(f"guest{number}@example.org", "wrong"))[0]

    with serving(tmp_path, "--workers", "1", **MALLOC) as program, ThreadPoolExecutor(8) as pool:
        before = held(program)
        assert set(pool.map(guess, range(40))) == {401}
        until(lambda: held(program) < before + 40, "memory that is given back")


@pytest.mark.faults
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_large_answers_leave_no_memory_behind(tmp_path, kind):
    url = "" if kind == "sqlite" else postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    with (
        serving(tmp_path, "--workers", "1", SKERRY_DATABASE_URL=url, **MALLOC) as program,
        ThreadPoolExecutor(12) as pool,
    ):
        program.token = credentials(program.output)[-1]
        project = made(program, "/projects.json", {"project": {"name": "Roof"}})["id"]
        made(program, f"/projects/{project}/tickets.json", {"ticket": {"title": "Leak"}})
        ticket, token = f"/projects/{project}/tickets/1.json", {"X_ServiceToken": program.token}
        for _ in range(20):
            assert (
                program.send("PUT", ticket, {"ticket": {"body": "It drips.\n" * 100_000}}, **token)[0] == 200
            )
        before = held(program)
        assert min(pool.map(lambda _: len(program.get(ticket, **token)[1]), range(24))) > 5_000_000
        # The last answer may still be somebody's, with what the threads keep.
        until(lambda: held(program) < before + 100, "memory that is given back")
