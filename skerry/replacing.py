"""How a worker takes the place of another one: the old one answers until the new one is built."""

import os
import select
import time
from collections.abc import Callable
from contextlib import ExitStack

# A worker that has not been built so long after its start never will be.
BUILD_SECONDS = 30

_LOOK_SECONDS = 0.05

# The end of a pipe that a worker inherits from whoever waits for it, and says by that it is built.
_held: list[int] = []


class NotBuilt(Exception):
    """A worker could not be started, or not be built; the sentence says which."""


def say_built() -> None:
    """Say that this worker is built; one that ends before says nothing."""
    for held in _held:
        os.write(held, b".")
    _let_go()


def _let_go() -> None:
    while _held:
        os.close(_held.pop())


def start(begin: Callable[[], None], is_over: Callable[[], bool]) -> None:
    """Start a worker and wait until it is built, or all is over; raises NotBuilt."""
    with ExitStack() as opened:
        looked_at, held = os.pipe()
        opened.callback(os.close, looked_at)
        _held.append(held)
        try:
            begin()
        except OSError as error:
            raise NotBuilt(str(error)) from error
        finally:
            _let_go()
        until = time.monotonic() + BUILD_SECONDS
        while not select.select([looked_at], [], [], _LOOK_SECONDS)[0] and not is_over():
            if time.monotonic() > until:
                raise NotBuilt(f"It was not built within {BUILD_SECONDS} seconds")
        if not is_over() and not os.read(looked_at, 1):
            raise NotBuilt("It ended before it was built")
