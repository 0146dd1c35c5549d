"""Files in a folder."""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfileobj

from skerry.files.storage import PIECE, StoredFile, temporary_key
from skerry.filesystem import fsync


class Folder:
    """Files in a folder, which may be on another disk than the temporary files."""

    # A slow reader has two or three pieces in memory: one being sent, and those that follow.
    piece_size = 32 * 1024
    is_remote = False

    def __init__(self, root: Path) -> None:
        """Create a storage in a folder, which is created with the first file."""
        self._root = root
        self._named: set[Path] = set()

    def put(self, path: Path, key: str) -> None:
        """Move a file to its place durably."""
        place = self._root / key
        place.parent.mkdir(parents=True, exist_ok=True)
        # Touched, so that no cleanup removes it before its row is written.
        os.utime(path)
        try:
            path.replace(place)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy(path, place)
        fsync(place.parent)
        self._name(place.parent)

    def _copy(self, path: Path, place: Path) -> None:
        """Move a file here from another disk; it appears only once it is complete."""
        passing = self._root / temporary_key()
        passing.parent.mkdir(exist_ok=True)
        passing.touch(mode=path.stat().st_mode & 0o777)
        try:
            with path.open("rb") as source, passing.open("wb") as copy:
                copyfileobj(source, copy, PIECE)
                copy.flush()
                os.fsync(copy.fileno())
            passing.replace(place)
        except BaseException:
            passing.unlink()
            raise

    def _name(self, folder: Path) -> None:
        """Flush the name of a folder to the disk, once in each process.

        The process that created the folder may not have flushed it yet, or may have been killed before.
        """
        if folder not in self._named:
            # The name is in the parent folder.
            fsync(self._root)
            fsync(self._root.parent)
            self._named.add(folder)

    def piece(self, key: str, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` up to ``stop``."""
        with (self._root / key).open("rb") as file:
            file.seek(start)
            return file.read(stop - start)

    def size(self, key: str) -> int:
        """Return how many bytes a file has."""
        return (self._root / key).stat().st_size

    def check_container(self, key: str) -> None:
        """Raise OSError if the folder of a file is missing."""
        (self._root / key).parent.stat()

    def remove(self, keys: list[str]) -> None:
        """Remove files; missing files are not an error."""
        for key in keys:
            (self._root / key).unlink(missing_ok=True)

    def list_all(self) -> Iterator[StoredFile]:
        """Return every file."""
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = Path(folder, name)
                with suppress(FileNotFoundError):
                    # The target of somebody else's link may be out of reach.
                    since = datetime.fromtimestamp(path.lstat().st_mtime, UTC)
                    yield StoredFile(path.relative_to(self._root).as_posix(), since)

    def now(self) -> datetime:
        """Return the time by the local clock, which also dates the files of ``put``."""
        return datetime.now(UTC)
