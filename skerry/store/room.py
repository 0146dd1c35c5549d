"""Room on the disk of a folder, on which a server may be at work meanwhile."""

import shutil
from pathlib import Path

from skerry import sizes
from skerry.errors import Conflict

_LEFT_FREE = 256 * 1024 * 1024


def check_room(folder: Path, size: int = 0) -> None:
    """Raise Conflict unless so many bytes fit into a folder, and some stay free."""
    if shutil.disk_usage(folder).free < size + _LEFT_FREE:
        free = sizes.exact(_LEFT_FREE)
        raise Conflict(f"The archive does not fit into {folder}, where {free} must stay free")
