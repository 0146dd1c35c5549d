"""Flushing writes to the disk."""

import os
from pathlib import Path


def fsync(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
