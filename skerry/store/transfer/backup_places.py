"""Places with several backups of one installation: a folder, or a prefix in an S3 bucket.

Only files with the names that this module gives are its own; others in the same place are never touched.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from skerry.database.database import Database
from skerry.errors import Conflict, NotFound, Unavailable
from skerry.files.blobs import Blobs
from skerry.filesystem import fsync, lock_if_free
from skerry.store.transfer import archive
from skerry.store.transfer.backup import BackupReport, backup, tidy, write

LATEST = "latest"
"""The name by which the newest backup of a place is restored."""

_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"skerry-\d{8}T\d{6}Z\.tar")
_PART = re.compile(rf"{_NAME.pattern}\.part")


@dataclass(frozen=True)
class KeptBackup:
    """A backup in a place."""

    name: str
    size: int
    made_at: datetime


class Place(Protocol):
    """Where backups are kept; every method may raise Conflict or OSError."""

    called: str

    def names(self) -> list[str]:
        """Return the names of all files that may be backups; raises if the place is missing."""

    def size(self, name: str) -> int:
        """Return the size of a file in bytes; raises NotFound."""

    def make(self, name: str, database: Database, blobs: Blobs) -> BackupReport:
        """Make a backup that is complete and verified, or raise an error."""

    def remove(self, names: list[str]) -> None:
        """Remove files, and what killed backups left behind."""

    @contextmanager
    def fetched(self, name: str) -> Iterator[Path]:
        """Yield the path of a local file with the content of a file; raises NotFound."""


def make(place: Place, database: Database, blobs: Blobs, keep: int | None) -> tuple[str, BackupReport, int]:
    """Make a backup, and only then remove the oldest ones beyond ``keep``.

    Returns its name, its report, and how many were removed.
    """
    name = f"skerry-{datetime.now(UTC).strftime(_STAMP)}.tar"
    if name in place.names():
        raise Conflict(f"{place.called} has a backup of this second already; try again")
    report = place.make(name, database, blobs)
    if keep is None:
        return name, report, 0
    # The new one stays, even if a wrong clock gave others later names.
    others = [each for each in _ours(place) if each != name]
    beyond = others[: max(0, len(others) + 1 - keep)]
    place.remove(beyond)
    return name, report, len(beyond)


def kept(place: Place) -> list[KeptBackup]:
    """Return the backups in a place, the oldest first."""
    return [
        KeptBackup(name, place.size(name), datetime.strptime(name[7:-4], _STAMP).replace(tzinfo=UTC))
        for name in _ours(place)
    ]


def chosen(place: Place, name: str) -> str:
    """Return the name of a backup, the newest one for ``latest``; raises NotFound if there is none."""
    if name != LATEST:
        return name
    names = _ours(place)
    if not names:
        raise NotFound(f"There are no backups in {place.called}")
    return names[-1]


def _ours(place: Place) -> list[str]:
    return sorted(name for name in place.names() if _NAME.fullmatch(name))


class BackupFolder:
    """Backups in a local folder, which must exist: a disk that is not mounted must not fill another one."""

    def __init__(self, folder: Path) -> None:
        """Create the place of a folder; raises NotFound if it is missing."""
        self.called = str(folder)
        self._folder = folder
        if not folder.is_dir():
            raise NotFound(f"There is no folder {folder}")

    def names(self) -> list[str]:
        """Return the names of the plain files."""
        return [path.name for path in self._folder.iterdir() if path.is_file() and not path.is_symlink()]

    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""
        return (self._folder / name).stat().st_size

    def make(self, name: str, database: Database, blobs: Blobs) -> BackupReport:
        """Write a backup and read it to its end."""
        path = self._folder / name
        report = backup(database, blobs, path, overwrite=False)
        try:
            archive.verified(path)
        except BaseException:
            path.unlink()
            raise
        return report

    def remove(self, names: list[str]) -> None:
        """Remove files, and what killed backups left behind."""
        for name in names:
            (self._folder / name).unlink(missing_ok=True)
        for path in self._folder.iterdir():
            if _PART.fullmatch(path.name):
                _remove_abandoned(path)
        fsync(self._folder)

    @contextmanager
    def fetched(self, name: str) -> Iterator[Path]:
        """Yield the path of a file."""
        yield self._folder / name


def _remove_abandoned(path: Path) -> None:
    """Remove the unfinished backup of a killed process; one that is being written is locked."""
    with suppress(FileNotFoundError, PermissionError), path.open("rb") as file:
        if lock_if_free(file):
            path.unlink()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class BackupBucket:
    """Backups in a bucket; the data folder holds one while it is sent or fetched."""

    def __init__(self, data: Path, place: str) -> None:
        """Create the place at ``s3://bucket/prefix``; raises ValueError if it or the settings are invalid."""
        self.called = place
        self._files = Blobs(data, place, place)

    def names(self) -> list[str]:
        """Return the names of the backups directly below the prefix."""
        with self._reported("read"):
            # A bucket can have millions of other files.
            return [
                file.key for batch in self._files.list_all() for file in batch if _NAME.fullmatch(file.key)
            ]

    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""
        with self._reported("read"):
            size = self._files.size(name)
        if size is None:
            raise NotFound(f"There is no backup {self.called}/{name}")
        return size

    def make(self, name: str, database: Database, blobs: Blobs) -> BackupReport:
        """Write a backup here, send it, and read it there."""
        file = blobs.temporary_file(0, "")
        try:
            report = write(database, blobs, file.file, file.path.parent)
            tidy(database, blobs)
            file.file.flush()
            archive.verified(file.path)
            with self._reported("stored"):
                # It appears there only once all of it was sent.
                self._files.keep(file, name)
            self._verify(file.path, name)
        finally:
            file.discard()
        return report

    def _verify(self, path: Path, name: str) -> None:
        """Raise Conflict unless the file in the bucket is the same as the one here, and remove it then."""
        try:
            is_same = self._hash(name, path.stat().st_size) == _hash(path)
        except BaseException:
            self._take_back(name)
            raise
        if not is_same:
            self._take_back(name)
            raise Conflict(f"The backup that arrived at {self.called} is not the one that was sent")

    def _hash(self, name: str, size: int) -> str:
        """Return the hash of a file of this size in the bucket; empty if it has another size."""
        if self.size(name) != size:
            return ""
        digest = hashlib.sha256()
        for piece in self._pieces(name, size):
            digest.update(piece)
        return digest.hexdigest()

    def _take_back(self, name: str) -> None:
        with suppress(Unavailable):
            self._files.remove([name])

    def _pieces(self, name: str, size: int) -> Iterator[bytes]:
        with self._reported("read"):
            yield from self._files.read(name, 0, size)

    def remove(self, names: list[str]) -> None:
        """Remove files."""
        with self._reported("removed"):
            self._files.remove(names)

    @contextmanager
    def fetched(self, name: str) -> Iterator[Path]:
        """Yield the path of a copy."""
        size = self.size(name)
        file = self._files.temporary_file(size, "The backup grew while it was read")
        try:
            for piece in self._pieces(name, size):
                file.write(piece)
            file.file.flush()
            yield file.path
        finally:
            file.discard()

    @contextmanager
    def _reported(self, done: str) -> Iterator[None]:
        """Raise an error again with the name of the place that failed."""
        try:
            yield
        except Unavailable as error:
            raise Conflict(f"Backups cannot be {done} at {self.called}: {error.reason}") from error
