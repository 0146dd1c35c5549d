"""How a worker takes the place of another one: the old one answers until the new one is built."""

import os
import select
import time
from collections.abc import Callable

# A worker that has not been built so long after its start is not waited for any longer.
BUILD_SECONDS = 30

_LOOK_SECONDS = 0.05

# The end of a pipe that a worker inherits from whoever waits for it, and lets go of when it is built.
_held: list[int] = []


def let_go() -> None:
    """Say that this worker is built; one that ends before says so by that."""
    while _held:
        os.close(_held.pop())


def start(begin: Callable[[], None], is_over: Callable[[], bool]) -> None:
    """Start a worker and wait until it is built, or has ended, or all is over."""
    looked_at, held = os.pipe()
    _held.append(held)
    begin()
    let_go()
    until = time.monotonic() + BUILD_SECONDS
    while not select.select([looked_at], [], [], _LOOK_SECONDS)[0] and not is_over():
        if time.monotonic() > until:
            break
    os.close(looked_at)
