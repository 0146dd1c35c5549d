"""Claims on tickets: who works on one now, and until when."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import Record, longest, within, writable

MIN_MINUTES, MAX_MINUTES = 15, 240


class Claim(Record, frozen=True):
    """Who has claimed a ticket, and until when; without ``expires_at`` nobody has.

    Those who share a token call themselves by different names in ``worker``.
    """

    singular, plural = "claim", "claims"
    bare = True

    expires_at: datetime | None = None
    minutes: Annotated[int, writable, within(MIN_MINUTES, MAX_MINUTES)] = 60
    number: int | None = None
    project_id: int | None = None
    user_id: int | None = None
    user_name: str | None = None
    worker: Annotated[str, writable, longest(100)] = ""
