"""What any storage of files has, be it a folder or a bucket."""

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
    """A file in the storage: its key, and when it came there."""

    key: str
    since: datetime


class Storage(Protocol):
    """Where files stay, by key; every method may raise OSError, or FileNotFoundError for what is gone."""

    piece_size: int
    """How many bytes are fetched at a time."""
    is_far: bool
    """Whether it is on another machine, which may let everybody wait."""

    def put(self, path: Path, key: str) -> None:
        """Keep a file; the one at the path may be moved."""

    def piece(self, key: str, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` up to ``stop``, as many of them as there are."""

    def size(self, key: str) -> int:
        """Return how many bytes a file has."""

    def check_there(self, key: str) -> None:
        """Raise OSError if not even the folder or the bucket is there in which a file has its place."""

    def remove(self, keys: list[str]) -> None:
        """Remove files, those that are gone included."""

    def list_all(self) -> Iterable[StoredFile]:
        """Return every file."""

    def now(self) -> datetime:
        """Return the time by the clock that dates files."""


def passing_key() -> str:
    """Return a key for a file that is removed at once; the next cleanup removes leftovers."""
    return f"check/{token_hex(20)}"
