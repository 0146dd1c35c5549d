"""How the process that watches over the workers goes on: it replaces those that died, and all at a reload."""

import multiprocessing
import time
from collections import deque
from typing import Any

from granian.server.mp import MPServer

from skerry import config, replacing
from skerry.web.log import Log

# After the signal to stop, running requests have so long; what takes longer never ends.
PATIENCE_SECONDS = 30

# So often a worker is tried to be started where there is no room for a process.
TRY_SECONDS = 0.5

# A worker that ends by itself so soon could not start.
START_SECONDS = 5.5

# Where one after the other is killed that soon, the next one is started once the last would be so old.
KILLED_SECONDS = 2

# What starting a process or a thread of it can fail with, where the system has no room for one.
NO_ROOM = (OSError, RuntimeError)

_LOOK_SECONDS = 0.05


class Watching(MPServer):
    """Starts a worker again however often it is killed; gives up when one cannot even start, twice."""

    def __init__(self, *what: Any, **how: Any) -> None:
        """Take what granian's server takes."""
        super().__init__(*what, **how)
        # Granian would keep here who has died, and end a stop with an error if anybody had.
        self.interrupt_children: Any = deque(maxlen=0)
        # What took the place of a worker that ended too soon, and whether that had ended by itself.
        self._second: dict[int, tuple[Any, bool]] = {}
        self._said = ""

    def _serve_loop(self, *what: Any, **how: Any) -> None:
        """Heed what workers and signals say, until the server is stopped.

        Granian's own loop misses what is said right before it begins to wait again, even to stop.
        """
        outdated: list[Any] = []
        pause = None
        while True:
            self.main_loop_interrupt.wait(pause)
            # Whatever is said from here on is heeded in the next round.
            self.main_loop_interrupt.clear()
            if self.interrupt_signal:
                return
            missing = [worker.idx for worker in list(self.wrks) if not self._lives(worker, *what, **how)]
            if self.reload_signal:
                self.reload_signal, outdated = False, list(self.wrks)
            while outdated and outdated[0] not in self.wrks:
                # It died meanwhile, and another one has its place.
                outdated.pop(0)
            if outdated and not self._renew(outdated.pop(0), *what, **how):
                outdated.clear()
            pause = 0 if outdated else TRY_SECONDS if missing else None

    def _lives(self, worker: Any, *what: Any, **how: Any) -> bool:
        """Start another worker in the place of one that died; says whether there is one now."""
        if worker.inner.exitcode is None:
            return True
        by_itself, age = worker.inner.exitcode >= 0, time.monotonic() - worker.birth
        is_second = age < START_SECONDS and self._second.get(worker.idx) == (worker, by_itself)
        if is_second and by_itself:
            Log(config.load().log_format).event("restart", given_up="A worker ended twice at its start")
            self.shutdown(1)  # type: ignore[no-untyped-call]  # granian's; it ends the program
        if is_second and age < KILLED_SECONDS:
            return False
        new = self._spawn_worker(worker.idx, *what, **how)
        try:
            replacing.start(new)
        except NO_ROOM as failure:
            # One line for all tries that fail alike.
            if self._said != str(failure):
                self._said = _put_off("restart", failure)
            return False
        self.wrks[worker.idx], self._said = new, ""
        self._second.pop(worker.idx, None)
        if age < START_SECONDS:
            self._second[worker.idx] = (new, by_itself)
        return True

    def _renew(self, old: Any, *what: Any, **how: Any) -> bool:
        """Start a worker in the place of one, which ends once the new one is built; says if all went well."""
        new: Any = self._spawn_worker(old.idx, *what, **how)
        forked = multiprocessing.get_start_method() == "fork"
        try:
            replacing.start(new, (lambda: self.interrupt_signal) if forked else None)
        except (replacing.NotBuilt, *NO_ROOM) as failure:
            _put_off("reload", failure)
            return False
        self.wrks[old.idx] = new
        # Whoever stops the server ends this one with the others.
        self.wrks.append(old)
        self._rest(self.respawn_interval, old, new)
        if old.is_alive() and not new.is_alive() and not self.interrupt_signal:
            self.wrks[old.idx] = self.wrks.pop()
            _put_off("reload", "It ended right after its start")
            return False
        if not self.interrupt_signal:
            old.terminate()
        until = time.monotonic() + PATIENCE_SECONDS
        while old.is_alive() and not self.interrupt_signal and time.monotonic() < until:
            # What is still answered may take long, and nobody else may be there.
            for worker in self.wrks[:-1]:
                self._lives(worker, *what, **how)
            self._rest(TRY_SECONDS, old)
        if not self.interrupt_signal:
            old.kill()
            self.wrks.remove(old)
        return True

    def _rest(self, seconds: float, *workers: Any) -> None:
        """Wait so long at most, and not once one of some workers has ended or the server is stopped."""
        until = time.monotonic() + seconds
        while not self.interrupt_signal and time.monotonic() < until:
            if not all(worker.is_alive() for worker in workers):
                return
            time.sleep(_LOOK_SECONDS)


def _put_off(what: str, reason: object) -> str:
    Log(config.load().log_format).event(what, put_off=str(reason))
    return str(reason)
