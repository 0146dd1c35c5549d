"""Processes and processors: ending of workers with their supervisor, and how many the machine has."""

import asyncio
import math
import multiprocessing
import os
import signal
from contextlib import suppress
from pathlib import Path

_FOR_THE_SUPERVISOR = (signal.SIGHUP, signal.SIGQUIT)


async def end_with_parent() -> None:
    """Stop this worker once its supervisor has ended; outside a worker, return at once.

    Otherwise it would keep running beside the next server, with old settings and code. Signals meant for the
    supervisor are ignored from here on.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    for number in _FOR_THE_SUPERVISOR:
        signal.signal(number, signal.SIG_IGN)
    loop, is_gone = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(parent.sentinel, is_gone.set)
    try:
        await is_gone.wait()
    finally:
        loop.remove_reader(parent.sentinel)
    os.kill(os.getpid(), signal.SIGTERM)


CONTAINER = Path("/sys/fs/cgroup/cpu.max")
"""The file with a container's CPU quota and its period, in microseconds."""


def usable_processors(container: Path = CONTAINER) -> int:
    """Return how many processors this process may use: its container may have fewer than the machine."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Outside containers the file is missing, and without a limit it contains no number.
    with suppress(OSError, ValueError, ZeroDivisionError):
        used, period = (int(word) for word in container.read_text().split())
        allowed = min(allowed, math.ceil(used / period))
    return max(1, allowed)
