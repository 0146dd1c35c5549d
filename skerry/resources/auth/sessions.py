"""Sessions."""

from datetime import datetime
from typing import ClassVar

from skerry.wire.record import Record


class Session(Record, frozen=True):
    """A browser in which a user is signed in; ``current`` marks the one making the request."""

    singular: ClassVar[str] = "session"
    plural: ClassVar[str] = "sessions"

    id: int | None = None
    agent: str = ""
    address: str = ""
    created_at: datetime | None = None
    used_at: datetime | None = None
    current: bool = False
