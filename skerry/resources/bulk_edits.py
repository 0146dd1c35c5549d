"""Bulk edits."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import Record, required, writable


class BulkEdit(Record, frozen=True):
    """One change of many tickets at once; one that was only tried has no id.

    ``numbers`` are those of the tickets it touched. If it moved them to the project ``moved_to``,
    ``new_numbers`` are those that they have there, in the same order. ``undoes`` and ``undone_by``
    are ids of bulk edits.
    """

    singular: ClassVar[str] = "bulk_edit"
    plural: ClassVar[str] = "bulk_edits"
    bare: ClassVar[bool] = True

    command: Annotated[str, writable, required] = ""
    count: int = 0
    created_at: datetime | None = None
    dry_run: Annotated[bool, writable] = False
    id: int | None = None
    moved_to: int | None = None
    new_numbers: list[int] = []
    numbers: list[int] = []
    project_id: int | None = None
    query: Annotated[str, writable, required] = ""
    undoes: int | None = None
    undone_by: int | None = None
    user_id: int | None = None
    user_name: str | None = None
