"""The number of processors that this program may use."""

import math
import os
from contextlib import suppress
from pathlib import Path

CONTAINER = Path("/sys/fs/cgroup/cpu.max")
"""The file with a container's CPU quota and its period, in microseconds."""


def usable(container: Path = CONTAINER) -> int:
    """Return how many processors this process may use: its container may have fewer than the machine."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Outside containers the file is missing, and without a limit it contains no number.
    with suppress(OSError, ValueError, ZeroDivisionError):
        used, period = (int(word) for word in container.read_text().split())
        allowed = min(allowed, math.ceil(used / period))
    return max(1, allowed)
