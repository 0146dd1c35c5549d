"""Ticket bins."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, words, writable


class TicketBin(Record, frozen=True):
    """A saved query with a layout of its list.

    ``default`` says whether it is the first one that the caller sees in the project.

    If counting takes too long, ``tickets_count`` is the last known number, and ``counted_at`` says when it
    was right; it is null if the tickets have never been counted completely.
    """

    singular, plural = "ticket_bin", "ticket_bins"
    aliases = ("bin",)

    columns: Annotated[str, writable, words] = ""
    default: Annotated[bool, writable] = False
    group: Annotated[str, writable] = ""
    id: int | None = None
    name: Annotated[str, writable, required, longest(255)] = ""
    position: Annotated[int | None, writable] = None
    project_id: int | None = None
    query: Annotated[str, writable] = ""
    shared: Annotated[bool, writable] = False
    sort: Annotated[str, writable] = ""
    tickets_count: int = 0
    updated_at: datetime | None = None
    user_id: int | None = None
    counted_at: datetime | UnsetType | None = UNSET
