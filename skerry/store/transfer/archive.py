"""The file of a backup: a tar archive, written and read sequentially.

The first member describes the archive and the schema of its rows; the last one lists all others with
checksums. Between them are the tables, then the files. Regardless of its size, little of it is in memory at a
time.
"""

import gzip
import hashlib
import json
import os
import sys
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from skerry.errors import Conflict
from skerry.filesystem import fsync, lock_if_free

FORMAT = 1
"""The version of this format; programs refuse archives with a higher number."""

FILES = "files/"
TABLES = "tables/"

_LINES = ".jsonl.gz"
_ABOUT, _MANIFEST = "about.json", f"manifest{_LINES}"

ENDS = (_ABOUT, _MANIFEST)
"""The first member and the last one."""

# Nearly as small as with the highest level, in a third of the time.
_LEVEL = 6

# Errors that only the readers of the formats raise, for malformed data.
DAMAGES = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError)

# Errors that they raise too, but that may have other causes.
OTHER_DAMAGES = (ValueError, OverflowError, MemoryError, RecursionError)

# The types of the values in a row.
_VALUES = {int, float, str, type(None)}

Members = Iterator[tuple[str, IO[bytes]]]


class ArchiveError(ValueError):
    """The archive cannot be used; the message says why."""


@dataclass(frozen=True)
class About:
    """The description of an archive: its schema, the program that wrote it, and the time in UTC."""

    schema: str
    program: str
    made_at: str
    format: int = FORMAT


@contextmanager
def created(path: Path, *, overwrite: bool) -> Iterator[IO[bytes]]:
    """Return a new private file that appears under its name only once it is complete and durable.

    ``-`` is the standard output. Raises Conflict if that is closed, if the file exists and must not be
    overwritten, if the path is not a regular file, or if another process is writing the file.
    """
    if str(path) == "-":
        if sys.__stdout__ is None:
            # A closed standard output was replaced by the null device, which would discard the archive.
            raise Conflict("Standard output is closed; name a file")
        yield sys.stdout.buffer
        return
    if path.exists() and not path.is_file():
        # A device or a pipe would be replaced by a file.
        raise Conflict(f"{path} is not a regular file; choose another name, or - for standard output")
    if path.exists() and not overwrite:
        raise Conflict(f"{path} already exists; choose another name, or overwrite it with --force")
    part = path.with_name(f"{path.name}.part")
    with _begun(part) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.replace(path)
            fsync(path.parent)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _begun(part: Path) -> IO[bytes]:
    """Open a new file, locked until it is closed; the unfinished file of a killed process is removed."""
    with suppress(FileNotFoundError), part.open("rb") as left:
        _hold(left, part)
        part.unlink()
    file = os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    _hold(file, part)
    return file


def _hold(file: IO[bytes], part: Path) -> None:
    """Lock a file; raises Conflict if another process has locked or replaced it."""
    if not lock_if_free(file.fileno()) or not os.path.samestat(os.fstat(file.fileno()), part.stat()):
        raise Conflict(f"{part} is being written by another program; try again when it is done")


@contextmanager
def writing(file: IO[bytes], room: Path | None = None) -> Iterator["Writer"]:
    """Write an archive; ``room`` is a folder with space for its largest member."""
    # A pipe cannot be rewound, so tarfile has a separate mode for it.
    mode: Any = "w:" if file.seekable() else "w|"
    with TemporaryFile(dir=room) as manifest, tarfile.open(fileobj=file, mode=mode) as tar:
        writer = Writer(tar, manifest, room)
        yield writer
        writer.finish()


