"""The files that people attach: in a folder, or in a bucket that speaks S3.

Bytes come first to a spool, a temporary file beside the data, and move on only when all of them
are there. Nothing here knows what a file is for; the rows of the attachments say that.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from tempfile import NamedTemporaryFile
from typing import BinaryIO, cast

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, S3Store

from skerry.errors import Missing, TooLarge, Unavailable

PIECE = 1024 * 1024
"""How many bytes of a file are in memory at a time while it is sent."""

AWAY = "The files cannot be reached at the moment; try again shortly"

# A part is held in memory while it travels, so this times the number of parts is what one file costs.
_PART = 8 * 1024 * 1024
_PARTS_AT_ONCE = 1

_BATCH = 500


@dataclass(frozen=True)
class Kept:
    """A file in the storage: its key, and when it came there."""

    key: str
    since: datetime


class Spool:
    """A file that is still coming; it takes at most ``limit`` bytes.

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
        self._limit = limit
        self._too_large = too_large

    def write(self, data: bytes, /) -> None:
        """Take the next bytes; raises TooLarge."""
        self.size += len(data)
        if self.size > self._limit:
            raise TooLarge(self._too_large)
        self.file.write(data)

    def finish(self) -> None:
        """Bring everything to the disk, so that a row never outlives its file."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def discard(self) -> None:
        """Close the file, and remove it unless it was kept."""
        self.file.close()
        self.path.unlink(missing_ok=True)


class Blobs:
    """The one way to files; made once in each process."""

    def __init__(self, data: Path, place: str = "") -> None:
        """Keep files below the data folder, or at ``s3://bucket/prefix``.

        The credentials of a bucket are the usual ones of AWS, from the environment.
        """
        self.spools = data / "uploads"
        self.place = place or str(data / "blobs")
        self._data = data
        self._bucket = _bucket(place) if place else None

    def spool(self, limit: int, too_large: str) -> Spool:
        """Begin to take a file of at most ``limit`` bytes; raises Unavailable if the disk refuses."""
        with _troubles():
            self.spools.mkdir(parents=True, exist_ok=True)
            return Spool(self.spools, limit, too_large)

    def keep(self, spool: Spool, key: str) -> None:
        """Put a file that has come whole into the storage; raises Unavailable."""
        with _troubles():
            if self._bucket is None:
                # Young again, so that no sweep takes it before its row is written.
                os.utime(spool.path)
                obstore.rename(self._folder, f"uploads/{spool.path.name}", f"blobs/{key}")
            else:
                obstore.put(self._bucket, key, spool.path, chunk_size=_PART, max_concurrency=_PARTS_AT_ONCE)

    def read(self, key: str, start: int, stop: int) -> Iterator[bytes]:
        """Give the bytes of a file from ``start`` up to ``stop``, piece by piece.

        Raises Missing or Unavailable, at the latest when the piece is asked for. Each piece is
        a request of its own, so a slow reader keeps no connection waiting.
        """
        for begin in range(start, stop, PIECE):
            with _troubles():
                yield self._piece(key, begin, min(begin + PIECE, stop))

    def _piece(self, key: str, start: int, stop: int) -> bytes:
        try:
            return bytes(obstore.get_range(self._store, self._path(key), start=start, end=stop))
        except FileNotFoundError as error:
            raise Missing("The file is not there any more") from error

    def remove(self, keys: Iterable[str]) -> None:
        """Remove files; it is no error if they are gone. Raises Unavailable."""
        paths = [self._path(key) for key in keys]
        with _troubles():
            for begin in range(0, len(paths), _BATCH):
                _delete(self._store, paths[begin : begin + _BATCH])

    def listed(self) -> Iterator[list[Kept]]:
        """Give every file in the storage, some hundreds at a time; raises Unavailable."""
        skipped = len(self._path(""))
        with _troubles():
            for batch in obstore.list(self._store, self._path("").strip("/") or None, chunk_size=_BATCH):
                yield [Kept(found["path"][skipped:], found["last_modified"]) for found in batch]

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Say whether no other process of this machine is inside; it stays so until the end."""
        with _troubles():
            self.spools.mkdir(parents=True, exist_ok=True)
        with (self.spools / "sweep.lock").open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def sweep_spools(self, older_than: timedelta) -> int:
        """Remove what uploads left behind that ended with their program; say how many files."""
        return sum(_abandoned(path, older_than) for path in self.spools.glob("upload-*"))

    def check(self) -> None:
        """Raise Unavailable unless a file can be kept and removed."""
        key = f"check/{token_hex(20)}"
        spool = self.spool(PIECE, "")
        try:
            spool.write(b"check")
            spool.finish()
            self.keep(spool, key)
            self.remove([key])
        finally:
            spool.discard()

    @cached_property
    def _folder(self) -> LocalStore:
        return LocalStore(self._data, mkdir=True)

    @property
    def _store(self) -> ObjectStore:
        return self._folder if self._bucket is None else self._bucket

    def _path(self, key: str) -> str:
        return f"blobs/{key}" if self._bucket is None else key


def _bucket(place: str) -> S3Store:
    """Give the bucket at an address; whoever names an endpoint with http:// wants it so."""
    return S3Store.from_url(
        place,
        client_options={"allow_http": True, "connect_timeout": "5s", "timeout": "60s"},
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=20)},
    )


@contextmanager
def _troubles() -> Iterator[None]:
    """Turn what the storage raises into the product's own errors."""
    try:
        yield
    except (BaseError, OSError) as error:
        raise Unavailable(AWAY) from error


def _delete(store: ObjectStore, paths: list[str]) -> None:
    try:
        obstore.delete(store, paths)
    except FileNotFoundError:
        # A folder stops at the first one that is gone; a bucket does not mind.
        for path in paths:
            with suppress(FileNotFoundError):
                obstore.delete(store, path)


def _abandoned(path: Path, older_than: timedelta) -> bool:
    with suppress(FileNotFoundError, BlockingIOError), path.open("rb") as file:
        written = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
        if written > datetime.now(UTC) - older_than:
            return False
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
        return True
    return False
