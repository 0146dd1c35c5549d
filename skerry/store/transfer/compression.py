"""Archives of several kinds, recognised by their first bytes, as one uncompressed tar archive."""

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from skerry.files.storage import PIECE
from skerry.store.disk_space import check_disk_space
from skerry.store.transfer.archive import ArchiveError, forget
from skerry.text.characters import replace_invalid

# zipfile raises NotImplementedError for a method of compression that it does not know.
DAMAGES = (lzma.LZMAError, zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError)
"""Errors that only the readers of these formats raise."""

_LONGEST_MARK = 6
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# As much as the highest level of xz needs.
_MAX_MEMORY = 128 * 1024 * 1024


def as_tar(file: BufferedReader, target: IO[bytes], folder: Path, most: int) -> Iterator[None]:
    """Write an archive to a file as an uncompressed tar archive with at most so many members, in steps.

    Raises Conflict if the disk is full, ArchiveError or one of DAMAGES if the archive cannot be read.
    """
    mark = file.peek(_LONGEST_MARK)
    if mark.startswith(_ZIP):
        yield from _from_zip(file, target, folder, most)
    else:
        yield from _copy(_uncompressed(mark, file), target, folder)


def _uncompressed(mark: bytes, file: BufferedReader) -> Iterator[bytes]:
    if mark.startswith(b"\xfd7zXZ\x00"):
        return _of_xz(file)
    if mark.startswith(b"\x1f\x8b"):
        return _pieces(gzip.GzipFile(fileobj=file))
    return _pieces(bz2.BZ2File(file) if mark.startswith(b"BZh") else file)


def _pieces(source: Any) -> Iterator[bytes]:
    while True:
        try:
            piece: bytes = source.read(PIECE)
        except OSError as error:
            raise ArchiveError(f"The archive cannot be read: {error}") from error
        if not piece:
            return
        yield piece


def _of_xz(file: BufferedReader) -> Iterator[bytes]:
    """Yield the content of xz streams, one after another; the library's file has no limit on memory."""
    packed = file.read(PIECE)
    while packed.strip(b"\0"):
        decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MAX_MEMORY)
        while not decompressor.eof:
            yield decompressor.decompress(packed, PIECE)
            packed = file.read(PIECE) if decompressor.needs_input and not decompressor.eof else b""
            if decompressor.needs_input and not decompressor.eof and not packed:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        packed = decompressor.unused_data or file.read(PIECE)


def _copy(pieces: Iterator[bytes], target: IO[bytes], folder: Path) -> Iterator[None]:
    for piece in pieces:
        check_disk_space(folder)
        target.write(piece)
        yield


def _from_zip(file: BufferedReader, target: IO[bytes], folder: Path, most: int) -> Iterator[None]:
    with TemporaryFile(dir=folder) as seekable:
        # The list of files is at the end, and standard input cannot be rewound.
        yield from _copy(_pieces(file), seekable, folder)
        with zipfile.ZipFile(seekable) as zipped, tarfile.open(fileobj=target, mode="w:") as tar:
            if len(zipped.infolist()) > most:
                raise ArchiveError(f"The archive cannot be used: it has more than {most} files")
            for info in zipped.infolist():
                if not info.is_dir():
                    check_disk_space(folder, info.file_size)
                    _add(zipped, info, tar)
                    yield


def _add(zipped: zipfile.ZipFile, info: zipfile.ZipInfo, tar: tarfile.TarFile) -> None:
    kind, name = stat.S_IFMT(info.external_attr >> 16), replace_invalid(info.filename)
    if kind not in (0, stat.S_IFREG):
        raise ArchiveError(f"The archive cannot be used: {name} is no plain file")
    if info.flag_bits & 1:
        raise ArchiveError(f"The archive cannot be used: {name} has a password")
    # Some programs on Windows write their own separators.
    header = tarfile.TarInfo(name.replace("\\", "/"))
    header.size = info.file_size
    try:
        with zipped.open(info) as content:
            tar.addfile(header, content)
    except (*DAMAGES, zlib.error, EOFError, OSError) as error:
        # Readers raise an OSError without a number for damaged content; the disk's have one.
        if getattr(error, "errno", None):
            raise
        raise ArchiveError(f"The archive cannot be read: {name}: {error}") from error
    forget(tar)
