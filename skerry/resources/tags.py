"""The tags of a project."""

from typing import ClassVar

from skerry.wire.record import Record


class Tag(Record, frozen=True):
    """A tag with the number of tickets of a project that have it, open or closed."""

    singular: ClassVar[str] = "tag"
    plural: ClassVar[str] = "tags"

    name: str = ""
    tickets_count: int = 0
