"""What the process that watches over the workers does when they end, and when it is told something."""

import time
from contextlib import nullcontext
from threading import Event

import pytest

from skerry import watching
from skerry.watching import Watching


class Worker:
    """Stands for one of granian's, and for its process; ``exitcode`` is how it has ended."""

    def __init__(self, number):
        self.inner, self.idx, self.birth = self, number, time.monotonic()
        self.exitcode, self.pid, self.watched = None, 1, False

    def start(self):
        """Become a process at once."""

    def _watch(self):
        self.watched = True

    def is_alive(self):
        return self.exitcode is None

    def terminate(self):
        self.exitcode = -15

    def kill(self):
        """End nothing that has ended."""

    def join(self, timeout=None):
        """Wait for nothing that has ended."""


class Moments(Event):
    """Lets something happen whenever the server is about to wait, and once before it forgets what woke it."""

    def __init__(self, *moments):
        super().__init__()
        self.moments, self.late = list(moments), None

    def wait(self, timeout=None):
        if self.moments:
            self.moments.pop(0)()
        assert self.is_set() or timeout is not None, "Nothing would ever wake it"

    def clear(self):
        late, self.late = self.late, None
        if late:
            late()
        super().clear()


class Server(Watching):
    """Starts workers that are no processes; ``full`` is how often there is no room for one."""

    def __init__(self, workers=1):
        super().__init__("none:none", workers=workers, log_enabled=False)
        self.full = self.started = self.respawn_interval = 0
        self.wrks = [Worker(number) for number in range(workers)]

    def _spawn_worker(self, idx, *_):
        self.started += 1
        worker = Worker(idx)
        worker.start = self._room
        return worker

    def _room(self):
        if self.full:
            self.full -= 1
            raise BlockingIOError("No room")

    def _drop_shared_socket(self):
        """Drop none, as nothing is listened at."""

    _stop_ipc = _drop_shared_socket

    def ends(self, number=0, code=-9):
        """Let a worker end, and say so as granian's thread does that waits for it."""
        self.wrks[number].exitcode = code
        self.interrupt_children.append(number)
        self.main_loop_interrupt.set()

    def goes_through(self, *moments):
        self.main_loop_interrupt = Moments(*moments)
        self._serve_loop(None, None)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch, tmp_path):
    monkeypatch.setattr(watching.replacing, "start", lambda worker, _is_over=None: worker.start())
    monkeypatch.setenv("SKERRY_DATA", str(tmp_path))


def test_a_stop_is_heeded_that_comes_right_before_the_server_forgets_what_woke_it():
    server = Server()

    def reload():
        server.main_loop_interrupt.late = server.signal_handler_interrupt
        server.signal_handler_reload()

    server.goes_through(reload)
    assert server.started == 0


def test_workers_that_die_while_another_one_is_replaced_are_replaced_too():
    server = Server(workers=2)

    def both_end():
        server.main_loop_interrupt.late = lambda: server.ends(1)
        server.ends(0)

    server.goes_through(both_end, server.signal_handler_interrupt)
    assert (server.started, [worker.exitcode for worker in server.wrks]) == (2, [None, None])


def test_a_worker_for_which_there_is_no_room_is_tried_again_and_that_is_said_once(capfd):
    server = Server()
    server.full = 3
    server.goes_through(server.ends, *[lambda: None] * 3, server.signal_handler_interrupt)
    assert (server.started, server.wrks[0].exitcode) == (4, None)
    assert capfd.readouterr().err.count("restart put_off='No room'") == 1


def test_a_reload_for_which_there_is_no_room_keeps_nobody_from_being_replaced():
    server = Server(workers=2)
    server.full = 2

    def one_ends_at_a_reload():
        server.ends(1)
        server.signal_handler_reload()

    server.goes_through(one_ends_at_a_reload, lambda: None, server.signal_handler_interrupt)
    assert [worker.exitcode for worker in server.wrks] == [None, None]


def test_a_worker_that_dies_at_a_reload_is_replaced_once():
    server = Server(workers=2)
    server.goes_through(server.signal_handler_reload, lambda: server.ends(1), server.signal_handler_interrupt)
    assert (server.started, [worker.exitcode for worker in server.wrks]) == (2, [None, None])


def test_a_second_reload_replaces_all_workers_again():
    server = Server(workers=2)
    server.goes_through(*[server.signal_handler_reload] * 2, lambda: None, server.signal_handler_interrupt)
    assert (server.started, len(server.wrks)) == (3, 2)


def test_a_worker_that_is_replaced_when_the_server_is_stopped_is_stopped_with_the_others(monkeypatch):
    server = Server()
    server.respawn_interval = 60
    (old,) = server.wrks
    stop = server.signal_handler_interrupt
    monkeypatch.setattr(watching.replacing, "start", lambda _worker, _is_over: stop())
    server.goes_through(server.signal_handler_reload)
    assert (server.wrks[1], old.exitcode) == (old, None)


def test_a_worker_stays_where_the_one_that_takes_its_place_ends_at_once(monkeypatch, capfd):
    server = Server(workers=2)
    before = list(server.wrks)
    monkeypatch.setattr(watching.replacing, "start", lambda new, _is_over=None: setattr(new, "exitcode", 1))
    server.goes_through(server.signal_handler_reload, server.signal_handler_interrupt)
    assert (server.wrks, [worker.exitcode for worker in before]) == (before, [None, None])
    assert capfd.readouterr().err.count("reload put_off='It ended right after its start'") == 1


def test_a_worker_that_dies_while_the_one_before_it_still_answers_is_replaced_at_once(monkeypatch):
    monkeypatch.setattr(watching, "TRY_SECONDS", 0)
    server = Server()
    (old,) = server.wrks
    old.terminate, old.is_alive = server.ends, lambda: server.started < 2
    server.goes_through(server.signal_handler_reload, server.signal_handler_interrupt)
    assert [worker.exitcode for worker in server.wrks] == [None]


@pytest.mark.parametrize(("code", "is_end"), [(1, True), (0, True), (-9, False)])
def test_a_worker_that_ends_by_itself_twice_within_seconds_ends_the_server(monkeypatch, code, is_end):
    monkeypatch.setattr(watching, "KILLED_SECONDS", 0)
    server = Server()
    with pytest.raises(SystemExit, match="1") if is_end else nullcontext():
        server.goes_through(*[lambda: server.ends(code=code)] * 3, server.signal_handler_interrupt)
    assert server.started == (1 if is_end else 3)


def test_a_worker_that_is_killed_at_each_start_is_not_started_without_a_pause(monkeypatch):
    # However slow the machine is.
    monkeypatch.setattr(watching, "START_SECONDS", 9000)
    monkeypatch.setattr(watching, "KILLED_SECONDS", 3000)
    server = Server()

    def that_time_passes():
        server.wrks[0].birth -= 3000

    killed = [server.ends] * 2
    server.goes_through(*killed, lambda: None, that_time_passes, *killed, server.signal_handler_interrupt)
    assert (server.started, server.wrks[0].exitcode) == (2, -9)


def test_a_worker_that_ends_by_itself_once_it_has_worked_is_replaced_each_time(monkeypatch):
    monkeypatch.setattr(watching, "START_SECONDS", -1)
    server = Server()
    server.goes_through(*[lambda: server.ends(code=0)] * 3, server.signal_handler_interrupt)
    assert server.started == 3


def test_a_worker_that_died_before_a_stop_makes_no_failure_of_it():
    server = Server()
    server.full = 9
    server.goes_through(server.ends, server.signal_handler_interrupt)
    assert server.shutdown() is None
