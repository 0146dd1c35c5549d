"""The whole program when something fails: PostgreSQL, the disk, and processes that die."""

import http.client
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from tests.support import own_postgres
from tests.support.forms import KIND, field, file, form
from tests.support.processes import PATIENCE, Program, credentials, made, serving, shown, until

pytestmark = pytest.mark.faults

WITHOUT_OVERRIDE = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


@contextmanager
def started(folder, *options, **environment):
    """A server with an account and a project, which is number 1."""
    with serving(folder, *options, **environment) as program:
        program.token = credentials(program.output)[-1]
        made(program, "/projects.json", {"project": {"name": "Roof"}})
        yield program


def opened(program, title="It leaks"):
    """Try to open a ticket; return the status and the Retry-After."""
    return _opened(program, "application/json", json.dumps({"ticket": {"title": title}}))


def opened_with_a_file(program, title):
    """Try to open a ticket with a file; return the same."""
    return _opened(program, KIND, form(field("ticket[title]", title), file(b"a" * 1000)))


def _opened(program, kind, body):
    connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=PATIENCE)
    headers = {"X-ServiceToken": program.token, "Content-Type": kind}
    try:
        connection.request("POST", "/projects/1/tickets.json", body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers.get("Retry-After")
    finally:
        connection.close()


def listed(program):
    return program.get("/projects/1/tickets.json", X_ServiceToken=program.token)[0]


def titles(program):
    """Return the titles of all tickets."""
    found, page = set(), 1
    while records := shown(program, f"/projects/1/tickets.json?limit=100&page={page}"):
        found |= {record["ticket"]["title"] for record in records}
        page += 1
    return found


@pytest.fixture(scope="module")
def own():
    """A PostgreSQL of our own that runs."""
    with own_postgres.running() as server:
        yield server


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_the_service_recovers_by_itself_when_postgresql_was_away(own, tmp_path, mode):
    database = own.database(f"recovers_{mode}")
    with started(tmp_path, SKERRY_DATABASE_URL=database) as program:
        with ThreadPoolExecutor(8) as pool:  # so that there are several connections
            assert set(pool.map(lambda _: opened(program)[0], range(40))) == {201}
        own.stop(mode)
        try:
            assert program.get("/health") == (503, b'{"status":"unavailable"}')
            assert opened(program) == (503, "5")
            assert listed(program) == 503
        finally:
            own.start()
        # Not one of the connections that died is noticed any more.
        assert program.get("/health")[0] == 200
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: listed(program), range(40))) == {200}
            assert set(pool.map(lambda _: opened(program)[0], range(40))) == {201}


def test_health_reports_a_postgresql_that_hangs(own, tmp_path):
    with started(tmp_path, SKERRY_DATABASE_URL=own.database("still")) as program:
        with ThreadPoolExecutor(63) as pool:
            assert set(pool.map(lambda _: listed(program), range(20))) == {200}
            with own.frozen():
                lists = [pool.submit(listed, program) for _ in "123"]
                healths = set(pool.map(lambda _: program.get("/health"), range(60)))
                assert healths == {(503, b'{"status":"unavailable"}')}
                assert {found.result() for found in lists} == {503}
            assert set(pool.map(lambda _: listed(program), range(20))) == {200}
        assert opened(program)[0] == 201
        assert program.get("/health")[0] == 200
        assert "Traceback" not in program.log


def test_connections_that_are_cut_in_the_middle_lose_nothing_that_was_answered(own, tmp_path):
    import psycopg  # noqa: PLC0415 - only where there is a PostgreSQL

    database = own.database("cut")
    with started(tmp_path, "--workers", "2", SKERRY_DATABASE_URL=database) as program:
        said, stop = [], Event()
        writers = [Thread(target=write, args=(program, f"w{n}", said, stop)) for n in range(6)]
        for writer in writers:
            writer.start()
        with psycopg.connect(own.url, autocommit=True) as connection:
            for done in range(1, 16):
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'cut'"
                )
                until(lambda done=done: len(kept(said)) >= 10 * done, "more tickets")
        stop.set()
        for writer in writers:
            writer.join(PATIENCE)
        assert {status for _, status in said} <= {201, 503}
        assert kept(said) <= titles(program)
        assert opened(program)[0] == 201


