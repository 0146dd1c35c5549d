"""Ticket bins."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, required, writable


class TicketBin(Record, frozen=True):
    """A query kept under a name; ``default`` says whether the caller sees it first in the project.

    ``tickets_count`` is None where it takes too long to find out.
    """

    singular: ClassVar[str] = "ticket_bin"
    plural: ClassVar[str] = "ticket_bins"
    also_read_as: ClassVar[tuple[str, ...]] = ("bin",)

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
