"""Ticket bins."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, required, writable


class TicketBin(Record, frozen=True):
    """A saved query; ``default`` says whether it is the first one that the caller sees in the project.

    ``tickets_count`` is null if counting would take too long.
    """

    singular: ClassVar[str] = "ticket_bin"
    plural: ClassVar[str] = "ticket_bins"
    aliases: ClassVar[tuple[str, ...]] = ("bin",)

    default: Annotated[bool, writable] = False
    id: int | None = None
    name: Annotated[str, writable, required, longest(255)] = ""
    position: Annotated[int | None, writable] = None
    project_id: int | None = None
    query: Annotated[str, writable] = ""
    shared: Annotated[bool, writable] = False
    tickets_count: int | None = 0
    updated_at: datetime | None = None
    user_id: int | None = None
