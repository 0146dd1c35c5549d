"""The files that people attach: in a folder, or in a bucket that speaks S3.

Bytes come first to a temporary file, a temporary file beside the data, and move on only when all of them
are there. Nothing here knows what a file is for; the rows of the attachments say that.
"""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from skerry.errors import NotFound, Unavailable
from skerry.store.engine.chunks import chunks
from skerry.store.files.folder import Folder
from skerry.store.files.storage import BATCH, PIECE, Storage, StoredFile, passing_key
from skerry.store.files.temporary_files import TemporaryFile, remove_abandoned, translate_errors


class Blobs:
    """The one way to files; made once in each process."""

    def __init__(self, data: Path, place: str = "") -> None:
        """Keep files below the data folder, or at ``s3://bucket/prefix``.

        The credentials of a bucket are the usual ones of AWS, from the environment. Raises ValueError in
        words for what cannot be used.
        """
        self.data = data
        self.temporary_files = data / "uploads"
        self.place = place or str(data / "blobs")
        self._storage: Storage = _bucket(place) if place else Folder(data / "blobs")

    @property
    def folders(self) -> list[Path]:
        """Return where files are written on this machine, as they come and to stay."""
        return (
            [self.data, self.temporary_files]
            if self.is_far
            else [self.data, self.temporary_files, Path(self.place)]
        )

    @property
    def is_far(self) -> bool:
        """Return whether files are on another machine, which may be slow."""
        return self._storage.is_far

    def temporary_file(self, limit: int, too_large: str) -> TemporaryFile:
        """Begin to take a file of at most ``limit`` bytes; raises Unavailable if the disk refuses."""
        with translate_errors():
            self.temporary_files.mkdir(parents=True, exist_ok=True)
            return TemporaryFile(self.temporary_files, limit, too_large)

    def keep(self, temporary_file: TemporaryFile, key: str) -> None:
        """Put a file that has come whole into the storage; raises Unavailable."""
        with translate_errors():
            self._storage.put(temporary_file.path, key)

    def read(self, key: str, start: int, stop: int) -> Iterator[bytes]:
        """Return the bytes of a file from ``start`` up to ``stop``, piece by piece.

        Raises NotFound if the file is not there or cut short, or Unavailable, at the latest when the piece is
        asked for. Each piece is a request of its own, so a slow reader keeps no connection waiting.
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
        # Nobody may take what is left of a file for all of it.
        if len(piece) != stop - start:
            raise NotFound("The file is no longer complete")
        return piece

    def size(self, key: str) -> int | None:
        """Return how many bytes a file has, None if it is not there; raises Unavailable."""
        with translate_errors(), suppress(FileNotFoundError):
            return self._storage.size(key)
        return None

    def check_there(self, key: str) -> None:
        """Raise Unavailable if not even the folder or the bucket is there in which a file has its place."""
        with translate_errors():
            self._storage.check_there(key)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove files; it is no error if they are gone. Raises Unavailable."""
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

    def let_go(self, keys: Iterable[str]) -> bool:
        """Remove files that no row names any more, as ``remove`` does.

        While a backup reads them they stay, for a later sweep; says whether they are gone.
        """
        with self._locked("backup.lock", fcntl.LOCK_SH | fcntl.LOCK_NB) as free:
            if free:
                self.remove(keys)
            return free

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Prevent processes of this machine from releasing a file until the end."""
        with self._locked("backup.lock", fcntl.LOCK_EX):
            yield

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Return whether no other process of this machine holds the folder; it stays so until the end."""
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
        """Remove what uploads left behind that ended with their program.

        Return how many. Raises Unavailable.
        """
        with translate_errors():
            return sum(remove_abandoned(path, older_than) for path in self.temporary_files.glob("upload-*"))

    def check(self) -> None:
        """Raise Unavailable, saying where and why, unless a file can be kept and removed."""
        try:
            self._try()
        except Unavailable as error:
            raise Unavailable(f"No file can be kept at {self.place}: {error.reason}") from error

    def _try(self) -> None:
        key = passing_key()
        temporary_file = self.temporary_file(PIECE, "")
        try:
            temporary_file.write(b"check")
            temporary_file.finish()
            self.keep(temporary_file, key)
            self.remove([key])
        finally:
            temporary_file.discard()


def _bucket(place: str) -> Storage:
    from skerry.store.files.bucket import Bucket  # noqa: PLC0415 - costs memory that a folder does not need

    return Bucket(place)
