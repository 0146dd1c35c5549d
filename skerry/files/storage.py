"""The interface of file storages."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Protocol

PIECE = 1024 * 1024
"""How many bytes of a file are in memory at a time."""

BATCH = 500
"""How many files are listed or removed at a time."""


@dataclass(frozen=True)
class StoredFile:
    """A file in the storage: its key and its time."""

    key: str
    since: datetime


class Storage(Protocol):
    """A storage of files by key; every method may raise OSError, or FileNotFoundError."""

    piece_size: int
    """How many bytes are fetched at a time."""
    is_remote: bool
    """Whether it is on another machine, which may be slow."""

    def put(self, path: Path, key: str) -> None:
        """Store a file; the one at the path may be moved."""

    def piece(self, key: str, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` up to ``stop``, fewer at the end of the file."""

    def size(self, key: str) -> int:
        """Return how many bytes a file has."""

    def check_container(self, key: str) -> None:
        """Raise OSError if the folder or the bucket of a file is missing."""

    def remove(self, keys: list[str]) -> None:
        """Remove files; missing files are not an error."""

    def list_all(self) -> Iterable[StoredFile]:
        """Return every file."""

    def now(self) -> datetime:
        """Return the time by the clock that dates files."""


def temporary_key() -> str:
    """Return a key for a file that is removed at once; the next cleanup removes leftovers."""
    return f"check/{token_hex(20)}"
