"""How many processors and threads this program has for itself."""

import math
import os
from contextlib import suppress
from pathlib import Path

CONTAINER = Path("/sys/fs/cgroup/cpu.max")
"""Where a container says how many microseconds of processor time it may use in how many microseconds."""

THREADS = Path("/sys/fs/cgroup/pids.max")
"""Where it says how many threads all of its processes may have."""


def usable(container: Path = CONTAINER) -> int:
    """Give how many processors this process may use: its container may have fewer than the machine."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # A machine has no such file, and a container without a limit has no number in it.
    with suppress(OSError, ValueError, ZeroDivisionError):
        used, period = (int(word) for word in container.read_text().split())
        allowed = min(allowed, math.ceil(used / period))
    return max(1, allowed)


def threads(container: Path = THREADS) -> int | None:
    """Give how many threads a container may have, None without a limit."""
    # As above.
    with suppress(OSError, ValueError):
        return int(container.read_text())
    return None


def workers(processors: int) -> int:
    """Give how many processes to serve with: one for each of up to four processors, or for half of more.

    What is left of many is the database's, and that of whatever else the machine does.
    """
    return min(processors, max(4, processors // 2))
