"""Attached files, in a folder or in an S3 bucket.

A file is written to a temporary file beside the data, which is moved to its place once it is complete. This
module does not know what a file is for; the rows of attachments do.
"""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from skerry.chunks import chunks
from skerry.errors import NotFound, Unavailable
from skerry.files.folder import Folder
from skerry.files.storage import BATCH, PIECE, Storage, StoredFile, temporary_key
from skerry.files.temporary_files import TemporaryFile, remove_abandoned, translate_errors


class Blobs:
    """Access to all files; there is one in each process."""

    def __init__(self, data: Path, place: str = "", called: str = "SKERRY_BLOBS") -> None:
        """Create the storage below the data folder, or at ``s3://bucket/prefix``.

        The credentials of a bucket are the usual AWS variables of the environment. Raises ValueError for
        invalid settings, with a message in which the place is ``called`` so.
        """
        self.data = data
        self.temporary_files = data / "uploads"
        self.place = place or str(data / "blobs")
        self._storage: Storage = _bucket(place, called) if place else Folder(data / "blobs")

    @property
    def folders(self) -> list[Path]:
        """Return the local folders of temporary and of stored files."""
        return (
            [self.data, self.temporary_files]
            if self.is_remote
            else [self.data, self.temporary_files, Path(self.place)]
        )

    @property
    def is_remote(self) -> bool:
        """Return whether files are on another machine, which may be slow."""
        return self._storage.is_remote

    def temporary_file(self, limit: int, too_large: str) -> TemporaryFile:
        """Begin a file of at most ``limit`` bytes; raises Unavailable if the disk refuses it."""
        with translate_errors():
            self.temporary_files.mkdir(parents=True, exist_ok=True)
            return TemporaryFile(self.temporary_files, limit, too_large)

    def keep(self, temporary_file: TemporaryFile, key: str) -> None:
        """Move a complete file into the storage; raises Unavailable."""
        with translate_errors():
            self._storage.put(temporary_file.path, key)

    def read(self, key: str, start: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes of a file from ``start`` up to ``stop``, in pieces.

        Raises NotFound if the file is missing or too short, or Unavailable, at the latest when a piece is
        requested. Each piece is a separate request, so a slow reader occupies no connection.
        """
        size = self._storage.piece_size
        for begin in range(start, stop, size):
            with translate_errors():
                yield self._piece(key, begin, min(begin + size, stop))

    def _piece(self, key: str, start: int, stop: int) -> bytes:
        try:
            piece = self._storage.piece(key, start, stop)
        except FileNotFoundError as error:
            raise NotFound("The file no longer exists") from error
        # A part of a damaged file must not be mistaken for all of it.
        if len(piece) != stop - start:
            raise NotFound("The file is no longer complete")
        return piece

    def size(self, key: str) -> int | None:
        """Return the size of a file in bytes, None if it is missing; raises Unavailable."""
        with translate_errors(), suppress(FileNotFoundError):
            return self._storage.size(key)
        return None

    def check_container(self, key: str) -> None:
        """Raise Unavailable if the folder or the bucket of a file is missing."""
        with translate_errors():
            self._storage.check_container(key)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove files; missing files are not an error. Raises Unavailable."""
        with translate_errors():
            for batch in chunks(keys, BATCH):
                self._storage.remove(batch)

    def list_all(self) -> Iterator[list[StoredFile]]:
        """Return every file in the storage, some hundreds at a time; raises Unavailable."""
        with translate_errors():
            yield from chunks(self._storage.list_all(), BATCH)

    def now(self) -> datetime:
        """Return the time by the clock that dates files; raises Unavailable."""
        with translate_errors():
            return self._storage.now()

    def release(self, keys: Iterable[str]) -> bool:
        """Delete files that no row references any more, as ``remove`` does.

        During a backup they are kept for a later cleanup. Return whether they were deleted.
        """
        with self._locked("backup.lock", fcntl.LOCK_SH | fcntl.LOCK_NB) as free:
            if free:
                self.remove(keys)
            return free

    @contextmanager
    def prevent_removal(self, *, wait: bool = True) -> Iterator[bool]:
        """Prevent processes of this machine from releasing a file within the block.

        Without ``wait``, yields False if another process does that.
        """
        with self._locked("backup.lock", fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)) as is_locked:
            yield is_locked

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Lock the folder within the block unless another local process holds it; yield whether it is."""
        with self._locked("sweep.lock", fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
            yield alone

    @contextmanager
    def _locked(self, name: str, how: int) -> Iterator[bool]:
        with translate_errors():
            self.temporary_files.mkdir(parents=True, exist_ok=True)
            file = (self.temporary_files / name).open("ab")
        with file:
            try:
                fcntl.flock(file, how)
            except BlockingIOError:
                yield False
            else:
                yield True

    def remove_temporary_files(self, older_than: timedelta) -> int:
        """Remove the temporary files of uploads whose process was killed.

        Returns their number. Raises Unavailable.
        """
        with translate_errors():
            return sum(remove_abandoned(path, older_than) for path in self.temporary_files.glob("upload-*"))

    def check(self) -> None:
        """Raise Unavailable, saying where and why, unless a file can be stored and removed."""
        try:
            self._try()
        except Unavailable as error:
            raise Unavailable(f"Files cannot be stored at {self.place}: {error.reason}") from error

    def _try(self) -> None:
        key = temporary_key()
        temporary_file = self.temporary_file(PIECE, "")
        try:
            temporary_file.write(b"check")
            temporary_file.finish()
            self.keep(temporary_file, key)
            self.remove([key])
        finally:
            temporary_file.discard()


def _bucket(place: str, called: str) -> Storage:
    from skerry.files.bucket import Bucket  # noqa: PLC0415 - needs memory, which a folder would waste

    return Bucket(place, called)