def write(program, name, said, stop):
    """Open tickets until told to stop, and keep what was answered for each."""
    number = 0
    while not stop.is_set():
        number += 1
        title = f"{name}-{number}"
        try:
            said.append((title, opened(program, title)[0]))
        except (OSError, http.client.HTTPException):
            said.append((title, None))


def kept(said):
    """Return the titles of the tickets that were answered with success."""
    return {title for title, status in list(said) if status == 201}


def without_override():
    """Return the words before a command for which the rights of files count, even if root runs it."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("READ-ONLY FOLDER NOT TESTED: root may write everywhere, and there is no setpriv")
    return WITHOUT_OVERRIDE


def test_a_data_folder_that_is_not_writable_is_reported_at_the_start(tmp_path):
    (tmp_path / "data").mkdir(mode=0o555)
    program = Program(tmp_path, before=without_override())
    try:
        assert program.process.wait(PATIENCE) == 1
    finally:
        program.kill()
    assert program.log == f"skerry: The data folder {tmp_path / 'data'} is not writable\n"


def test_reading_goes_on_when_the_data_folder_cannot_be_written_any_more(tmp_path):
    # A second one might just be starting.
    with started(tmp_path, "--workers", "1", before=without_override()) as program:
        assert opened(program)[0] == 201
        with read_only(tmp_path / "data"):
            assert opened_with_a_file(program, "Too late") == (503, "5")
            # What is open already can still be written to.
            said = opened(program, "In time")
            assert listed(program) == 200
            assert program.get("/health")[0] == 200
        assert said in ((201, None), (503, "5"))
        assert opened_with_a_file(program, "Again")[0] == 201
        assert titles(program) == {"It leaks", "Again"} | ({"In time"} if said[0] == 201 else set())


def test_a_change_is_not_made_if_the_log_cannot_be_opened(tmp_path):
    with started(tmp_path, "--workers", "1", before=without_override()) as program:
        assert opened(program)[0] == 201
        log = tmp_path / "data" / "skerry.sqlite3-wal"
        rights = log.stat().st_mode
        log.chmod(0)
        said = opened(program, "Too late")
        log.chmod(rights)
        assert opened(program, "Again")[0] == 201
        assert titles(program) == {"It leaks", "Again"} | ({"Too late"} if said[0] == 201 else set())


@contextmanager
def read_only(folder):
    """Take away the right to write in a folder and in the files there."""
    rights = {path: path.stat().st_mode for path in [folder, *folder.rglob("*")]}
    try:
        for path, mode in rights.items():
            path.chmod(mode & ~0o222)
        yield
    finally:
        for path, mode in rights.items():
            path.chmod(mode)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 12 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("FULL DISK NOT TESTED: only root mounts one")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "none", place], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"FULL DISK NOT TESTED: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_is_answered_with_503_until_there_is_room(small_disk):
    with started(small_disk) as program:
        assert opened(program)[0] == 201
        ballast = small_disk / "ballast"
        fill(ballast)
        said = until(lambda: (last := opened(program, "x" * 200))[0] != 201 and last, "a full disk")
        assert said == (503, "5")
        assert listed(program) == 200
        assert program.get("/health") == (503, b'{"status":"unavailable"}')
        assert f"{small_disk / 'data'}: No space left on device" in program.log
        ballast.unlink()
        assert program.get("/health")[0] == 200
        until(lambda: opened(program)[0] == 201, "a ticket again")
        assert "It leaks" in titles(program)


def fill(path):
    """Leave nothing of the disk free."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