class Writer:
    """Writes an archive: first its description, then the tables, then the files."""

    def __init__(self, tar: tarfile.TarFile, manifest: IO[bytes], room: Path | None) -> None:
        self._tar = tar
        self._manifest = manifest
        self._room = room

    def about(self, about: About) -> None:
        """Write the description of the archive."""
        with self.member(_ABOUT) as temporary_file:
            temporary_file.write(json.dumps(asdict(about)).encode())

    @contextmanager
    def member(self, name: str) -> Iterator[IO[bytes]]:
        """Yield a file whose bytes become a member, unless an error occurs before the end."""
        with TemporaryFile(dir=self._room) as temporary_file:
            yield temporary_file
            self._manifest.write(_entry(name, temporary_file))
            self._add(name, temporary_file)

    def _add(self, name: str, temporary_file: IO[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.size = temporary_file.seek(0, os.SEEK_END)
        info.mode = 0o600
        temporary_file.seek(0)
        self._tar.addfile(info, temporary_file)
        forget(self._tar)

    def table(self, name: str, rows: Iterable[Iterable[Any]]) -> int:
        """Write the names of the columns, then rows of numbers, texts and None; return the number of rows."""
        count = -1
        with self.member(f"{TABLES}{name}{_LINES}") as temporary_file, packed(temporary_file) as lines:
            for row in rows:
                lines.write(_line(list(row)))
                count += 1
        return count

    def finish(self) -> None:
        """Write the list of all members."""
        self._manifest.seek(0)
        with TemporaryFile(dir=self._room) as temporary_file:
            with packed(temporary_file) as lines:
                lines.writelines(self._manifest)
            self._add(_MANIFEST, temporary_file)


def _entry(name: str, file: IO[bytes]) -> bytes:
    """Return a member's line in the list: name, size in bytes, and SHA-256."""
    file.seek(0)
    # Any binary file will do; the type stubs ask for a read-only one.
    digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    return _line([name, file.tell(), digest])


def _line(values: list[Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def packed(file: IO[bytes]) -> gzip.GzipFile:
    """Return a file object that compresses deterministically."""
    return gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=_LEVEL, mtime=0)


def forget(tar: tarfile.TarFile) -> None:
    """Clear the members read so far, which tarfile would collect."""
    # The type stubs hide the list.
    tar.members.clear()  # type: ignore[attr-defined]


def verified(path: Path) -> About:
    """Read an archive to its end and return its description.

    Raises ArchiveError if it is not an archive, is damaged or incomplete, or has a newer format than this
    program can read.
    """
    about: About | None = None
    complete = False
    with readable(OTHER_DAMAGES), opened(path) as members, TemporaryFile() as contents:
        for name, file in members:
            if about is None:
                about = _about(name, file)
            if complete:
                raise ArchiveError("The archive is damaged: there is data after its end")
            if name == _MANIFEST:
                complete = _compare(file, contents)
            else:
                contents.write(_entry(name, file))
    if about is None or not complete:
        raise ArchiveError("The archive is incomplete: its end is missing")
    return about


@contextmanager
def opened(path: Path) -> Iterator[Members]:
    """Yield the members of an archive in order; each must be read before the next.

    Raises ArchiveError if it cannot be read.
    """
    with readable(DAMAGES), path.open("rb") as file, tarfile.open(fileobj=file, mode="r:") as tar:
        yield _members(tar)


@contextmanager
def readable(damages: tuple[type[Exception], ...]) -> Iterator[None]:
    """Turn errors of the format readers into ArchiveError."""
    try:
        yield
    except ArchiveError:
        raise
    except damages as error:
        # A MemoryError for an impossible size has no message.
        reason = str(error) or "it contains an impossible size"
        raise ArchiveError(f"The archive cannot be read: {reason}") from error


def _members(tar: tarfile.TarFile) -> Members:
    while info := tar.next():
        forget(tar)
        file = tar.extractfile(info) if is_whole(tar, info) else None
        if file is None:
            raise ArchiveError(f"The archive is damaged: {info.name} is no file")
        yield info.name, file


def is_whole(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bool:
    """Return whether a member is a plain file that is followed by all of its bytes."""
    # Links are not followed: their targets may be missing. Sparse files may claim any size. A member that
    # claims more bytes than it has, or a negative size, could point back to itself.
    return info.isreg() and not info.issparse() and 0 <= info.size <= tar.offset - info.offset_data


def _about(name: str, file: IO[bytes]) -> About:
    if name != _ABOUT:
        raise ArchiveError("This is not a Skerry archive")
    said = json.load(file)
    names = [field.name for field in fields(About)]
    if not isinstance(said, dict) or not said.keys() >= set(names):
        raise ArchiveError("The archive is damaged: its description is missing")
    if said["format"] != FORMAT:
        raise ArchiveError(
            f"The archive has form {said['format']}, this program reads {FORMAT}; install a newer skerry"
        )
    return About(*(said[name] for name in names))


def _compare(file: IO[bytes], contents: IO[bytes]) -> bool:
    contents.seek(0)
    for must, is_now in zip_longest(gzip.GzipFile(fileobj=file), contents):
        if must != is_now:
            name = json.loads(must or is_now)[0]
            raise ArchiveError(f"The archive is damaged: {name} is not what was written")
    return True


def table_name(member: str) -> str | None:
    """Return the name of the table whose rows a member contains, or None."""
    whole = member.startswith(TABLES) and member.endswith(_LINES)
    return member.removeprefix(TABLES).removesuffix(_LINES) if whole else None


def rows(file: IO[bytes]) -> Iterator[list[Any]]:
    """Yield the column names of a table, then its rows; raises ArchiveError for malformed rows."""
    length = None
    with readable(OTHER_DAMAGES):
        for line in gzip.GzipFile(fileobj=file):
            row = json.loads(line)
            if not isinstance(row, list) or not _VALUES.issuperset(map(type, row)):
                raise ArchiveError("The archive does not fit: a row is not a list of numbers and strings")
            if len(row) != (length := length or len(row)):
                raise ArchiveError("The archive does not fit: a row does not have one value for each column")
            yield row
