"""Feeds and calendars."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, writable


class Feed(Record, frozen=True):
    """The secret URL of a list for programs that cannot sign in, such as feed readers and calendars.

    ``kind`` is ``tickets``, ``activity`` or ``messages`` for an Atom feed, or ``milestones`` for a calendar.
    The list is that of the project, or without one that of all projects its owner can see; ``query`` selects
    tickets. Anyone who has the ``url`` reads the list as its owner does; it is only shown when the feed is
    created.
    """

    singular: ClassVar[str] = "feed"
    plural: ClassVar[str] = "feeds"

    created_at: datetime | None = None
    id: int | None = None
    kind: Annotated[str, writable, required] = ""
    note: Annotated[str, writable, longest(255)] = ""
    project_id: Annotated[int | None, writable] = None
    query: Annotated[str, writable, longest(2000)] = ""
    user_id: int | None = None
    url: str | UnsetType = UNSET
