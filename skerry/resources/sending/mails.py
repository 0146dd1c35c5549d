"""Mails that were not sent."""

from datetime import datetime
from typing import ClassVar

from skerry.wire.record import Record


class Mail(Record, frozen=True):
    """A mail that waits to be sent, or that the mail server refused for good (``set_aside_at``).

    ``due_at`` says when it is tried again. ``failure`` is what the server said the last time. A mail that
    waits because the server takes none at all has the failure of the server.
    """

    singular: ClassVar[str] = "mail"
    plural: ClassVar[str] = "mails"

    created_at: datetime | None = None
    due_at: datetime | None = None
    email: str = ""
    failure: str = ""
    id: int | None = None
    kind: str = ""
    set_aside_at: datetime | None = None
    tries: int = 0
    user_id: int | None = None
