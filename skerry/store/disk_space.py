"""Free disk space, and whether files can be written, while a server may be using them."""

import errno
import os
import shutil
import sqlite3
import struct
from contextlib import closing
from functools import cache
from pathlib import Path

from skerry import sizes
from skerry.database.database import Database
from skerry.errors import Conflict, Unavailable
from skerry.files.blobs import Blobs

# The first bytes of SQLite's files: the name of the format, the size of a page, and the number of pages.
_HEAD = struct.Struct(">16sH10xI")
_MAX_PAGE = 65_536

_FIRST_ROWS = """
    SELECT printf('SELECT * FROM "%w" LIMIT 1', name) FROM sqlite_master
    WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
"""

_LEFT_FREE = 256 * 1024 * 1024
_AHEAD = 16 * 1024 * 1024

NEEDED = 4 * 1024 * 1024
"""The number of bytes that a change may need: the longest text, in SQLite's log and in its table."""


def check_disk_space(folder: Path, size: int = 0) -> None:
    """Raise Conflict unless the given number of bytes fits into a folder with room to spare."""
    if shutil.disk_usage(folder).free < size + _LEFT_FREE:
        free = sizes.exact(_LEFT_FREE)
        raise Conflict(f"The archive does not fit in {folder}, where {free} must stay free")


class DiskSpace:
    """The space in a folder for what is written bit by bit; it is checked once in 16 MiB."""

    def __init__(self, folder: Path) -> None:
        """Start with no space that is known to be there."""
        self._folder, self._left = folder, 0

    def take(self, size: int) -> None:
        """Take as much as will be written next; raises Conflict unless it fits."""
        if size > self._left:
            check_disk_space(self._folder, size + _AHEAD)
            self._left = size + _AHEAD
        self._left -= size


def check_writable(database: Database, blobs: Blobs) -> None:
    """Raise Unavailable, naming the place, if a change or a file would fail.

    Nothing is written: the system reports the free space. The space of remote databases and buckets is not
    checked.
    """
    file = database.engine.url.database if database.engine.dialect.name == "sqlite" else None
    if file:
        _check_file(Path(file))
    for folder in ([Path(file).parent] if file else []) + blobs.folders:
        try:
            space = os.statvfs(folder)
        except FileNotFoundError:
            # The folder is created with the first file.
            continue
        except OSError as error:
            raise Unavailable from error
        if space.f_flag & os.ST_RDONLY:
            raise Unavailable from OSError(errno.EROFS, os.strerror(errno.EROFS), str(folder))
        # Some file systems allocate inodes dynamically and report none.
        if space.f_bavail * space.f_frsize < NEEDED or (space.f_files and not space.f_favail):
            raise Unavailable from OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def _check_file(file: Path) -> None:
    """Raise Unavailable unless a file of SQLite can be written, has all of its pages, and can be read.

    Reads the schema and the first row of each table on a connection of its own, because others may still have
    the pages from before the damage.
    """
    try:
        _check_head(file)
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", timeout=1, uri=True)) as own:
            for (select,) in own.execute(_FIRST_ROWS).fetchall():
                own.execute(select).fetchone()
    except (OSError, struct.error, sqlite3.Error) as error:
        raise Unavailable from error


def _check_head(file: Path) -> None:
    status = file.stat()
    magic, page, count = _HEAD.unpack(os.pread(_opened(file, status.st_dev, status.st_ino), _HEAD.size, 0))
    # A page of 65,536 bytes is written as 1.
    if magic != b"SQLite format 3\0" or status.st_size < (_MAX_PAGE if page == 1 else page) * count:
        raise OSError(errno.EIO, "The database is damaged", str(file))


@cache
def _opened(file: Path, _device: int, _inode: int) -> int:
    """Return a descriptor of a file, which stays open.

    Closing it would drop the locks that SQLite holds for this process, and other processes would then remove
    the write-ahead log that is in use.
    """
    return os.open(file, os.O_RDWR | os.O_CLOEXEC)
