"""The tags of a project."""

from typing import ClassVar

from skerry.wire.record import Record


class Tag(Record, frozen=True):
    """A tag that tickets of a project have, with how many there are, open or closed."""

    singular: ClassVar[str] = "tag"
    plural: ClassVar[str] = "tags"

    name: str = ""
    tickets_count: int = 0
