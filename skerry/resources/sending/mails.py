"""Unsent mail."""

from datetime import datetime
from typing import ClassVar

from skerry.wire.record import Record


class Mail(Record, frozen=True):
    """A mail that is waiting to be sent, or that the mail server rejected permanently (``set_aside_at``).

    ``due_at`` says when it is tried again. ``failure`` is the last response of the server. A mail that waits
    because the server accepts no mail at all has the failure of the server.
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
