"""Free space on the disk of a folder, which a running server may be using."""

import errno
import os
import shutil
from pathlib import Path

from skerry import sizes
from skerry.errors import Conflict, Unavailable
from skerry.store.engine.database import Database
from skerry.store.files.blobs import Blobs

_LEFT_FREE = 256 * 1024 * 1024

NEEDED = 4 * 1024 * 1024
"""The number of bytes that a change may need: the longest text, in SQLite's log and in its table."""


def check_disk_space(folder: Path, size: int = 0) -> None:
    """Raise Conflict unless the given number of bytes fits into a folder with room to spare."""
    if shutil.disk_usage(folder).free < size + _LEFT_FREE:
        free = sizes.exact(_LEFT_FREE)
        raise Conflict(f"The archive does not fit in {folder}, where {free} must stay free")


def check_writable(database: Database, blobs: Blobs) -> None:
    """Raise Unavailable, naming the folder, if a change or a file would fail for lack of disk space.

    Nothing is written: the system reports the free space. Remote databases and buckets are not checked.
    """
    file = database.engine.url.database if database.engine.dialect.name == "sqlite" else None
    for folder in ([Path(file).parent] if file else []) + blobs.folders:
        try:
            found = os.statvfs(folder)
        except FileNotFoundError:
            # The folder is created with the first file.
            continue
        except OSError as error:
            raise Unavailable from error
        # Some file systems allocate inodes dynamically and report none.
        if found.f_bavail * found.f_frsize < NEEDED or (found.f_files and not found.f_favail):
            raise Unavailable from OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
