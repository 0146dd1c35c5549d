"""The tickets of an archive that have been read and checked, in a file until their rows are written."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from skerry.resources.archives import TicketDetails
from skerry.resources.tickets import Ticket
from skerry.store.disk_space import DiskSpace
from skerry.transfer.importing.layout import ProjectFiles
from skerry.transfer.importing.reading import ReadTicket
from skerry.wire import exports as names
from skerry.wire import json

_decode = json.decoder(tuple[Ticket, TicketDetails])


class KeptTickets:
    """Keeps the tickets of each project, because reading them from the archive again takes far longer."""

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        """Start without tickets, in an empty file of a folder."""
        self._file, self._space = file, DiskSpace(folder)
        self._places: dict[int, tuple[int, int]] = {}
        self._end = 0

    def keep(self, project_id: int, tickets: Iterator[ReadTicket]) -> Iterator[ReadTicket]:
        """Yield the tickets of a project, and keep each; raises Conflict if the disk is full."""
        start = self._end
        for count, read in enumerate(tickets, 1):
            line = json.encode((read.ticket, read.details)) + b"\n"
            self._space.take(len(line))
            self._file.write(line)
            self._end += len(line)
            self._places[project_id] = start, count
            yield read

    def of(self, folder: ProjectFiles, tell: Callable[[], object]) -> Iterator[ReadTicket]:
        """Yield the kept tickets of a project; ``tell`` is called for each."""
        start, count = self._places.get(folder.id, (0, 0))
        self._file.seek(start)
        for _ in range(count):
            tell()
            ticket, details = _decode(self._file.readline())
            files = folder.tickets[ticket.number or 0]
            others = {name: file for name, file in files.items() if name != names.TICKET}
            yield ReadTicket(ticket, details, others)
