"""Recent activity."""

from datetime import datetime

from skerry.wire.record import Record


class Activity(Record, frozen=True):
    """Something that happened to a ticket, a message or the source code.

    ``kind`` is ``ticket``, ``message`` or ``changeset``. ``action`` is ``opened``, ``closed``, ``changed`` or
    ``commented`` for a ticket, ``posted`` or ``commented`` for a message, ``committed`` for a changeset.
    ``excerpt`` is the beginning of the text: its first words, without markup.
    """

    singular, plural = "activity", "activities"

    action: str = ""
    closed: bool | None = None
    excerpt: str = ""
    happened_at: datetime | None = None
    kind: str = ""
    message_id: int | None = None
    number: int | None = None
    project_id: int | None = None
    project_name: str | None = None
    revision: str | None = None
    state: str | None = None
    title: str = ""
    url: str | None = None
    user_id: int | None = None
    user_name: str | None = None
    version: int | None = None
