"""Files: flushing to the disk, and locks."""

import fcntl
import os
from pathlib import Path
from typing import BinaryIO


def fsync(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def lock_if_free(file: BinaryIO | int) -> bool:
    """Lock a file without waiting; return False if it is locked already."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
