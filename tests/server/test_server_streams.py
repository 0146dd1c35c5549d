"""The whole program with event streams: they use no threads, and survive killed workers."""

import http.client
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from tests.server.test_server_faults import opened, started
from tests.support import own_postgres
from tests.support.processes import PATIENCE, START_PATIENCE, Program, until

MANY = int(os.environ.get("SKERRY_TEST_STREAMS", "40"))
ROUNDS = int(os.environ.get("SKERRY_TEST_ROUNDS", "3"))


class Wire:
    """The connection of somebody who follows what happens; raises ConnectionError where there is none."""

    def __init__(self, program, after="now"):
        self._connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=PATIENCE)
        headers = {"X-ServiceToken": program.token, "Accept": "text/event-stream"}
        with ExitStack() as stack:
            stack.callback(self._connection.close)
            self._connection.request("GET", f"/events?after={after}", headers=headers)
            self._answer = self._connection.getresponse()
            if self._answer.status != http.HTTPStatus.OK:
                raise ConnectionError(self._answer.read())
            self._answer.readline()  # the first words: from now on nothing is missed
            stack.pop_all()

    def numbers(self):
        """Yield the numbers of the events as they come, until the connection ends or breaks."""
        with suppress(OSError, http.client.HTTPException):
            while line := self._answer.readline():
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])["event"]["number"]

    def close(self):
        self._answer.close()
        self._connection.close()


@contextmanager
def wires(program, number):
    with ExitStack() as stack:
        opened_ones = [Wire(program) for _ in range(number)]
        for wire in opened_ones:
            stack.callback(wire.close)
        yield opened_ones


def threads(program):
    return sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in program.workers())


def test_many_streams_take_no_thread_see_all_at_once_and_end_at_a_reload_and_at_a_stop(tmp_path):
    with started(tmp_path, "--workers", "1") as program:
        for number in range(8):
            opened(program, f"Leak {number}")
        before = threads(program)
        with wires(program, MANY) as streams, ThreadPoolExecutor(MANY) as pool:
            first = [pool.submit(next, wire.numbers()) for wire in streams]
            opened(program, "Flood")
            assert len({each.result(PATIENCE) for each in first}) == 1
            assert threads(program) < before + MANY / 2  # a few threads are started when they are needed
        with wires(program, 3) as streams:
            program.process.send_signal(signal.SIGHUP)
            assert [list(wire.numbers()) for wire in streams] == [[]] * 3
            assert program.answers() == 200
        with wires(program, 3) as streams:
            program.process.send_signal(signal.SIGTERM)
            assert [list(wire.numbers()) for wire in streams] == [[]] * 3
            assert program.process.wait(PATIENCE) == 0
        assert "graceful shutdown exceeded" not in program.log


@pytest.mark.faults
def test_readers_miss_nothing_when_a_server_is_killed_again_and_again(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    over, stop, said, goal = Event(), Event(), [], []
    with own_postgres.running() as own, ThreadPoolExecutor(8) as pool, ExitStack() as at_end:
        at_end.callback(stop.set)
        at_end.callback(over.set)
        url = own.database("killed")
        stays = at_end.enter_context(started(tmp_path / "one", "--workers", "1", SKERRY_DATABASE_URL=url))
        servers = [stays, second(tmp_path / "two", url, stays)]
        at_end.callback(lambda: [server.kill() for server in servers])
        readers = [pool.submit(follow, partial(servers.__getitem__, n), goal, stop) for n in (0, 1)]
        writers = [pool.submit(write, partial(servers.__getitem__, n % 2), over, said) for n in range(4)]
        for done in range(1, ROUNDS + 1):
            until(lambda done=done: len(said) >= 20 * done, "more tickets", START_PATIENCE)
            servers[1].kill()
            servers[1] = second(tmp_path / "two", url, stays)
        over.set()
        for writer in writers:
            writer.result()
        goal.append(pages(stays)[-1] + 1)
        assert opened(stays)[0] == 201
        assert goal[0] > len(said)
        for reader in readers:
            assert reader.result(PATIENCE) == list(range(1, goal[0] + 1))


def second(folder, url, first):
    """Another server on the same database."""
    program = Program(folder, "--workers", "1", SKERRY_DATABASE_URL=url)
    program.token = first.token
    until(program.answers, "an answer", START_PATIENCE)
    return program


def write(program, over, said):
    while not over.wait(0.01):
        with suppress(OSError, http.client.HTTPException):
            if opened(program())[0] == 201:
                said.append(1)


def follow(program, goal, stop):
    """Follow what happens, at whatever server there is, up to a number; return the numbers."""
    numbers = []
    while not stop.wait(0.05) and not (goal and numbers[-1:] == goal):
        with (
            suppress(OSError, http.client.HTTPException),
            closing(Wire(program(), numbers[-1] if numbers else 0)) as wire,
        ):
            for number in wire.numbers():
                numbers.append(number)
                if [number] == goal:
                    break
    return numbers


def pages(program):
    """Return the numbers of all events."""
    numbers, path = [], "/events.json?limit=100"
    while True:
        status, body = program.get(path, X_ServiceToken=program.token)
        assert status == 200, body
        found = [each["event"]["number"] for each in json.loads(body)["events"]]
        numbers += found
        if len(found) < 100:
            return numbers
        path = f"/events.json?limit=100&after={numbers[-1]}"
