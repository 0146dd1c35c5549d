"""How a worker takes the place of another one: the old one answers until the new one is built."""

import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

# A worker that has not been built so long after its start is not waited for any longer.
BUILD_SECONDS = 30

_LOOK_SECONDS = 0.05

# Both ends of a pipe by which workers say that they are built; none where they inherit nothing.
_pipe: list[int] = []


def prepare() -> None:
    """Let workers that are started from now on say when they are built."""
    _pipe.extend(os.pipe())
    # Nobody reads it before workers are started anew.
    os.set_blocking(_pipe[1], False)


def say_built() -> None:
    """Say so for this worker."""
    if _pipe:
        with suppress(BlockingIOError):
            os.write(_pipe[1], b".")


def start(worker: Any, begin: Callable[[], None]) -> None:
    """Start a worker and wait until it is built, or has ended."""
    while _is_said(0):
        os.read(_pipe[0], 100)
    begin()
    until = time.monotonic() + BUILD_SECONDS
    while not _is_said(_LOOK_SECONDS) and worker.is_alive() and time.monotonic() < until:
        pass


def _is_said(seconds: float) -> bool:
    return bool(select.select([_pipe[0]], [], [], seconds)[0])
