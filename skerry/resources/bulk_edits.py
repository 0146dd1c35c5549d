"""Bulk edits."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import Items, Record, required, writable


class BulkEdit(Record, frozen=True):
    """A change of many tickets at once; a dry run has no id.

    ``numbers`` are the numbers of the changed tickets. If they were moved to the project ``moved_to``,
    ``new_numbers`` are their numbers there, in the same order; an undo moves them to its own project.
    ``part_of`` is the id of the bulk edit over several projects that it is a part of.
    ``undoes`` and ``undone_by`` are ids of bulk edits; ``left_numbers`` are the tickets of the edit that an
    undo could not reach, because they were deleted or moved on.
    """

    singular, plural = "bulk_edit", "bulk_edits"
    bare = True

    command: Annotated[str, writable, required] = ""
    count: int = 0
    created_at: datetime | None = None
    dry_run: Annotated[bool, writable] = False
    id: int | None = None
    left_numbers: list[int] = []
    moved_to: int | None = None
    new_numbers: list[int] = []
    numbers: list[int] = []
    part_of: int | None = None
    project_id: int | None = None
    query: Annotated[str, writable, required] = ""
    undoes: int | None = None
    undone_by: int | None = None
    user_id: int | None = None
    user_name: str | None = None


class AccountBulkEdit(Record, frozen=True):
    """A change of tickets of several projects at once: one bulk edit in each; a dry run has no id.

    ``bulk_edits`` are those in projects that the reader sees, ``count`` is the number of their tickets. An
    undo is another one, whose parts undo the parts of this one.
    """

    singular, plural = "account_bulk_edit", "account_bulk_edits"
    aliases = ("bulk_edit",)
    bare = True

    bulk_edits: Annotated[list[BulkEdit], Items("bulk-edit", "BulkEdit")] = []
    command: Annotated[str, writable, required] = ""
    count: int = 0
    created_at: datetime | None = None
    dry_run: Annotated[bool, writable] = False
    id: int | None = None
    query: Annotated[str, writable, required] = ""
    user_id: int | None = None
    user_name: str | None = None
