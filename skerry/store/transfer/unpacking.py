"""Unpacking of an export into one anonymous file, so that its members can be read in any order.

No name from the archive is ever used as a path.
"""

import re
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from io import BufferedReader
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Self, cast

from skerry.files.storage import PIECE
from skerry.store.transfer import archive, compression
from skerry.store.transfer.archive import ArchiveError
from skerry.text.characters import replace_invalid

MAX_MEMBERS = 2_000_000
"""The maximum number of files in an archive: their positions are held in memory."""

_KINDS = (
    "a tar archive, plain or compressed with gzip, bzip2 or xz, or a zip file; "
    "what another tracker wrote is imported under its name (--from)"
)

# Extended headers, such as those of long names, are read into memory.
_MAX_HEADER_LENGTH = 1024 * 1024
_PAX_HEADERS = frozenset((tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE))
_HEADERS = _PAX_HEADERS | {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
_SPARSE = re.compile(rb"\d GNU\.sparse\.(?:.*?GNU\.sparse\.name=([^\n]*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Member:
    """The position of a file in the unpacked archive; ``size`` is in bytes."""

    name: str
    start: int
    size: int


class _Header(tarfile.TarInfo):
    """The header of each file in an archive, limited in size."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Parse a header; raises ArchiveError if it is too long."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in _HEADERS and header.size > _MAX_HEADER_LENGTH:
            raise ArchiveError("The archive cannot be used: the description of a file is too long")
        return header

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> Self:
        """Read the next header; raises ArchiveError for a file with holes, whose map may have any length."""
        file = cast("IO[bytes]", tar.fileobj)
        begun = file.tell()
        header = cls.frombuf(file.read(tarfile.BLOCKSIZE), tar.encoding or "", tar.errors or "")
        described = file.read(header.size) if header.type in _PAX_HEADERS else b""
        sparse = _SPARSE.search(described)
        if sparse or header.type == tarfile.GNUTYPE_SPARSE:
            name = sparse[1].decode(errors="replace") if sparse and sparse[1] else header.name
            raise ArchiveError(f"The archive cannot be used: {replace_invalid(name)} has holes")
        file.seek(begun)
        return super().fromtarfile(tar)


@contextmanager
def unpacked(
    path: Path, folder: Path, tell: Callable[[int, int], object] = lambda _done, _total: None
) -> Iterator["Unpacked"]:
    """Unpack a tar archive, compressed or not, or a zip file; ``-`` is standard input.

    ``tell`` is called with how many bytes have been read, and how many there are, 0 if that is unknown.
    Raises ArchiveError if it cannot be read, Conflict if the disk is full.
    """
    with TemporaryFile(dir=folder) as temporary_file:
        damages = archive.DAMAGES + archive.OTHER_DAMAGES + compression.DAMAGES
        with archive.readable(damages), _source(path) as file:
            size = 0 if str(path) == "-" else path.stat().st_size
            for _ in compression.as_tar(file, temporary_file, folder, MAX_MEMBERS):
                tell(file.tell() if size else temporary_file.tell(), size)
        yield Unpacked(temporary_file)


def _source(path: Path) -> AbstractContextManager[BufferedReader]:
    if path.is_dir():
        raise ArchiveError(f"{path} is a folder. An import reads {_KINDS}")
    return nullcontext(cast("BufferedReader", sys.stdin.buffer)) if str(path) == "-" else path.open("rb")


def _opened(file: IO[bytes]) -> tarfile.TarFile:
    """Open a tar archive; raises ArchiveError, with the kinds that are read, if it does not begin as one."""
    try:
        return tarfile.open(fileobj=file, mode="r:", tarinfo=_Header)
    except tarfile.ReadError as error:
        raise ArchiveError(f"The archive cannot be read. An import reads {_KINDS}") from error


class Unpacked:
    """The files of an archive."""

    def __init__(self, temporary_file: IO[bytes]) -> None:
        self._temporary_file = temporary_file

    def members(self) -> Iterator[Member]:
        """Yield all files.

        Raises ArchiveError for links, devices and incomplete files.
        """
        self._temporary_file.seek(0)
        count = 0
        with archive.readable(archive.DAMAGES + archive.OTHER_DAMAGES), _opened(self._temporary_file) as tar:
            while info := tar.next():
                archive.forget(tar)
                if info.isdir():
                    continue
                if not archive.is_whole(tar, info):
                    raise ArchiveError(
                        f"The archive cannot be used: {replace_invalid(info.name)} is no plain file"
                    )
                count += 1
                if count > MAX_MEMBERS:
                    raise ArchiveError(f"The archive cannot be used: it has more than {MAX_MEMBERS} files")
                yield Member(replace_invalid(info.name), info.offset_data, info.size)
            self._check_end(tar.offset)

    def _check_end(self, start: int) -> None:
        """Raise ArchiveError unless an archive ends here; its reader stops at anything but a header."""
        self._temporary_file.seek(start)
        pieces = iter(lambda: self._temporary_file.read(PIECE), b"")
        if not (first := next(pieces, b"")) or any(piece.strip(b"\0") for piece in chain((first,), pieces)):
            raise ArchiveError(
                "The archive cannot be used: it is damaged or incomplete, or there is data after its end"
            )

    def read(self, member: Member) -> bytes:
        """Return the bytes of a file."""
        self._temporary_file.seek(member.start)
        return self._temporary_file.read(member.size)

    def pieces(self, member: Member) -> Iterator[bytes]:
        """Yield the bytes of a file in pieces."""
        for start in range(0, member.size, PIECE):
            self._temporary_file.seek(member.start + start)
            yield self._temporary_file.read(min(PIECE, member.size - start))
