"""How many processors this program has for itself."""

import math
import os
from contextlib import suppress
from pathlib import Path

CONTAINER = Path("/sys/fs/cgroup/cpu.max")
"""Where a container says how many microseconds of processor time it may use in how many microseconds."""


def usable(container: Path = CONTAINER) -> int:
    """Return how many processors this process may use: its container may have fewer than the machine."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # A machine has no such file, and a container without a limit has no number in it.
    with suppress(OSError, ValueError, ZeroDivisionError):
        used, period = (int(word) for word in container.read_text().split())
        allowed = min(allowed, math.ceil(used / period))
    return max(1, allowed)
