"""Files that are still coming, beside the data."""

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
    """Translate storage errors into the product's own."""
    try:
        yield
    except OSError as error:
        raise Unavailable(AWAY) from error


class TemporaryFile:
    """A file that is still coming; it takes at most ``limit`` bytes, and sums them up in ``checksum``.

    Its lock says that somebody works on it: a program that dies lets go of the lock, and the
    sweep takes the file away.
    """

    def __init__(self, folder: Path, limit: int, too_large: str) -> None:
        """Open an empty file in the folder; ``too_large`` is what is said about a byte too many."""
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
        """Take the next bytes; raises TooLarge, or Unavailable if the disk refuses them."""
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
        """Close the file, and remove it unless it was kept; if the disk refuses that, the cleanup does it."""
        with suppress(OSError):  # a full disk refuses what was not written yet, and nobody needs it
            self.file.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def remove_abandoned(path: Path, older_than: timedelta) -> bool:
    """Remove a file on which nobody works, if nothing came for so long; return whether that was done."""
    # What somebody else has left there does not keep the cleanup from the rest.
    with suppress(FileNotFoundError, PermissionError, BlockingIOError), path.open("rb") as file:
        written = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
        if written > datetime.now(UTC) - older_than:
            return False
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
        return True
    return False
