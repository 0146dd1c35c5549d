"""The files of a source: one file, a folder of them, or an archive of either."""

import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, TypeVar

from skerry.errors import Invalid
from skerry.files.storage import PIECE
from skerry.store.disk_space import check_disk_space
from skerry.store.transfer.unpacking import Member, Unpacked, unpacked
from skerry.text.characters import replace_invalid
from skerry.transfer.sources.spool import Spool
from skerry.wire import exports as names

MAX_FILES = 200_000
_T = TypeVar("_T")
_PACKED = (".json.gz", ".jsonl.gz")

Progress = Callable[[str, int, int], object]


@dataclass(frozen=True)
class SourceFile:
    """A file with its name below the source, and its size in bytes."""

    name: str
    size: int
    pieces: Callable[[], Iterator[bytes]]
    path: Path | None = None
    """Where the file is on disk, unless it is in an archive."""

    def content(self, most: int) -> bytes:
        """Return the whole file; raises Invalid if it is too large."""
        if self.size > most:
            raise Invalid(f"{self.name} is too large (at most {most // 1024 // 1024} MiB)")
        return b"".join(self.pieces())


def by_end(files: Iterable[SourceFile]) -> dict[str, SourceFile]:
    """Return files by the last two parts of their names."""
    return {"/".join(file.name.split("/")[-2:]): file for file in files}


@dataclass(frozen=True)
class _Place:
    """Where temporary files belong, who is told what has been read, and what is closed at the end."""

    folder: Path
    progress: Progress
    stack: ExitStack


class SourceFiles:
    """All files of a source, in the order of their names."""

    def __init__(self, path: Path, files: list[SourceFile], place: "_Place") -> None:
        self.path, self._files, self._place = path, files, place
        self._read, self._total = 0, sum(file.size for file in files)

    def __iter__(self) -> Iterator[SourceFile]:
        """Yield the files."""
        return iter(self._files)

    def ending(self, *endings: str) -> list[SourceFile]:
        """Return the files with one of these endings, in any case."""
        return [file for file in self._files if file.name.lower().endswith(endings)]

    def spool(self) -> Spool:
        """Return a spool that vanishes with this view."""
        folder, stack = self._place.folder, self._place.stack
        return Spool(folder, stack.enter_context(TemporaryFile(dir=folder)))

    def keep(self, context: AbstractContextManager[_T]) -> _T:
        """Enter a context that ends with this view."""
        return self._place.stack.enter_context(context)

    def on_disk(self, file: SourceFile) -> Path:
        """Return where a file is on disk, which libraries need; raises Conflict if the disk is full."""
        if file.path:
            return file.path
        check_disk_space(self._place.folder, file.size)
        copy = NamedTemporaryFile(dir=self._place.folder)  # noqa: SIM115 - closed with this view
        self.keep(copy)
        for piece in self.pieces(file):
            copy.write(piece)
        copy.flush()
        return Path(copy.name)

    def pieces(self, file: SourceFile) -> Iterator[bytes]:
        """Yield the bytes of a file, and tell how much of all files has been read so far."""
        for piece in file.pieces():
            yield piece
            # Files may be read twice, so this is an estimate.
            self._read = (self._read + len(piece)) % (self._total + 1)
            self._place.progress("Reading bytes", self._read, self._total)


@contextmanager
def source_files(path: Path, folder: Path, progress: Progress, name: str) -> Iterator[SourceFiles]:
    """Yield the files of a source; archives are unpacked into an unnamed file in ``folder``.

    A single file is called ``name`` rather than like its path, if that is given.

    Raises Invalid if there are none or too many, ArchiveError for a damaged archive.
    """
    with ExitStack() as stack:
        if path.is_dir():
            files = _in_folder(path)
        elif _is_archive(path, name or path.name):
            tell = partial(progress, "Unpacking bytes")
            files = _in_archive(stack.enter_context(unpacked(path, folder, tell)))
        elif path.is_file():
            files = [_on_disk(path, name or path.name)]
        else:
            raise Invalid(f"{path} is neither a file nor a folder")
        yield SourceFiles(Path(name) if name else path, files, _Place(folder, progress, stack))


def _is_archive(path: Path, name: str) -> bool:
    """Return whether a file is an archive, or begins as one."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(b"PK\3\4") or (head.startswith(b"\x1f\x8b") and not name.lower().endswith(_PACKED)):
        return True
    try:
        return tarfile.is_tarfile(path) or zipfile.is_zipfile(path)
    except (EOFError, ValueError):
        return False


def _in_folder(path: Path) -> list[SourceFile]:
    found = list[SourceFile]()
    for folder, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files):
            file = Path(folder, name)
            # Links could lead anywhere, and devices never end.
            if not names.is_clutter(name) and stat.S_ISREG(file.lstat().st_mode):
                found.append(_on_disk(file, file.relative_to(path).as_posix()))
            if len(found) > MAX_FILES:
                raise Invalid(f"{path} has more than {MAX_FILES} files")
    if not found:
        raise Invalid(f"{path} has no files")
    return found


def _on_disk(path: Path, said: str) -> SourceFile:
    # Names on disk may be in any charset.
    name = replace_invalid(said)

    def pieces() -> Iterator[bytes]:
        with path.open("rb") as file:
            source = gzip.GzipFile(fileobj=file) if name.lower().endswith(_PACKED) else file
            try:
                yield from iter(lambda: source.read(PIECE), b"")
            except (gzip.BadGzipFile, zlib.error, EOFError) as error:
                raise Invalid(f"{name} is damaged: {error}") from error

    return SourceFile(name, path.stat().st_size, pieces, path)


def _in_archive(archive: Unpacked) -> list[SourceFile]:
    def of(member: Member) -> SourceFile:
        return SourceFile(member.name, member.size, lambda: archive.pieces(member))

    return [of(member) for member in archive.members() if not names.is_clutter(member.name)]


class Stream(io.RawIOBase):
    """The pieces of a file as a stream that libraries can read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        """Create a stream of pieces, none of which is empty."""
        self._pieces, self._rest = pieces, memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any writable buffer
        """Read at most as many bytes as fit."""
        if not self._rest:
            self._rest = memoryview(next(self._pieces, b""))
        length = min(len(buffer), len(self._rest))
        buffer[:length] = self._rest[:length]
        self._rest = self._rest[length:]
        return length


def opened(pieces: Iterator[bytes]) -> IO[bytes]:
    """Return the pieces of a file as a buffered stream."""
    return io.BufferedReader(Stream(pieces))
