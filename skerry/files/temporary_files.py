"""Temporary files of uploads, beside the data."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO, cast
from zlib import crc32

from skerry.errors import TooLarge, Unavailable

AWAY = "Files are temporarily unavailable. Try again shortly"


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate errors of the storage into Unavailable."""
    try:
        yield
    except OSError as error:
        raise Unavailable(AWAY) from error


class TemporaryFile:
    """An upload in progress, of at most ``limit`` bytes, with a running ``checksum``.

    It is locked while it is written: if the process dies, the lock is released and the cleanup removes the
    file.
    """

    def __init__(self, folder: Path, limit: int, too_large: str) -> None:
        """Open an empty file in the folder; ``too_large`` is the error message for too many bytes."""
        # Closed by ``discard``: the file lives longer than this call.
        opened = NamedTemporaryFile(dir=folder, prefix="upload-", delete=False)  # noqa: SIM115
        self.file = cast("BinaryIO", opened)
        self.path = Path(opened.name)
        fcntl.flock(self.file, fcntl.LOCK_EX)
        self.size = 0
        self.checksum = 0
        self._limit = limit
        self._too_large = too_large

    def write(self, data: bytes, /) -> None:
        """Write the next bytes; raises TooLarge, or Unavailable if the disk refuses them."""
        self.size += len(data)
        if self.size > self._limit:
            raise TooLarge(self._too_large)
        self.checksum = crc32(data, self.checksum)
        with translate_errors():
            self.file.write(data)

    def finish(self) -> None:
        """Flush everything to the disk, so that a row never outlives its file; raises Unavailable."""
        with translate_errors():
            self.file.flush()
            os.fsync(self.file.fileno())

    def discard(self) -> None:
        """Close the file, and remove it unless it was stored; if that fails, the cleanup does it."""
        with suppress(OSError):  # a full disk refuses buffered bytes, which are not needed
            self.file.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def remove_abandoned(path: Path, older_than: timedelta) -> bool:
    """Delete an unlocked file that has not grown for a given time; return whether it was deleted."""
    # Files of other programs must not stop the cleanup.
    with suppress(FileNotFoundError, PermissionError, BlockingIOError), path.open("rb") as file:
        written = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
        if written > datetime.now(UTC) - older_than:
            return False
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
        return True
    return False
