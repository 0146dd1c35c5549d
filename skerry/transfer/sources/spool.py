"""Values that are read before the ticket that they belong to, kept in an unnamed file."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from skerry.store.disk_space import DiskSpace
from skerry.wire import json


class Spool:
    """Keeps values by the key of their ticket; only their positions are in memory."""

    def __init__(self, folder: Path, file: IO[bytes]) -> None:
        self._space, self._file = DiskSpace(folder), file
        self._places: dict[str, list[int]] = defaultdict(list)
        self._end = 0

    def put(self, key: str, value: Any) -> None:
        """Keep a value of plain JSON; raises Conflict if the disk is full."""
        line = json.encode(value) + b"\n"
        self._space.take(len(line))
        self._file.seek(self._end)
        self._file.write(line)
        self._places[key].append(self._end)
        self._end += len(line)

    def of(self, key: str) -> Iterator[Any]:
        """Yield the values of a ticket, in the order in which they were read."""
        for place in self._places.get(key, ()):
            self._file.seek(place)
            yield json.decode(self._file.readline())

    def count(self, key: str) -> int:
        """Return how many values a ticket has."""
        return len(self._places.get(key, ()))

    def keys(self) -> set[str]:
        """Return the keys of all tickets that have values."""
        return set(self._places)
