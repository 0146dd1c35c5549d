"""The file of an export: a compressed tar archive."""

import io
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from skerry.store.transfer import archive


@contextmanager
def packing(path: Path, *, overwrite: bool) -> Iterator["Pack"]:
    """Yield a pack of files that appears as an archive once it is complete; ``-`` is standard output.

    Raises Conflict as ``archive.created`` does.
    """
    room = None if str(path) == "-" else path.parent
    with (
        archive.created(path, overwrite=overwrite) as file,
        archive.packed(file) as packed,
        tarfile.open(fileobj=packed, mode="w|") as tar,
    ):
        yield Pack(tar, room)


class Pack:
    """Writes the files of an export one after the other."""

    def __init__(self, tar: tarfile.TarFile, room: Path | None) -> None:
        """Create an empty pack; ``room`` is a folder with space for the largest file."""
        self._tar = tar
        self._room = room
        self.made_at = 0
        """When the files were made, in seconds since 1970."""

    def add(self, name: str, content: bytes) -> None:
        """Add a file."""
        self._add(name, len(content), io.BytesIO(content))

    def copy(self, name: str, pieces: Iterable[bytes]) -> None:
        """Add a file in pieces; if a piece cannot be read, add nothing of it."""
        with TemporaryFile(dir=self._room) as temporary_file:
            temporary_file.writelines(pieces)
            size = temporary_file.tell()
            temporary_file.seek(0)
            self._add(name, size, temporary_file)

    def _add(self, name: str, size: int, content: IO[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size, 0o600, self.made_at
        self._tar.addfile(info, content)
        archive.forget(self._tar)
