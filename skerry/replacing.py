"""How a worker takes the place of another one: the old one answers until the new one is built."""

import os
import select
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

# A worker that has not been built so long after its start never will be.
BUILD_SECONDS = 30

_LOOK_SECONDS = 0.05

# The end of a pipe that a worker inherits from whoever waits for it, and says by that it is built.
_held: list[int] = []


class NotBuilt(Exception):
    """A worker takes nobody's place; the sentence says why."""


def say_built() -> None:
    """Say that this worker is built; one that ends before says nothing."""
    for held in _held:
        os.write(held, b".")
    _let_go()


def _let_go() -> None:
    while _held:
        os.close(_held.pop())


def start(worker: Any, is_over: Callable[[], bool] | None = None) -> None:
    """Start one of granian's workers, and if told when all is over wait until it is built.

    Raises NotBuilt, also once all is over, and what the system says where there is no room for a process.
    """
    try:
        if is_over:
            _wait(worker.inner, is_over)
        else:
            _begin(worker.inner)
        # From here on it is said if it ends.
        worker._watch()  # noqa: SLF001 - granian has no other way
    except BaseException:
        if worker.inner.pid:
            worker.inner.kill()
            worker.inner.join()
        raise


def _begin(process: Any) -> None:
    before = _pipes()
    try:
        process.start()
    except OSError:
        # Python leaves both of its pipes open where it cannot fork: after some tries nothing could be opened.
        for end in _pipes() - before:
            os.close(end)
        raise


def _pipes() -> set[int]:
    """Give the ends of pipes that are open here; none where the system does not tell."""
    return {int(end.name) for end in Path("/proc/self/fd").glob("*") if end.is_fifo()}


def _wait(process: Any, is_over: Callable[[], bool]) -> None:
    with ExitStack() as opened:
        looked_at, held = os.pipe()
        opened.callback(os.close, looked_at)
        _held.append(held)
        try:
            _begin(process)
        finally:
            _let_go()
        until = time.monotonic() + BUILD_SECONDS
        while not select.select([looked_at], [], [], _LOOK_SECONDS)[0]:
            if is_over():
                raise NotBuilt("The server is stopped")
            if time.monotonic() > until:
                raise NotBuilt(f"It was not built within {BUILD_SECONDS} seconds")
        if not os.read(looked_at, 1):
            raise NotBuilt("It ended before it was built")
